/** Sources that try to read files, and some that could confuse a compiler. */
import { type Hostile, setup, shown, template } from "./hostile.ts";

const CLOSED = /cannot be imported/;

/** `{secret}` stands for a file that must not be read. */
export const REACHES: readonly Hostile[] = [
  { name: "a file", engine: "react", source: `import a from "{secret}"; ${shown("a")}`, ends: CLOSED },
  { name: "a file beside", engine: "react", source: `import a from ".{secret}"; ${shown("a")}`, ends: CLOSED },
  { name: "a file: address", engine: "react", source: `import a from "file://{secret}"; ${shown("a")}`, ends: CLOSED },
  ...["text", "json", "file", "base64", "macro"].map((type): Hostile => ({
    name: `a file as ${type}`,
    engine: "react",
    source: `import a from "{secret}" with { type: "${type}" }; ${shown("a")}`,
    ends: /import attributes are not supported/,
  })),
  { name: "require", engine: "react", source: shown(`require("{secret}")`), ends: CLOSED },
  { name: "a pattern of files", engine: "react", source: shown("import(`/tmp/${a}.json`)"), ends: "builds" },
  { name: "a star", engine: "react", source: shown(`import("/tmp/*")`), ends: CLOSED },
  {
    name: "addresses of files",
    engine: "react",
    source: shown(`[import.meta.resolve("{secret}"), new URL("{secret}", import.meta.url)]`),
    ends: "builds",
  },
  {
    name: "a namespace of the bundler's",
    engine: "react",
    source: `import "runtime:{secret}"; ${shown("1")}`,
    ends: CLOSED,
  },
  {
    name: "itself",
    engine: "react",
    source: `import a from "app:source"; ${shown("a")}`,
    ends: /"app:source" cannot be imported/,
  },
  {
    name: "another JSX runtime",
    engine: "react",
    source: `/** @jsxImportSource evil */ ${shown("<b/>")}`,
    ends: /"evil\/jsx-runtime" cannot be imported/,
  },
  {
    name: "a JSX function",
    engine: "react",
    source: `/** @jsxRuntime classic */ /** @jsx eval */ ${shown("<b/>")}`,
    ends: "builds",
  },
  {
    name: "source maps",
    engine: "react",
    source: `${shown("<b/>")}\n//# sourceMappingURL=file://{secret}\n//# sourceURL={secret}`,
    ends: "builds",
  },
  {
    name: "a TypeScript reference",
    engine: "vue",
    source: setup(`/// <reference path="{secret}" />\nimport type { A } from "{secret}"; defineProps<A>()`),
    ends: /Types from other modules cannot be read here/,
  },
  {
    name: "a type by import",
    engine: "vue",
    source: setup(`defineProps<import("{secret}").A>()`),
    ends: /Types from other modules cannot be read here/,
  },
  ...["template", "script", "style"].map((block): Hostile => ({
    name: `<${block} src>`,
    engine: "vue",
    source: `${block === "template" ? "" : template("x")}<${block} src="{secret}"></${block}>`,
    ends: /src is not supported/,
  })),
  {
    name: "an unknown language",
    engine: "vue",
    source: `<template lang="../../x">x</template>`,
    ends: /lang="\.\.\/\.\.\/x" is not supported/,
  },
  { name: "a block of its own", engine: "vue", source: `${template("x")}<docs src="{secret}"/>`, ends: "builds" },
  { name: "a stylesheet", engine: "vue", source: `${template("x")}<style>@import "{secret}";</style>`, ends: CLOSED },
  {
    name: "a plugin",
    engine: "vue",
    css: "tailwind",
    source: `${template("x")}<style>@plugin "{secret}";</style>`,
    ends: /@plugin is not available/,
  },
  { name: "a file", engine: "kaboom", source: `import a from "{secret}"; kaboom(a)`, ends: CLOSED },
  {
    name: "a file as text",
    engine: "kaboom",
    source: `import a from "{secret}" with { type: "text" }; kaboom(a)`,
    ends: /import attributes/,
  },
  { name: "require", engine: "kaboom", source: `kaboom(require("{secret}"))`, ends: CLOSED },
];

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then"];

/** Sources that could change a compiler's state or confuse it. */
export const ODDITIES: readonly Hostile[] = [
  {
    name: "names that objects have",
    engine: "svelte",
    source: `<script>let { then, toString, prototype } = $props(); let a = { __proto__: null };</script>
      {#each [1] as hasOwnProperty}<p class="__proto__ constructor" __proto__={a}>{then}{toString}</p>{/each}
      <style>.__proto__ { color: red } .constructor { color: red }</style>`,
    ends: "builds",
  },
  {
    name: "names that objects have, as variables",
    engine: "svelte",
    source: `<script>let constructor = $state(1); let __proto__ = $state(2);</script>{constructor}{__proto__}`,
    ends: "builds",
  },
  {
    name: "names that objects have, as an attribute: Svelte stumbles itself",
    engine: "svelte",
    source: `<script>let a = $state(1);</script><p constructor={a}>x</p>`,
    ends: /^the svelte compiler cannot read this source: TypeError/,
  },
  {
    name: "names that objects have",
    engine: "vue",
    source: `<script setup>${NAMES.map((name) => `const ${name} = 1;`).join("")}</script>
      <template>${NAMES.map((name) => `<${name} :${name}="${name}" @${name}="${name}"/>`).join("")}</template>
      <style module="__proto__">.__proto__ { composes: constructor from global }</style>`,
    ends: "builds",
  },
  {
    name: "names that objects have, as properties",
    engine: "vue",
    source: setup(`defineProps<{ ${NAMES.map((name) => `${name}: string`).join("; ")} }>()`),
    ends: "builds",
  },
  {
    name: "names that objects have",
    engine: "react",
    source: `${NAMES.map((name) => `export const ${name} = 1;`).join("")}
      export default function valueOf() { return <constructor __proto__={1} {...{ __proto__: null }} /> }`,
    ends: "builds",
  },
  {
    name: "names that objects have",
    engine: "kaboom",
    source: `import { __proto__, constructor } from "kaboom"; kaboom(__proto__, constructor)`,
    ends: /has no export/,
  },
  ...(["svelte", "vue", "react"] as const).flatMap((engine): Hostile[] => {
    const source = (text: string) =>
      ({
        svelte: `<script>let a = "${text}";</script><p>{a}${text}</p>`,
        vue: `<script setup>const a = "${text}";</script><template>{{ a }}${text}</template>`,
        react: shown(`"${text}" + '${text}'`),
      })[engine];
    return [
      { name: "a byte order mark", engine, source: `\ufeff${source("x")}`, ends: "builds" },
      { name: "a NUL", engine, source: source("\0"), ends: "builds" },
      { name: "separators of lines", engine, source: source("\u2028\u2029"), ends: "builds" },
      { name: "half a letter", engine, source: source("\ud800"), ends: "builds" },
      { name: "marks of every kind", engine, source: source("$&$1$`\\u{0}%00"), ends: "builds" },
    ];
  }),
  {
    name: "the end of a script",
    engine: "react",
    source: shown(`"</script><script>alert(1)</script><!--"`),
    ends: "builds",
  },
  { name: "a line for a shell", engine: "react", source: `#!/bin/sh\n${shown("1")}`, ends: /^1:\d+ / },
  { name: "nothing", engine: "svelte", source: " ", ends: "builds" },
  { name: "nothing", engine: "vue", source: " ", ends: /./ },
  { name: "nothing", engine: "react", source: " ", ends: /nothing is shown/ },
  { name: "nothing", engine: "kaboom", source: " ", ends: "builds" },
];
