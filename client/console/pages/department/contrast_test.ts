import { equal } from "node:assert/strict";
import { shareHidden } from "./contrast.ts";

const DARK = [32, 36, 43] as const;
const pixels = (...colours: number[][]) => new Uint8ClampedArray(colours.flat());

Deno.test("contrast: dark strokes without a background are lost on a dark mail, and seen on a light one", () => {
  const logo = pixels([20, 24, 40, 255], [255, 120, 40, 255], [0, 0, 0, 0]);
  equal(shareHidden(logo, DARK), 0.5);
  equal(shareHidden(logo, [255, 255, 255]), 0);
});

Deno.test("contrast: a picture without transparent parts brings its own background", () => {
  equal(shareHidden(pixels([20, 24, 40, 255], [30, 30, 30, 255]), DARK), 0);
});
