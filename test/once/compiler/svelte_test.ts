import assert from "node:assert/strict";
import { exportsOf, importsOf, openCompiler } from "./scratch.ts";

const MODULES = {
  svelte: ["onMount", "tick", "setContext"],
  "svelte/animate": ["flip"],
  "svelte/attachments": ["createAttachmentKey"],
  "svelte/easing": ["cubicOut"],
  "svelte/events": ["on"],
  "svelte/legacy": ["run"],
  "svelte/motion": ["Tween", "spring"],
  "svelte/reactivity": ["SvelteMap", "MediaQuery"],
  "svelte/reactivity/window": ["innerWidth"],
  "svelte/store": ["writable", "get"],
  "svelte/transition": ["fade", "slide"],
};

/** `files`: how many vendor files of the runtime the app loads. */
const APPS: Record<string, { source: string; files: number }> = {
  "text": { source: "<h1>Hello</h1><p>there</p>", files: 1 },
  "a counter with runes": {
    source:
      `<script>let n = $state(0); let twice = $derived(n * 2)</script><button onclick={() => n++}>{n} {twice}</button>`,
    files: 1,
  },
  "a todo list": {
    source:
      `<script>let all = $state([]); let text = $state(""); const left = $derived(all.filter(({ done }) => !done).length);
      const add = (event) => { event.preventDefault(); all.push({ text, done: false }); text = ""; };</script>
      <form onsubmit={add}><input bind:value={text} placeholder="What?"><button disabled={!text}>Add</button></form>
      {#each all as item (item)}<label class:done={item.done}><input type="checkbox" bind:checked={item.done}>{item.text}</label>
      <button onclick={() => all = all.filter((other) => other !== item)}>x</button>{:else}<p>None</p>{/each}
      {#if left > 0}<p style:opacity={left / 10}>{left} left</p>{/if}`,
    files: 1,
  },
  "a list with bindings, classes and effects": {
    source: `<script>let all = $state([]); let text = $state(""); $effect(() => console.log(all.length));</script>
      <input bind:value={text}><button onclick={() => all.push({ text, done: false })}>+</button>
      {#each all as item (item)}<label class={{ done: item.done }}><input type="checkbox" bind:checked={item.done}>{item.text}</label>
      {:else}<p style:color="red">None</p>{/each}{#await Promise.resolve(1) then one}{@html one}{/await}`,
    files: 2,
  },
  "a legacy component": {
    source:
      `<script>export let n = 1; $: twice = n * 2;</script><button on:click={() => n += 1}>{twice}<slot /></button>`,
    files: 2,
  },
  "a legacy component that waits": {
    source: `<script>import { onMount } from "svelte"; let n = 0; onMount(async () => { n = await Promise.resolve(1) });
      </script>{n}{#await Promise.resolve(2) then two}{two}{/await}`,
    files: 3,
  },
  "TypeScript": {
    source: `<script lang="ts">import type { Snippet } from "svelte"; interface P { a?: number; children?: Snippet }
      let { a = 1, children }: P = $props(); const b = a as number satisfies number;</script>{b}{@render children?.()}`,
    files: 2,
  },
  "await in a component": { source: `<script>let n = $derived(await Promise.resolve(1))</script>{n}`, files: 2 },
  "a transition": {
    source:
      `<script>import { fade } from "svelte/transition"; let on = $state(true)</script>{#if on}<p transition:fade>x</p>{/if}`,
    files: 2,
  },
};

Deno.test("svelte: apps import names that the vendor files have, and only the parts of the runtime that they use", async () => {
  await using compiler = openCompiler();
  for (const [name, { source, files }] of Object.entries(APPS)) {
    const { code, imports, scripts } = await compiler.svelte(source);
    const imported = importsOf(code);
    assert.deepEqual([...imported.keys()].filter((file) => !imports.includes(`/vendor/${file}`)), [], name);
    assert.equal(imports.length, files, name);
    assert.deepEqual(scripts, []);
    for (const [file, names] of imported) {
      const vendor = await compiler.vendor(file);
      assert.ok(vendor, `${name}: ${file}`);
      const there = exportsOf(vendor);
      assert.deepEqual([...names].filter((each) => !there.has(each)), [], name);
    }
  }
});

Deno.test("svelte: every public module can be imported, and all share one runtime", async () => {
  await using compiler = openCompiler();
  const files = await Promise.all(
    Object.entries(MODULES).map(async ([specifier, names]) => {
      const { code, imports } = await compiler.svelte(
        `<script>import { ${names.join(", ")} } from "${specifier}"; console.log(${names.join(", ")});</script>`,
      );
      const found = [...importsOf(code).values()].reduce((sum, { size }) => sum + size, 0);
      assert.ok(found >= names.length, specifier);
      return imports;
    }),
  );
  assert.equal(new Set(files.flat()).size, 6);
  const [lowest] = (await compiler.svelte(APPS["a todo list"]?.source ?? "")).imports;
  assert.ok(files.every((imports) => imports.includes(lowest ?? "")));
});

Deno.test("svelte: text and counter apps load a smaller runtime if it has everything they need", async () => {
  await using compiler = openCompiler();
  const COUNTER = "<script>let n = $state(0)</script><button onclick={() => n++}>{n}</button>";
  const importsOf = async (source: string) => (await compiler.svelte(source)).imports;
  const [text] = await importsOf("<p>text</p>");
  const [counter] = await importsOf(COUNTER);
  const both = await importsOf(`${COUNTER}{#if true}<p>text</p>{/if}`);
  assert.deepEqual(await importsOf("<h1>other</h1><p>text</p>"), [text]);
  assert.equal(new Set([text, counter, ...both]).size, 3);
  // An import of another runtime must not change the edition.
  const [first, second] = await importsOf(`<script>import { user } from "platform"; let n = $state(0)</script>
    <button onclick={() => n++}>{n} {user}</button>`);
  assert.ok(first === counter || second === counter);
});

/** Bytes with brotli. Vite's build of the first two, with the app in it, has 8,338 and 9,147. */
const SIZES: { name: string; source: string; app: number; runtime: number }[] = [
  { name: "text", source: "<h1>Hello</h1>", app: 150, runtime: 8_400 },
  {
    name: "a counter",
    source: "<script>let n = $state(0)</script><button onclick={() => n++}>Hello {n}</button>",
    app: 240,
    runtime: 9_200,
  },
  { name: "a todo list", source: APPS["a todo list"]?.source ?? "", app: 750, runtime: 14_500 },
];

Deno.test("svelte: a small app and its runtime are small", async () => {
  await using compiler = openCompiler();
  for (const { name, source, app, runtime } of SIZES) {
    const { config, imports } = await compiler.svelte(source);
    assert.ok(config.size.brotli <= app, `${name}: ${config.size.brotli} bytes`);
    const files = await Promise.all(imports.map((path) => compiler.vendor(path.slice("/vendor/".length))));
    const size = files.reduce((sum, file) => sum + (file?.brotli.length ?? NaN), 0);
    assert.ok(size <= runtime, `${name}: ${size} bytes of runtime`);
  }
});

Deno.test("svelte: the fields of a build", async () => {
  await using compiler = openCompiler();
  const source = `<img src="x.png">\n<style>p { color: red; } img { color: red; }</style>`;
  const { code, css, app_build_time, css_build_time, config } = await compiler.svelte(source);
  assert.match(css, /^img\.svelte-\w+\{color:red\}$/);
  assert.ok(Number.isInteger(app_build_time) && app_build_time >= 1);
  assert.equal(css_build_time, 0);
  assert.deepEqual(Object.keys(config.compiler), ["svelte", "esbuild"]);
  assert.match(config.compiler.svelte ?? "", /^5\.\d+\.\d+$/);
  assert.match(config.source_hash, /^[0-9a-f]{64}$/);
  assert.equal(config.size.raw, new TextEncoder().encode(code + css).length);
  assert.deepEqual(config.warnings, [
    "1:1 `<img>` element should have an alt attribute",
    '2:8 Unused CSS selector "p"',
  ]);
});
