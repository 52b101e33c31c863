/** Sources that would use up a machine's processor time or memory. */
import {
  drawn,
  ESBUILD_LOOPS,
  HANGS,
  type Hostile,
  LOOPS,
  many,
  nested,
  script,
  setup,
  shown,
  style,
  template,
} from "./hostile.ts";

/** 1.2 KB: an enum whose members double in length. esbuild would write 16 GB. */
const ENUM = `enum E { a0 = "${"x".repeat(1000)}", ${
  Array.from({ length: 24 }, (_, i) => `a${i + 1} = a${i} + a${i}`).join(", ")
} } console.log(E.a24);`;

/** Which limit is reached first depends on the machine. */
const TOO_MUCH = /^(compile timed out|compile needs too much memory|(\d+:\d+ )?is nested too deeply to compile)(\n|$)/;
const TOO_DEEP = /^(\d+:\d+ )?is nested too deeply to compile(\n|$)/;

/** `T0 = T1 & T1, T1 = T2 & T2, …`, or with another operator. */
const doubling = (sign: string) =>
  Array.from({ length: 30 }, (_, i) => `type T${i} = T${i + 1} ${sign} T${i + 1};`).join("") +
  "type T30 = { a: string }; defineProps<T0>()";

/** Thirty utilities, each of which applies the next one twice. */
const UTILITIES =
  Array.from({ length: 30 }, (_, i) => `@utility a${i} { @apply a${i + 1} hover:a${i + 1}; }`).join("") +
  "@utility a30 { top: 0 }";

export const COSTS: readonly Hostile[] = [
  { name: "combinations of classes", engine: "svelte", source: HANGS, ends: TOO_MUCH },
  { name: "brackets", engine: "svelte", source: many("[", (t) => script(`let a = ${t}`)), ends: TOO_DEEP },
  { name: "parentheses", engine: "svelte", source: nested("(", "1", ")", (t) => script(`a = ${t}`)), ends: TOO_DEEP },
  { name: "elements in elements", engine: "svelte", source: nested("<b>", "", "</b>", (t) => t), ends: TOO_DEEP },
  {
    name: "blocks in blocks",
    engine: "svelte",
    source: nested("{#if 1}", "", "{/if}", (t) => t),
    ends: TOO_DEEP,
  },
  {
    name: "a list of one value after the other",
    engine: "svelte",
    source: many("a,", (t) => script(`x((${t}a))`)),
    ends: TOO_MUCH,
  },
  {
    name: "selectors in selectors",
    engine: "svelte",
    source: nested(":is(", "a", ")", (t) => style(`${t}{}`)),
    ends: TOO_DEEP,
  },
  {
    name: "rules in rules",
    engine: "svelte",
    source: style(nested(":global(.a,.b){", "top:0", "}", (t) => t, 600)),
    ends: /^CSS nesting is causing too much expansion/,
  },
  {
    name: "gradients that become long ones",
    engine: "svelte",
    source: style(`.a{background:linear-gradient(in oklch longer hue,${"red,blue,".repeat(9000)}red)}`),
    ends: /^(compiles to more than 4 million characters|compile timed out)$/,
  },
  {
    name: "utilities of utilities",
    engine: "svelte",
    css: "tailwind",
    source: style(`${UTILITIES}.a{@apply a0}`),
    ends: TOO_MUCH,
  },
  {
    name: "a range of classes",
    engine: "svelte",
    css: "tailwind",
    source: style(`@source inline("p-{1..100000000}");`),
    ends: TOO_MUCH,
  },
  {
    name: "variants before variants",
    engine: "svelte",
    css: "tailwind",
    source: many("hover:", (t) => `<p class="${t}flex"></p>`),
    ends: "builds",
  },
  { name: "200,000 letters on a line", engine: "svelte", source: many("x", (t) => `<p>${t}</p>`), ends: "builds" },
  { name: "200,000 lines", engine: "svelte", source: many("\n", (t) => `<p>x</p>${t}`), ends: "builds" },

  { name: "types that double", engine: "vue", source: setup(doubling("&")), ends: TOO_MUCH },
  {
    name: "types of texts of texts",
    engine: "vue",
    source: setup(
      `type A = ${[..."abcdefgh"].map((letter) => `"${letter}"`).join("|")}; type B = \`${"${A}".repeat(9)}\`;` +
        "defineProps<{ [K in B]: string }>()",
    ),
    ends: TOO_MUCH,
  },
  {
    name: "a type of itself",
    engine: "vue",
    source: setup("type A = { a: string } & A; defineProps<A>()"),
    ends: TOO_DEEP,
  },
  { name: "spaces around a word", engine: "vue", source: LOOPS, ends: TOO_MUCH },
  {
    name: "bindings in bindings in styles",
    engine: "vue",
    source: `${template("x")}<style scoped>a{color:${"v-bind(".repeat(27_000)}}</style>`,
    ends: TOO_MUCH,
  },
  { name: "elements in elements", engine: "vue", source: nested("<b>", "", "</b>", template, 60_000), ends: TOO_DEEP },
  {
    name: "elements that stay open",
    engine: "vue",
    source: many("<b>", template, 60_000),
    ends: /^1:\d+ Element is missing end tag/,
  },
  {
    name: "brackets in a template",
    engine: "vue",
    source: nested("[", "1", "]", (t) => template(`{{${t}}}`)),
    ends: TOO_DEEP,
  },
  { name: "brackets", engine: "vue", source: nested("[", "1", "]", (t) => setup(`a = ${t}`)), ends: TOO_DEEP },
  {
    name: "selectors in selectors",
    engine: "vue",
    source: nested(":is(", "a", ")", (t) => `${template("x")}<style scoped>${t}{}</style>`),
    ends: TOO_DEEP,
  },
  { name: "an enum that doubles", engine: "vue", source: setup(ENUM), ends: TOO_MUCH },
  {
    name: "5,000 styles",
    engine: "vue",
    source: template("x") + "<style>a{}</style>".repeat(5_000),
    ends: "builds",
  },

  { name: "an enum that doubles", engine: "react", source: `${ENUM}${shown("1")}`, ends: TOO_MUCH },
  { name: "comparisons that could be types", engine: "react", source: ESBUILD_LOOPS, ends: TOO_MUCH },
  {
    name: "brackets that stay open",
    engine: "react",
    source: many("[", shown),
    ends: /Unexpected (end of file|"\)")|timed out|too much memory/,
  },
  {
    name: "elements that stay open",
    engine: "react",
    source: many("<b>", shown),
    ends: /Unexpected (end of file|"\)")|timed out|too much memory/,
  },
  { name: "not not not", engine: "react", source: many("!", (t) => shown(`${t}1`)), ends: TOO_MUCH },
  { name: "labels", engine: "react", source: many("a:", (t) => `${t}b;${shown("1")}`), ends: TOO_MUCH },

  { name: "an enum that doubles", engine: "kaboom", source: ENUM, ends: TOO_MUCH },
  {
    name: "brackets that stay open",
    engine: "kaboom",
    source: many("[", drawn),
    ends: /Unexpected (end of file|"\)")|timed out|too much memory/,
  },
  {
    name: "parentheses that stay open",
    engine: "kaboom",
    source: many("(", drawn),
    ends: /Unexpected (end of file|"\)")|timed out|too much memory/,
  },
  { name: "cases", engine: "kaboom", source: many("case a:", (t) => `switch (a) {${t}}`), ends: TOO_MUCH },
  { name: "50,000 faces", engine: "kaboom", source: many("\u{1F600}", (t) => drawn(`"${t}"`)), ends: "builds" },
];
