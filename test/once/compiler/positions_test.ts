/** Builds with positions: places in the compiled code, found again in the author's source, for every way of building. */
import assert from "node:assert/strict";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Engine } from "../../../server/compiler/compiler.ts";
import { openCompiler, sharedStore } from "./scratch.ts";

/** Each has the names `mark_1` … as string literals, on different lines. */
const SOURCES: [name: string, engine: Engine, source: string][] = [
  [
    "runes, with a template literal of several lines",
    "svelte",
    `<script>
  import { onMount } from "svelte";
  let count = $state(0);
  const text = \`ż
    \${console.log("mark_1")}
  \`; const other = "mark_2";
  onMount(() => { throw new Error(text + other + count); });
</script>

<button onclick={() => { count++; console.log("mark_3"); }}>{count}</button>
`,
  ],
  [
    "an enum, which is converted first",
    "svelte",
    `<h1>x</h1>
<script lang="ts">
  enum Color { Red = "red" }
  const show = (color: Color): void => console.log("mark_1", color);
  show(Color.Red);
</script>
<p>{console.log("mark_2")}</p>
`,
  ],
  [
    "script setup",
    "vue",
    `<script setup>
import { ref, onMounted } from "vue";
const count = ref(0);
onMounted(() => console.log("mark_1"));
</script>
<template>
  <button @click="count++; log('mark_2')">{{ count }}</button>
</template>
`,
  ],
  [
    "options",
    "vue",
    `<template><p>{{ text }}</p></template>
<script>
export default {
  data: () => ({ text: "a" }),
  mounted() { console.log("mark_1"); },
};
</script>
`,
  ],
  [
    "shown by us",
    "react",
    `import { useState } from "react";
type Props = { a: number };
export default function App(_: Props) {
  const [count, set] = useState<number>(0);
  if (count > 3) throw new Error("mark_1");
  return <button onClick={() => { console.log("mark_2"); set(count + 1); }}>{count}</button>;
}
`,
  ],
  [
    "mounting itself",
    "react",
    `import { createRoot } from "react-dom/client";
import { useState } from "react"; const first = "mark_1"; console.log(first);
function App() { const [n] = useState(0); return <p>{n}</p>; }
console.log("mark_2");
createRoot(document.body).render(<App />);
`,
  ],
  ["below line separators", "react", `// \u2028\u2029\nexport default () => <p>{console.log("mark_1")}</p>;\n`],
  [
    "an enum below line separators",
    "svelte",
    `<script lang="ts">
  enum Color { Red = "red" } // \u2028
  console.log("mark_1", Color.Red);
</script>
`,
  ],
  ["a first line", "kaboom", `kaboom(); console.log("mark_1");\nadd([text("mark_2")]);\n`],
];

const placeOf = (text: string, mark: string) => {
  const before = text.slice(0, text.search(new RegExp(`["'\`]${mark}["'\`]`))).split("\n");
  return { line: before.length, column: before.at(-1)?.length ?? 0 };
};

for (const [name, engine, source_code] of SOURCES) {
  Deno.test(`positions: ${engine}, ${name}`, async () => {
    await using compiler = openCompiler({ vendor_store: sharedStore() });
    const source = { engine, css_engine: "none", source_code } as const;
    const plain = await compiler.compile(source);
    assert.equal(plain.positions, undefined);
    const build = await compiler.compile(source, 1, true);
    assert.equal(build.code, plain.code, "positions do not change the code");
    const map = new TraceMap({ version: 3, names: [], sources: ["app"], mappings: build.positions ?? "" });
    for (const [mark = ""] of source_code.matchAll(/mark_\d/g)) {
      // esbuild may join a literal with what is around it.
      const { line, column } = placeOf(build.code, mark);
      assert.ok(column > 0, `${mark} is in the code`);
      assert.equal(originalPositionFor(map, { line, column }).line, placeOf(source_code, mark).line, mark);
    }
    assert.equal(await compiler.compile(source, 1), build, "a save takes the preview's build from the cache");
    assert.equal(await compiler.compile(source, 2, true), build);
  });
}
