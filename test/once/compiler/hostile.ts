/** Building blocks of the tables of hostile sources. */
import type { CssEngine, Engine } from "../../../server/compiler/compiler.ts";

export interface Hostile {
  name: string;
  engine: Exclude<Engine, "js" | "html">;
  css?: CssEngine;
  source: string;
  /** Pattern of the refusal, or `builds` where the source compiles and does no harm. */
  ends: RegExp | "builds";
}

/** Characters: the limit of an app's source. */
const LONGEST = 200_000;

/** Repeats the unit as often as it fits into `length`. */
export function many(unit: string, around: (text: string) => string, length = LONGEST): string {
  return around(unit.repeat((length - around("").length) / unit.length));
}

/** Nests `open` and `close` as deeply as fits into `length`. */
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

/** 330 bytes for which Svelte computes and keeps 2 to the power of 26 combinations of classes. */
export const HANGS = `<p class="${"{a?'b':'c'}".repeat(26)}"></p><style>.b { color: red }</style>`;

/** Makes a pattern of Vue's backtrack quadratically. It takes hours, but no memory. */
export const LOOPS = `<template><p v-for="${" ".repeat(90_000)}in${" ".repeat(90_000)}"/></template>`;

/** esbuild parses each `<` twice, as a comparison and as type arguments: exponential time. */
export const ESBUILD_LOOPS = many("a<", (text) => `export default () => ${text}1`);

export const script = (text: string) => `<script>${text}</script>`;
export const style = (text: string) => `<p class="a">x</p><style>${text}</style>`;
export const template = (text: string) => `<template>${text}</template>`;
export const setup = (text: string) => `<script setup lang="ts">${text}</script><template>x</template>`;
export const shown = (text: string) => `export default () => ${text}`;
export const drawn = (text: string) => `kaboom(${text})`;
