import { deepEqual, equal } from "node:assert/strict";
import { bytes, clock, timeFormat } from "./format.ts";

const FOLDER = new URL("./", import.meta.url);

function* sources(folder: URL): Generator<URL> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, folder));
    else if (/\.(svelte|ts)$/.test(name) && !name.endsWith("_test.ts")) yield new URL(name, folder);
  }
}

Deno.test("times: hours count from 00 to 23, in languages with AM and PM too", () => {
  equal(timeFormat({ timeStyle: "short" }).resolvedOptions().hourCycle, "h23");
  equal(clock(new Date(2026, 10, 24, 18, 5)), "18:05");
  equal(clock(new Date(2026, 10, 24, 0, 5)), "00:05");
});

Deno.test("times: every page writes them by this format", () => {
  const others =
    /Intl\.DateTimeFormat\([^;]*?(?:\bhour:|\btimeStyle:)|\.toLocale(?:Time)?String\([^;]*?\bhour:|toLocaleTimeString/;
  const strays = [...sources(FOLDER)].filter((file) => others.test(Deno.readTextFileSync(file)));
  deepEqual(strays.map(({ pathname }) => pathname.slice(FOLDER.pathname.length)), []);
});

Deno.test("sizes: multiples of 1,024, with three digits", () => {
  deepEqual([12, 1_023, 1_229, 34_560_000, 345_600_000, 2e12].map(bytes), [
    "12 B",
    "1,023 B",
    "1.2 KiB",
    "33 MiB",
    "330 MiB",
    "1.8 TiB",
  ]);
});
