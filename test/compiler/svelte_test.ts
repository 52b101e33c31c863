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

const APPS: Record<string, { source: string; rest: boolean }> = {
  "a counter with runes": {
    source:
      `<script>let n = $state(0); let twice = $derived(n * 2)</script><button onclick={() => n++}>{n} {twice}</button>`,
    rest: false,
  },
  "a list with bindings, classes and effects": {
    source: `<script>let all = $state([]); let text = $state(""); $effect(() => console.log(all.length));</script>
      <input bind:value={text}><button onclick={() => all.push({ text, done: false })}>+</button>
      {#each all as item (item)}<label class={{ done: item.done }}><input type="checkbox" bind:checked={item.done}>{item.text}</label>
      {:else}<p style:color="red">None</p>{/each}{#await Promise.resolve(1) then one}{@html one}{/await}`,
    rest: false,
  },
  "a legacy component": {
    source:
      `<script>export let n = 1; $: twice = n * 2;</script><button on:click={() => n += 1}>{twice}<slot /></button>`,
    rest: false,
  },
  "TypeScript": {
    source: `<script lang="ts">import type { Snippet } from "svelte"; interface P { a?: number; children?: Snippet }
      let { a = 1, children }: P = $props(); const b = a as number satisfies number;</script>{b}{@render children?.()}`,
    rest: false,
  },
  "await in a component": { source: `<script>let n = $derived(await Promise.resolve(1))</script>{n}`, rest: false },
  "a transition": {
    source:
      `<script>import { fade } from "svelte/transition"; let on = $state(true)</script>{#if on}<p transition:fade>x</p>{/if}`,
    rest: true,
  },
};

Deno.test("svelte: apps import names that the vendor files have, and unusual parts only where they are used", async () => {
  await using compiler = openCompiler();
  for (const [name, { source, rest }] of Object.entries(APPS)) {
    // deno-lint-ignore no-await-in-loop -- one worker
    const { code, imports, scripts } = await compiler.svelte(source);
    const imported = importsOf(code);
    assert.deepEqual(imports.toSorted(), [...imported.keys()].map((file) => `/vendor/${file}`).toSorted(), name);
    assert.equal(imports.length, rest ? 2 : 1, name);
    assert.deepEqual(scripts, []);
    for (const [file, names] of imported) {
      // deno-lint-ignore no-await-in-loop
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
  assert.equal(new Set(files.flat()).size, 2);
});

Deno.test("svelte: a small app is small", async () => {
  await using compiler = openCompiler();
  const { config, imports: [common = ""] } = await compiler.svelte("<h1>Hello</h1>");
  assert.ok(config.size.brotli < 250, `${config.size.brotli} bytes`);
  const runtime = await compiler.vendor(common.slice("/vendor/".length));
  assert.ok(runtime && runtime.brotli.length < 32_000, `${runtime?.brotli.length} bytes`);
});

Deno.test("svelte: what a build tells of itself", async () => {
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
