import assert from "node:assert/strict";
import { openCompiler } from "./scratch.ts";

Deno.test("tailwind: the classes that the source names, and no others", async () => {
  await using compiler = openCompiler();
  const { css, css_build_time, config } = await compiler.svelte(
    `<script>let on = $state(true); const more = ["mt-[3px]", 'md:grid-cols-[1fr_2fr]'];</script>
    <main class="flex hover:bg-red-500/50 {on ? 'dark:p-4' : 'p-2'}" class:underline={on}>
    <p class={["content-['→']", { italic: on, "group-hover:-mt-1": !on }]}>{more} rounded</p></main>`,
    "tailwind",
  );
  const present = [
    ".flex",
    ".underline",
    ".italic",
    ".rounded",
    ".p-2",
    ".dark\\:p-4",
    ".hover\\:bg-red-500\\/50",
    ".mt-\\[3px\\]",
    ".md\\:grid-cols-\\[1fr_2fr\\]",
    ".group-hover\\:-mt-1",
    ".content-\\[\\'→\\'\\]",
  ];
  assert.deepEqual(present.filter((name) => !css.includes(name)), []);
  assert.doesNotMatch(css, /\.grid\{|\.p-4\{|\.hidden\{|\n\s/);
  assert.match(css, /^(@layer properties;)?@layer theme,base,components,utilities;/);
  assert.ok(Number.isInteger(css_build_time) && css_build_time >= 1);
  assert.match(config.compiler.tailwindcss ?? "", /^4\./);
});

Deno.test("tailwind: its directives work in a component's styles, behind the engine's scoping", async () => {
  await using compiler = openCompiler();
  const { css } = await compiler.svelte(
    `<p class="text-brand big md:big">x</p>
    <style>
      @reference "tailwindcss"; @tailwind utilities;
      @theme { --color-brand: #123456; }
      @utility big { font-size: 9rem; }
      p { @apply px-4 bg-brand; &:hover { color: theme(colors.red.500) } @variant dark { margin: 1px } }
    </style>`,
    "tailwind",
  );
  assert.match(css, /--color-brand: ?#123456/);
  assert.match(css, /\.text-brand\{color:var\(--color-brand\)\}/);
  assert.match(css, /\.big\{font-size:9rem\}/);
  assert.match(
    css,
    /p\.svelte-\w+\{background-color:var\(--color-brand\);padding-inline:calc\(var\(--spacing\) \* 4\)/,
  );
  assert.doesNotMatch(css, /@apply|@theme|@utility|@variant|@reference|@tailwind/);
});

Deno.test("tailwind: an app that imports Tailwind itself gets what it asks for, once", async () => {
  await using compiler = openCompiler();
  const count = (css: string) => css.split("border:0 solid").length - 1;
  const whole = await compiler.svelte(
    `<p class="p-4">x</p><style>@import "tailwindcss" prefix(tw);</style>`,
    "tailwind",
  );
  assert.equal(count(whole.css), 1);
  assert.doesNotMatch(whole.css, /\.p-4/);
  const bare = `@import "tailwindcss/theme"; @import "tailwindcss/utilities.css";`;
  const { css } = await compiler.svelte(`<p class="p-4">x</p><style>${bare}</style>`, "tailwind");
  assert.equal(count(css), 0);
  assert.match(css, /\.p-4\{/);
});

Deno.test("tailwind_all: the browser build is a vendor file, and directives reach it", async () => {
  await using compiler = openCompiler();
  const plain = await compiler.svelte(`<p class="p-4">x</p><style>p { color: red }</style>`, "tailwind_all");
  assert.equal(plain.css_build_time, 0);
  assert.match(plain.css, /color:red/);
  const [script = ""] = plain.scripts;
  const vendor = await compiler.vendor(script.replace("/vendor/", ""));
  assert.match(new TextDecoder().decode(vendor?.body), /text\/tailwindcss/);
  const applied = await compiler.svelte(`<p>x</p><style>p { @apply p-4 }</style>`, "tailwind_all");
  assert.equal(applied.css, "");
  assert.match(applied.code, /text\/tailwindcss/);
  assert.match(applied.code, /@apply p-4/);
});

Deno.test("none: no framework, no time for it", async () => {
  await using compiler = openCompiler();
  const { css, css_build_time, scripts } = await compiler.svelte(`<p class="p-4">x</p>`, "none");
  assert.deepEqual({ css, css_build_time, scripts }, { css: "", css_build_time: 0, scripts: [] });
});
