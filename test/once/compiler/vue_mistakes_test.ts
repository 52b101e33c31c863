import { type Mistake, proveMistakes } from "./mistakes.ts";

const SCRIPT: Mistake[] = [
  {
    name: "a missing value",
    source: "<script setup>\nlet a = ;\n</script>",
    says: ["2:9 Unexpected token\nlet a = ;\n        ^"],
  },
  {
    name: "two values, in TypeScript, behind a template",
    source: `<template>x</template>\n<script lang="ts">\nexport default { data(): number { return 1 2 } }\n</script>`,
    says: [/^3:43 Missing semicolon\.\n/],
  },
  {
    name: "types without lang",
    source: "<script setup>\nconst f = (a: string) => a;\n</script>",
    says: [/^2:13 Types need <script lang="ts">\n/],
  },
  {
    name: "types without lang, at the start of a line",
    source: "<script setup>\ninterface A { b: string }\n</script>",
    says: ['2:1 Types need <script lang="ts">\ninterface A { b: string }\n^'],
  },
  {
    name: "JSX",
    source: "<script setup>\nconst a = <p>x</p>;\n</script>",
    says: [/^2:11 JSX is not supported: write a <template>, or call h\(\)\n/],
  },
  {
    name: "a name twice",
    source: "<script setup>const a = 1;\nconst a = 2;\n</script>",
    says: [/^2:7 Identifier 'a' has already been declared\.\n/],
  },
  {
    name: "assigning to a constant",
    source: "<script>\nconst a = 1;\nexport default { setup() { a = 3; } }\n</script>",
    says: [/^3:28 Cannot assign to "a" because it is a constant\n/],
  },
  {
    name: "imports, reported together, after multi-byte characters",
    source:
      `<script setup>\nconst żółć = "😀"; import a from "./a.js";\n\timport b from "lodash"; import { ref } from "vue";\n` +
      "</script>\n<template>{{ a }}{{ b }}{{ żółć }}</template>",
    says: [
      /^2:34 "\.\/a\.js" cannot be imported; an app may import vue, platform\n/,
      /^3:16 "lodash" cannot be imported; .*\n\timport b from "lodash";.*\n\t {14}\^$/,
    ],
  },
  {
    name: "an import in a line with the default export",
    source: `<script>export default { components: { A: () => import("./A.vue") } };</script>`,
    says: [/^1:56 "\.\/A\.vue" cannot be imported/],
  },
  {
    name: "names that vue does not have",
    source:
      `<script setup>\nimport Vue, { ref, createAp, compile } from "vue";\nref(Vue, createAp, compile);\n</script>`,
    says: [
      /^2:8 "vue" has no export "default"\n/,
      '2:20 "vue" has no export "createAp"\nimport Vue, { ref, createAp, compile } from "vue";\n                   ^',
      /^2:30 "vue" has no export "compile"\n/,
    ],
  },
  {
    name: "defineProps twice",
    source: `<script setup>\ndefineProps(["a"]);\ndefineProps(["b"]);\n</script>`,
    says: [/^3:1 duplicate defineProps\(\) call\n/],
  },
  {
    name: "a prop's default that belongs to setup",
    source: `<script setup>\nconst x = Math.random();\ndefineProps({ a: { default: x } });\n</script>`,
    says: [/^3:29 `defineProps\(\)` in <script setup> cannot reference locally declared variables/],
  },
  {
    name: "a macro by another name",
    source: `<script setup>\nimport { defineProps as x } from "vue";\n</script>`,
    says: [/^2:10 `defineProps` is a compiler macro and cannot be aliased/],
  },
  {
    name: "props of a type that is elsewhere",
    source: `<script setup lang="ts">\nimport type { P } from "vue";\ndefineProps<P>();\n</script>`,
    says: [/^3:13 Types from other modules cannot be read here: declare what a macro needs in this file\n/],
  },
  {
    name: "an export in <script setup>",
    source: "<script setup>\n  export default {};\n</script>",
    says: [/^2:3 <script setup> cannot contain ES module exports/],
  },
];

const TEMPLATE: Mistake[] = [
  {
    name: "an unclosed element",
    source: "<template>\n  <main><p>x</main>\n</template>",
    says: ["2:9 Element is missing end tag.\n  <main><p>x</main>\n        ^"],
  },
  {
    name: "a wrong closing tag",
    source: "<template>\n<div></span></div>\n</template>",
    says: [/^2:6 Invalid end tag\.\n/],
  },
  {
    name: "an attribute twice",
    source: `<template>\n  <p a="1" a="2">x</p>\n</template>`,
    says: ['2:12 Duplicate attribute.\n  <p a="1" a="2">x</p>\n           ^'],
  },
  {
    name: "an interpolation without its end",
    source: "<template>\n  <p>{{ x</p>\n</template>",
    says: [
      /^1:1 Element is missing end tag\./,
      /^2:3 Element is missing end tag\./,
      /^2:6 Interpolation end sign was not found\.\n/,
    ],
  },
  {
    name: "expressions in several lines, reported together",
    source:
      `<template>\n  <p :class="{ a: x" @click="x = ">{{ x.y. }}</p>\n  <p\n    :b="x +\n      y z">x</p>\n</template>`,
    says: [
      /^2:20 Error parsing JavaScript expression: Unexpected token, expected ","\n/,
      /^2:34 Error parsing JavaScript expression: Unexpected token\n/,
      /^2:43 Error parsing JavaScript expression: Unexpected token\n/,
      '5:9 Error parsing JavaScript expression: Unexpected token, expected ","\n      y z">x</p>\n        ^',
    ],
  },
  {
    name: "directives, reported together",
    source:
      `<script setup>\nconst a = 1; defineProps(["b"]);\n</script>\n<template>\n  <p v-for="x">x</p>\n  <input v-model="a">\n` +
      `  <input v-model="b"><input v-model="c + 1">\n  <p v-else>x</p><p :d="">x</p>\n</template>`,
    says: [
      /^5:6 v-for has invalid expression\.\n/,
      /^6:19 v-model cannot be used on a const binding because it is not writable\.\n/,
      /^7:19 v-model cannot be used on a prop, .* variable\.\n {2}<input/,
      /^7:38 v-model value must be a valid JavaScript member expression\.\n/,
      /^8:3 v-else\/v-else-if has no adjacent v-if or v-else-if\.\n/,
      /^8:21 v-bind is missing expression\.\n/,
    ],
  },
  {
    name: "types without lang",
    source: "<script setup>let x = 1</script>\n<template>\n  <p>{{ (x as any).y }}</p>\n</template>",
    says: ['3:12 Expected ")" but found "as"\n  <p>{{ (x as any).y }}</p>\n           ^'],
  },
  {
    name: "types without lang, for options",
    source: "<template>\n  <p>{{ (x as any).y }}</p>\n</template>\n<script>export default {}</script>",
    says: [/^2:12 Expected "\)" but found "as"\n/],
  },
  {
    name: "slots",
    source:
      "<template><KeepAlive><p/><p/></KeepAlive>\n<A><template #a>x</template><template #a>y</template></A></template>",
    says: [/^1:22 <KeepAlive> expects exactly one child component\.\n/, /^2:39 Duplicate slot names found\.\n/],
  },
];

const STYLE: Mistake[] = [
  {
    name: "an unclosed rule",
    source: "<template>x</template>\n<style>\n p { color: red\n</style>",
    says: ["3:2 Unclosed block\n p { color: red\n ^"],
  },
  {
    name: "a missing colon, and a bracket too many",
    source: "<template>x</template>\n<style>p { color red }</style>\n<style scoped>.b { } } .c {</style>",
    says: [/^2:12 Unknown word color\n/, /^3:22 Unexpected }\n/],
  },
  {
    name: "an expression",
    source: "<template>x</template>\n<script setup>let a</script>\n<style>p { color: v-bind('a.'); }</style>",
    says: [/^3:29 Unexpected token\n/],
  },
  {
    name: "an expression, for options",
    source: "<template>x</template>\n<script>export default {}</script>\n<style>p { color: v-bind(a b); }</style>",
    says: [/^3:28 Unexpected token, expected ","\n/],
  },
  {
    name: "composed classes of a module",
    source: "<template>x</template>\n<style module>\n  .a { composes: c; }\n</style>\n" +
      `<style module>.a .b { composes: c }</style>\n<style module>.a { composes: c from "./c.css" }</style>`,
    says: [
      /^3:8 "c" is not a class of this block\n/,
      /^5:23 composes is for rules of a single class\n/,
      /^6:20 composes takes from this block or from global\n/,
    ],
  },
  {
    name: "a value of a module",
    source: "<template>x</template>\n<style module>\n@value a: red;\n</style>",
    says: [/^3:1 @value is not supported: custom properties \(--name\) are\n/],
  },
  {
    name: "a class that is not there",
    source: "<template>x</template>\n<style scoped>\n  p { @apply px-4 paddding-4; }\n</style>",
    css: "tailwind",
    says: [/^3:19 Cannot apply unknown utility class `paddding-4`\n/],
  },
  {
    name: "an import and a class",
    source: `<script setup>import a from "a"; a</script>\n<style module>p { @apply nope; }</style>`,
    css: "tailwind",
    says: [/^1:29 "a" cannot be imported/, /^2:26 Cannot apply unknown utility class `nope`/],
  },
];

const BLOCKS: Mistake[] = [
  {
    name: "nothing",
    source: "",
    says: [/^1:1 At least one <template> or <script> is required in a single file component\.\n/],
  },
  {
    name: "a page of HTML",
    source: "<h1>Hello</h1>\n<style>h1 { color: red }</style>",
    says: ["1:1 At least one <template> or <script> is required in a single file component.\n<h1>Hello</h1>\n^"],
  },
  {
    name: "languages, reported together",
    source: `<script setup lang="tsx">x</script>\n<template lang="pug">p</template>\n` +
      `<style scoped lang="scss">p { a { b: c } }</style>\n<style lang='postcss'>p {}</style>`,
    says: [
      /^1:15 lang="tsx" is not supported: <script> takes js or ts\n/,
      /^2:11 lang="pug" is not supported: <template> takes html\n/,
      /^3:15 lang="scss" is not supported: <style> takes css\n/,
      /^4:8 lang="postcss" is not supported: <style> takes css\n/,
    ],
  },
  {
    name: "two of a kind",
    source: "<script setup>let a</script>\n<script setup>let b</script>\n<template>a</template><template>b</template>",
    says: [
      /^2:1 Single file component can contain only one <script setup> element\n/,
      /^3:23 Single file component can contain only one <template> element\n/,
    ],
  },
  {
    name: "two languages",
    source: `<script>export const a = 1;</script>\n<script setup lang="ts">a</script>`,
    says: [/^2:15 <script> and <script setup> must have the same lang\n/],
  },
  {
    name: "all kinds together, in the order of the source",
    source:
      "<style>p { color red }</style>\n<template>\n  <p>{{ a. }}</p><b\n</template>\n<script setup>\nlet a = ;\n</script>",
    says: [/^1:12 Unknown word/, /^3:11 Error parsing/, /^3:18 Element is missing/, /^6:9 Unexpected token/],
  },
];

Deno.test("vue: each mistake of a script has its place in the author's source", async (test) => {
  await proveMistakes(test, "vue", SCRIPT);
});

Deno.test("vue: each mistake of a template has its place in the author's source", async (test) => {
  await proveMistakes(test, "vue", TEMPLATE);
});

Deno.test("vue: each mistake of a style has its place in the author's source", async (test) => {
  await proveMistakes(test, "vue", STYLE);
});

Deno.test("vue: mistakes in every kind of block have positions in the author's source", async (test) => {
  await proveMistakes(test, "vue", BLOCKS);
});

Deno.test("vue: lines that end as on Windows", async (test) => {
  await proveMistakes(test, "vue", [{
    name: "of each block",
    source:
      "<script setup>\r\ninterface A {}\r\n</script>\r\n<template>\r\n  <p>{{ b. }}</p>\r\n</template>\r\n<style>\r\np { a b }\r\n</style>",
    says: [/^2:1 Types need/, /^5:11 Error parsing/, "8:5 Unknown word a\np { a b }\n    ^"],
  }, {
    name: "found by the bundler",
    source: `<script setup>\r\nlet c;\r\nimport a from "./a"; a;\r\n</script>`,
    says: [/^3:15 "\.\/a" cannot be imported/],
  }]);
});
