import { type Mistake, proveMistakes } from "./mistakes.ts";

const MISTAKES: Mistake[] = [
  {
    name: "a missing value",
    source: "<script>\n  let a = ;\n</script>",
    says: ["2:11 Unexpected token\n  let a = ;\n          ^"],
  },
  { name: "an unclosed element", source: "<main>\n  <p>x</p>\n", says: ["1:1 `<main>` was left open\n<main>\n^"] },
  { name: "an unclosed block", source: "<p>a</p>\n  {#if a}\nx", says: ["2:3 Block was left open\n  {#if a}\n  ^"] },
  { name: "a wrong closing tag", source: "<div>\n</span>", says: [/^2:1 `<\/span>` attempted to close an element/] },
  {
    name: "a misspelt rune, behind a tab",
    source: "<script>\n\tlet a = $sttate(1);\n</script>",
    says: [/^2:10 `\$sttate` is an illegal variable name.*\n\tlet a = \$sttate\(1\);\n\t {8}\^$/],
  },
  {
    name: "assigning to a constant",
    source: "<script>\n  const a = 1;\n  a = 2;\n</script>",
    says: [/^3:3 Cannot assign to constant\n/],
  },
  { name: "types without lang", source: "<script>\nlet a: number = 1\n</script>", says: [/^2:6 Unexpected token\n/] },
  {
    name: "two scripts",
    source: "<script>let a</script>\n<script>let b</script>",
    says: [/^2:1 A component can have a single/],
  },
  {
    name: "a binding that is not there",
    source: "<p\n  bind:value={a}>x</p>",
    says: [/^2:3 `bind:value` can only be used with/],
  },
  {
    name: "props twice",
    source: "<script>\nlet { a } = $props();\nlet { b } = $props();\n</script>",
    says: [/^3:13 Cannot use `\$props\(\)` more than once/],
  },
  {
    name: "an unclosed rule",
    source: "<p>x</p>\n<style>\n p { color: red\n</style>",
    says: [/^4:9 Unexpected end of input/],
  },
  { name: "an unknown each key", source: "{#each a as b (b}\nx{/each}", says: [/^1:17 Expected token \)/] },
  {
    name: "imports, reported together, after multi-byte characters",
    source: `<script>\n  let żółć = "😀"; import a from "./a.js";\n  import b from "lodash";\n</script>{a}{b}{żółć}`,
    says: [
      /^2:34 "\.\/a\.js" cannot be imported; an app may import svelte, svelte\/animate/,
      /^3:17 "lodash" cannot be imported/,
    ],
  },
  {
    name: "a name that a module does not have",
    source: `<script>\n  import { zip } from "svelte/store";\n  zip();\n</script>`,
    says: [/^2:12 "svelte\/store" has no export "zip"\n {2}import \{ zip \} from "svelte\/store";\n {11}\^$/],
  },
  {
    name: "a class that is not there",
    source: "<p>x</p>\n<style>\n  p { @apply px-4 paddding-4; }\n</style>",
    css: "tailwind",
    says: [/^3:19 Cannot apply unknown utility class `paddding-4`\n/],
  },
  {
    name: "an import and a class",
    source: `<script>import a from "a"; a</script><p>x</p>\n<style>p { @apply nope; }</style>`,
    css: "tailwind",
    says: [/^1:23 "a" cannot be imported/, /^2:19 Cannot apply unknown utility class `nope`/],
  },
  {
    name: "a theme value that is not there",
    source: "<p>x</p>\n<style>\n  p { color: theme(colors.rde); }\n</style>",
    css: "tailwind",
    says: [/^3:14 Could not resolve value for theme function: `theme\(colors\.rde\)`/],
  },
  {
    name: "an @apply of a class that is as long as the source",
    source: `<p class="a">x</p><style>.a { @apply ${"x".repeat(50_000)}; }</style>`,
    css: "tailwind",
    says: [/^1:38 Cannot apply unknown utility class `x{50,200}…[^\n]{0,60}\n[^\n]{0,110}\n *\^$/],
  },
  {
    name: "a theme with a property",
    source: "<style>\n  @theme { color: red }\n</style>",
    css: "tailwind",
    says: [/^2:3 `@theme` blocks must only contain custom properties or `@keyframes`\.\n/],
  },
  {
    name: "unsupported languages and files, reported together; comments do not count",
    source:
      `<!-- <script lang="coffee"> -->\n<script lang="coffee">\na = -> 1\n</script>\n<style lang='scss' src="./a.css">\n.a { .b { c: d } }\n</style>`,
    says: [
      /^2:9 lang="coffee" is not supported: <script> takes js or ts\n/,
      /^5:8 lang="scss" is not supported: <style> takes css or postcss\n/,
      /^5:20 src is not supported: an app is one file, write the <style> into it\n/,
    ],
  },
  {
    name: "a mistake behind an enum and a namespace keeps its place",
    source:
      `<h1>x</h1>\n<script lang="ts">\n  enum A { B, C }\n  namespace N {\n    export const x: number = 1;\n  }\n  const z: number = 1; z = N.x + A.B;\n</script>`,
    says: [/^7:24 Cannot assign to constant\n {2}const z: number = 1; z = N\.x \+ A\.B;\n {23}\^$/],
  },
  {
    name: "an import behind an enum, and the markup behind the script",
    source: `<script lang="ts">\n  enum A { B }\n  import b from "lodash";\n</script>\n{b}{A.B}`,
    says: [/^3:17 "lodash" cannot be imported/],
  },
  {
    name: "markup behind an enum",
    source: `<script lang="ts">\n  enum A {\n    B,\n  }\n</script>\n<p {b}</p>`,
    says: [/^6:\d+ (?!.*vite)/],
  },
  {
    name: "an enum that cannot be parsed names no tool",
    source: `<script lang="ts">\n  enum A { B = }\n</script>`,
    says: [/^2:\d+ (?!.*(?:vite|preprocess))/],
  },
];

Deno.test("mistakes: each message has its place in the author's source", async (test) => {
  await proveMistakes(test, "svelte", MISTAKES);
});
