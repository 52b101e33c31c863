import assert from "node:assert/strict";
import * as browserBuild from "vue/dist/vue.runtime.esm-browser.prod.js";
import type { CssEngine } from "../../../server/compiler/compiler.ts";
import { compile } from "../../../server/compiler/engines/vue/vue.ts";
import { exportsOf, importsOf, openCompiler, sharedStore } from "./scratch.ts";

const APPS: Record<string, string> = {
  "a template alone": "<template><h1>{{ 1 + 1 }}</h1></template>",
  "a script alone":
    `<script>import { h } from "vue"; export default { render: () => h("p", "x"), template: "x" };</script>`,
  "a counter":
    `<script setup>import { computed, ref } from "vue"; const n = ref(0); const twice = computed(() => n.value * 2);
    </script><template><button @click="n++">{{ n }} {{ twice }}</button></template>`,
  "options": `<script>export default { props: ["a"], data: () => ({ n: 1 }), computed: { b() { return this.n } },
    watch: { n() {} }, methods: { inc() { this.n++ } }, mounted() { this.$refs.p.focus() } };</script>
    <template><p ref="p" @click="inc">{{ n }}{{ b }}{{ a }}</p></template>`,
  "options in TypeScript, with components of their own": `<script lang="ts">import { defineComponent, h } from "vue";
    interface Item { name: string } const Child = defineComponent({ props: { a: Number }, render() { return h("b") } });
    export default defineComponent({ components: { Child }, setup() { const all: Item[] = []; return { all } } });</script>
    <template><Child v-for="item in (all as any[])" :key="item!.name" :a="1" /></template>`,
  "a class as the default export": "<script>export default class App { static render() {} }</script>",
  "two scripts, generic, in TypeScript":
    `<script lang="ts">export const LIMIT = 3; export default { inheritAttrs: false }
    </script><script setup lang="ts" generic="T extends string"><!-- --></script>
    <template><App v-if="LIMIT > 4" /></template>`.replace("<!-- -->", "defineProps<{ tag?: T }>()"),
  "every macro": `<script setup lang="ts">import { type Ref, ref } from "vue";
    enum Kind { A } const props = withDefaults(defineProps<{ a?: number; kind?: Kind }>(), { a: 1 });
    defineOptions({ name: "Other" }); const model = defineModel<string>(); const all: Ref<number> = ref(0);
    const emit = defineEmits<{ change: [id: number] }>(); defineExpose({ all });
    const slots = defineSlots<{ default(p: { a: number }): unknown }>();</script>
    <template><input v-model="model" @input="emit('change', props.a satisfies number)"><slot :a="all as number" /></template>`,
  "props by destructuring": `<script setup>const { a = 1, ...rest } = defineProps({ a: Number, b: String });</script>
    <template>{{ a }}{{ rest.b }}</template>`,
  "built-in components and directives":
    `<script setup>import { ref } from "vue"; const on = ref(true), list = ref([1]), x = ref("Foo");
    const vFocus = { mounted: (el) => el.focus() };</script>
    <template><Transition name="a"><p v-if="on" v-focus>x</p></Transition>
    <TransitionGroup><i v-for="n in list" :key="n" v-memo="[n]">{{ n }}</i></TransitionGroup>
    <KeepAlive><component :is="x" /></KeepAlive><Teleport to="body"><b v-show="on" v-html="x" /></Teleport>
    <Suspense><template #fallback>wait</template><Foo v-once /></Suspense>
    <select v-model.number="x"><option v-for="n of 3">{{ n }}</option></select><input type="radio" v-model="x"></template>`,
  "the platform": `<script setup>import { context } from "platform";</script><template>{{ context }}</template>`,
};

Deno.test("vue: apps import names that the vendor files have", async () => {
  await using app = openVue();
  for (const [name, source_code] of Object.entries(APPS)) {
    const { code, imports, scripts } = await app.vue(source_code);
    assert.deepEqual(scripts, [], name);
    const imported = importsOf(code);
    assert.ok(imported.size > 0, name);
    for (const [file, names] of imported) {
      assert.ok(imports.includes(`/vendor/${file}`), name);
      const vendor = await app.compiler.vendor(file);
      assert.ok(vendor, `${name}: ${file}`);
      const there = exportsOf(vendor);
      assert.deepEqual([...names].filter((each) => !there.has(each)), [], name);
    }
  }
});

Deno.test("vue: every export of Vue's browser build can be imported, except the compiler", async () => {
  await using app = openVue();
  const names = Object.keys(browserBuild).filter((name) => name !== "compile");
  assert.ok(names.length > 150);
  const { code } = await app.vue(`<script>import { ${names} } from "vue"; export default { a: [${names}] };</script>`);
  const found = [...importsOf(code).values()].reduce((sum, { size }) => sum + size, 0);
  assert.equal(found, names.length);
});

Deno.test("vue: a small app is small, and its runtime is Vue's for production, without tools of development", async () => {
  await using app = openVue();
  const { config, imports } = await app.vue("<template><h1>Hello</h1></template>");
  assert.ok(config.size.brotli < 250, `${config.size.brotli} bytes`);
  const files = await Promise.all(imports.map((file) => app.compiler.vendor(file.slice("/vendor/".length))));
  const size = files.reduce((sum, file) => sum + (file?.brotli.length ?? Infinity), 0);
  assert.ok(size < 44_000, `${size} bytes`);
  const text = files.map((file) => new TextDecoder().decode(file?.body)).join("\n");
  assert.match(text, /^\/\* vue 3\.\d+\.\d+, MIT licence/);
  assert.doesNotMatch(text, /__VUE_(?:OPTIONS|PROD)|process\.env/);
});

Deno.test("vue: only an async setup is mounted inside a Suspense", async () => {
  await using app = openVue();
  const waits = (body: string) =>
    app.vue(body).then(({ code }) => /\.mount\("#platform-app"\)/.test(code) && code.length);
  const plain = await waits(`<script setup>const a = 1;</script><template>{{ a }}</template>`);
  const { code } = await app.vue(`<script setup>const a = await 1;</script><template>{{ a }}</template>`);
  assert.match(code, /async setup\(/);
  assert.match(code, /\(\(\)=>[\w$]+\([\w$]+,null,[\w$]+\([\w$]+\)\)\)\.mount\("#platform-app"\)/);
  assert.ok(plain && plain < code.length);
  const { code: options } = await app.vue("<script>export default { async setup() {} }</script><template>x</template>");
  assert.match(options, /,null,/);
});

Deno.test("vue: scoped styles, with all that reaches out of them", async () => {
  await using app = openVue();
  const { code, css } = await app.vue(
    `<template><p class="a">x</p></template>
    <style scoped>
      @import url("https://fonts.test/a.css");
      .a { color: red; animation: turn 1s } .a :deep(.b) { top: 0 } .c :slotted(p) { top: 1px } :global(.d) { top: 2px }
      @keyframes turn { to { left: 1px } }
    </style>
    <style>.e { top: 3px }</style>
    <docs>Not a part of the app</docs>`,
  );
  const [, id = ""] = /__scopeId="data-v-([0-9a-f]{8})"/.exec(code) ?? [];
  assert.match(id, /./);
  assert.equal(
    css.replaceAll(id, "ID"),
    '@import"https://fonts.test/a.css";.a[data-v-ID]{color:red;animation:turn-ID 1s}.a[data-v-ID] .b{top:0}' +
      ".c p[data-v-ID-s]{top:1px}.d{top:2px}@keyframes turn-ID{to{left:1px}}.e{top:3px}",
  );
});

Deno.test("vue: CSS modules have separate names", async () => {
  await using app = openVue();
  const { code, css } = await app.vue(
    `<script setup>import { useCssModule } from "vue"; const other = useCssModule("other");</script>
    <template><p :class="[$style.red, other.red]">x</p></template>
    <style module>
      .red { composes: base; composes: plain from global; color: red; &:hover { top: 0 } } .base { top: 1px }
      :global(.glob) .loc:not(.x, :global .y), :local(.z) #id { top: 2px } [a=".b]"] .c\\:d { animation: 1s spin }
      @keyframes spin { 12.5% { left: 0 } }
    </style>
    <style module="other">.red { top: 3px }</style>
    <style module scoped>.mine, :global(.theirs) { top: 4px }</style>`,
  );
  const [, id = ""] = /"_red_([0-9a-f]{8}) _base/.exec(code.replaceAll(/red:"/g, '"')) ?? [];
  const text = (code + css).replaceAll(id, "ID");
  for (
    const part of [
      '$style:{spin:"_spin_ID",red:"_red_ID _base_ID plain",base:"_base_ID",loc:"_loc_ID",x:"_x_ID",z:"_z_ID",id:"_id_ID","c:d":"_c:d_ID",mine:"_mine_ID"}',
      'other:{red:"_red_ID1"}',
      "._red_ID{color:red}._red_ID:hover{top:0}._base_ID{top:1px}",
      ".glob ._loc_ID:not(._x_ID,.y),._z_ID #_id_ID{top:2px}",
      '[a=".b]"] ._c\\:d_ID{animation:1s _spin_ID}@keyframes _spin_ID{12.5%{left:0}}',
      "._red_ID1{top:3px}",
      "._mine_ID[data-v-ID],.theirs{top:4px}",
    ]
  ) assert.ok(text.includes(part), `${part}\nis not in\n${text}`);
});

Deno.test("vue: v-bind() in styles, for both ways to write a script", async () => {
  await using app = openVue();
  const styles =
    `<style scoped>p { color: v-bind("theme.color"); top: v-bind(top) }</style><template><p>x</p></template>`;
  for (
    const script of [
      `<script setup>const theme = { color: "red" }, top = "1px";</script>`,
      `<script>export default { data: () => ({ theme: { color: "red" }, top: "1px" }) }</script>`,
    ]
  ) {
    const { code, css } = await app.vue(script + styles);
    const names = [...css.matchAll(/var\(--(v?[0-9a-f]+)\)/g)].map(([, name = ""]) => name);
    assert.equal(names.length, 2);
    for (const name of names) assert.match(code, new RegExp(`"?${name}"?:`));
  }
});

Deno.test("vue: Tailwind's directives work in scoped styles and in modules", async () => {
  await using app = openVue();
  const { css } = await app.vue(
    `<template><p class="text-brand big" :class="$style.box">x</p></template>
    <style scoped>
      @reference "tailwindcss";
      @theme { --color-brand: #123456; --animate-turn: turn 1s; @keyframes turn { to { rotate: 1turn } } }
      @utility big { font-size: 9rem; &:hover { top: 1px } }
      p { color: red; @apply px-4 animate-turn text-brand; &:hover { color: theme(colors.red.500) } @variant dark { @apply p-2; } }
    </style>
    <style module>.box { @apply mt-2; }</style>`,
    "tailwind",
  );
  const text = css.replaceAll(/[0-9a-f]{8}(?=[\]{])/g, "ID");
  assert.match(text, /--color-brand: ?#123456/);
  assert.match(text, /\.text-brand\{color:var\(--color-brand\)\}/);
  assert.match(text, /\.big\{font-size:9rem\}\.big:hover\{top:1px\}/);
  assert.match(text, /@keyframes turn\{/);
  assert.match(
    text,
    /p\[data-v-ID\]\{color:red;animation:var\(--animate-turn\);padding-inline:calc\(var\(--spacing\) \* 4\);color:var\(--color-brand\)\}p\[data-v-ID\]:hover\{color:#/,
  );
  assert.match(text, /@media\(prefers-color-scheme:dark\)\{p\[data-v-ID\]\{padding:calc/);
  assert.match(text, /\._box_ID\{margin-top:calc/);
  assert.doesNotMatch(text, /@apply|@theme|@utility|@variant|@reference/);
});

Deno.test("vue: directives reach Tailwind in the page with their scope", async () => {
  await using app = openVue();
  const { code, css, scripts } = await app.vue(
    `<template><p class="b">x</p></template><style scoped>.b { @apply p-4 }</style>`,
    "tailwind_all",
  );
  assert.equal(css, "");
  assert.equal(scripts.length, 1);
  assert.match(code, /text\/tailwindcss/);
  assert.match(code, /\.b\[data-v-[0-9a-f]{8}\] \{\s*@apply p-4/);
});

Deno.test("vue: the fields of a build, with the warnings of each part", async () => {
  await using app = openVue();
  const source = `<template>
  <p><div>x</div></p><!-- not kept -->
</template>
<script setup lang="ts">
const { a = 1 } = withDefaults(defineProps<{ a?: number }>(), { a: 2 });
const Child = { template: "<p>x</p>" };
</script>
<style scoped>.a
  >>> .b { top: 0 }</style>`;
  const { code, app_build_time, css_build_time, config } = await app.vue(source);
  assert.doesNotMatch(code, /not kept/);
  assert.ok(Number.isInteger(app_build_time) && app_build_time >= 1);
  assert.equal(css_build_time, 0);
  assert.deepEqual(Object.keys(config.compiler), ["vue", "@vue/compiler-sfc", "esbuild"]);
  const places = config.warnings.map((warning) => warning.split(" ").slice(0, 6).join(" "));
  assert.deepEqual(places, [
    "9:3 the >>> and /deep/ combinators",
    "2:6 <div> cannot be child of",
    "5:19 withDefaults() is unnecessary when using",
    "6:17 A template in a string",
  ]);
});

Deno.test("vue: the same source makes the same build, the same styles the same scope", async () => {
  const source = "<template><p>x</p></template><style scoped>p { top: 0 }</style>";
  const first = await compile(source);
  const again = await compile(source);
  assert.deepEqual([again.css, again.author], [first.css, first.author]);
  assert.equal((await compile(source.replace("x", "y"))).css, first.css);
  const scopeOf = (css: string) => /data-v-\w+/.exec(css)?.[0];
  assert.notEqual(scopeOf((await compile(source.replace("top", "left"))).css), scopeOf(first.css));
});

/** One compiler for all tests: building the runtime takes seconds. */
const vendor_store = sharedStore();

function openVue() {
  const compiler = openCompiler({ vendor_store });
  return {
    compiler,
    vue: (source_code: string, css_engine: CssEngine = "none") =>
      compiler.compile({ engine: "vue", css_engine, source_code }),
    [Symbol.asyncDispose]: () => compiler.close(),
  };
}
