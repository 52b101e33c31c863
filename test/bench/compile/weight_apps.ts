/** A minimal and a real app of each engine. Nearly all of their size is the engine's runtime. */
import type { CssEngine } from "../../../server/compiler/compiler.ts";
import { freshSample } from "./samples.ts";
import type { ViteEngine } from "./vite.ts";

export interface App {
  name: string;
  engine: ViteEngine;
  css_engine: CssEngine;
  source: string;
  /** Another app of the same engine. */
  second: string;
}

const plain = (name: string, engine: ViteEngine, source: string, second: string): App => ({
  name,
  engine,
  css_engine: "none",
  source,
  second,
});

const sample = (engine: "svelte" | "vue" | "react"): App => ({
  name: `${engine}, a todo list of 3 KB with Tailwind`,
  engine,
  css_engine: "tailwind",
  source: freshSample(engine),
  second: freshSample(engine),
});

export const APPS: App[] = [
  plain("svelte, text", "svelte", "<h1>Hello</h1>", "<p>there</p>"),
  plain(
    "svelte, a counter",
    "svelte",
    "<script>let n = $state(0)</script><button onclick={() => n++}>Hello {n}</button>",
    "<script>let n = $state(9)</script><a onclick={() => n--}>{n} left</a>",
  ),
  sample("svelte"),
  plain("vue", "vue", "<template><h1>Hello</h1></template>", "<template><p>there</p></template>"),
  plain(
    "vue, a counter",
    "vue",
    `<script setup>import { ref } from "vue"; const n = ref(0)</script>
<template><button @click="n++">Hello {{ n }}</button></template>`,
    `<script setup>import { ref } from "vue"; const n = ref(9)</script><template><a @click="n--">{{ n }} left</a></template>`,
  ),
  sample("vue"),
  plain("react", "react", "export default () => <h1>Hello</h1>", "export default () => <p>there</p>"),
  sample("react"),
  plain(
    "kaboom",
    "kaboom",
    `import kaboom from "kaboom"; kaboom(); add([text("hello")])`,
    `import kaboom from "kaboom"; kaboom(); add([text("there"), pos(9, 9)])`,
  ),
  plain(
    "kaplay",
    "kaboom",
    `import kaplay from "kaplay"; kaplay(); add([text("hello")])`,
    `import kaplay from "kaplay"; kaplay(); add([text("there"), pos(9, 9)])`,
  ),
  ...(["phaser", "phaser@4"] as const).map((name) =>
    plain(
      name,
      "phaser",
      `import * as Phaser from "${name}"; new Phaser.Game({ scene: { create() { this.add.text(1, 1, "hello"); } } })`,
      `import * as Phaser from "${name}"; new Phaser.Game({ scene: { create() { this.add.text(2, 2, "there"); } } })`,
    )
  ),
];
