/**
 * The toolchain of every engine, CSS engine and runtime. A new engine is a folder beside this file, a line here, and a
 * line in `loaders.ts`. The two lists are separate because the server reads this one: with the loaders in its module
 * graph it would hold 15 MB more.
 */
import type { CssEngine, Engine } from "../compiler.ts";
import type { RuntimeName } from "../protocol.ts";
import { platform } from "../runtime/toolchain.ts";
import { tailwind, tailwind_all } from "../tailwind/toolchain.ts";
import { type Toolchain, UNCOMPILED } from "./engine.ts";
import { kaboom } from "./kaboom/toolchain.ts";
import { phaser, phaser4 } from "./phaser/toolchain.ts";
import { react } from "./react/toolchain.ts";
import { svelte } from "./svelte/toolchain.ts";
import { vue } from "./vue/toolchain.ts";

export const TOOLCHAINS: Readonly<Record<Engine | CssEngine | RuntimeName, Toolchain>> = {
  svelte,
  vue,
  react,
  kaboom,
  phaser,
  phaser4,
  js: UNCOMPILED,
  html: UNCOMPILED,
  platform,
  tailwind,
  tailwind_all,
  none: UNCOMPILED,
};
