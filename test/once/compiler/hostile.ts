/** What tables of sources that were written against the compiler are made of. */
import type { CssEngine, Engine } from "../../../server/compiler/compiler.ts";

export interface Hostile {
  name: string;
  engine: Exclude<Engine, "js" | "html">;
  css?: CssEngine;
  source: string;
  /** What the author is told, or that it compiles: then nothing of it was hostile after all. */
  ends: RegExp | "builds";
}

/** As long as the source of an app may be. */
const LONGEST = 200_000;

/** The unit as often as it fits, in what is around it. */
export function many(unit: string, around: (text: string) => string, length = LONGEST): string {
  return around(unit.repeat((length - around("").length) / unit.length));
}

/** What opens, and what closes it, as often as they fit. */
export function nested(
  open: string,
  inner: string,
  close: string,
  around: (text: string) => string,
  length = LONGEST,
): string {
  const depth = (length - around(inner).length) / (open.length + close.length);
  return around(open.repeat(depth) + inner + close.repeat(depth));
}

/** 330 bytes for which Svelte tries every combination of two to the power of 26 classes, and keeps them. */
export const HANGS = `<p class="${"{a?'b':'c'}".repeat(26)}"></p><style>.b { color: red }</style>`;

/** For each space Vue's pattern tries what may follow. It takes hours, but no memory. */
export const LOOPS = `<template><p v-for="${" ".repeat(90_000)}in${" ".repeat(90_000)}"/></template>`;

/** esbuild reads each `<` twice: as a comparison, and as the beginning of types. */
export const ESBUILD_LOOPS = many("a<", (text) => `export default () => ${text}1`);

export const script = (text: string) => `<script>${text}</script>`;
export const style = (text: string) => `<p class="a">x</p><style>${text}</style>`;
export const template = (text: string) => `<template>${text}</template>`;
export const setup = (text: string) => `<script setup lang="ts">${text}</script><template>x</template>`;
export const shown = (text: string) => `export default () => ${text}`;
export const drawn = (text: string) => `kaboom(${text})`;
