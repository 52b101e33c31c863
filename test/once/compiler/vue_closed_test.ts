import assert from "node:assert/strict";
import { CompileFailure, type CssEngine } from "../../../server/compiler/compiler.ts";
import { compile } from "../../../server/compiler/engines/vue/vue.ts";
import { openCompiler } from "./scratch.ts";

/** Components that try to read a file of the server, and the expected refusal. */
const secret = "/tmp/atrium_vue_secret.json";
const ATTEMPTS: { name: string; source: string; css?: CssEngine; says: RegExp }[] = [
  { name: "an import", source: `<script setup>import a from "${secret}"; a</script>`, says: /cannot be imported/ },
  { name: "an import of options", source: `<script>import a from "${secret}"; a</script>`, says: /cannot be imported/ },
  {
    name: "a file: address",
    source: `<script setup>import a from "file://${secret}"; a</script>`,
    says: /cannot be imported/,
  },
  {
    name: "as JSON",
    source: `<script setup>import a from "${secret}" with { type: "json" }; a</script>`,
    says: /import attributes are not supported/,
  },
  {
    name: "a dynamic import",
    source: `<template><p @click="import('${secret}')" /></template>`,
    says: /cannot be imported/,
  },
  {
    name: "require",
    source: `<script>export default { a: require("${secret}") }</script>`,
    says: /cannot be imported/,
  },
  {
    name: "an export from",
    source: `<script>export { default } from "${secret}"</script>`,
    says: /cannot be imported/,
  },
  { name: "a script's src", source: `<script src="${secret}"></script>`, says: /^1:9 src is not supported/ },
  {
    name: "a setup script's src",
    source: `<script setup src="${secret}"></script><template>x</template>`,
    says: /^1:15 src is not supported/,
  },
  { name: "a template's src", source: `<template src="${secret}" />`, says: /^1:11 src is not supported/ },
  {
    name: "a style's src",
    source: `<template>x</template><style src="${secret}"></style>`,
    says: /src is not supported/,
  },
  {
    name: "a type of another file",
    source: `<script setup lang="ts">import type { P } from "${secret}"; defineProps<P>()</script>`,
    says: /Types from other modules cannot be read here/,
  },
  {
    name: "a type of a relative file, extended",
    source:
      `<script setup lang="ts">import { P } from "../../../deno.json"; interface Q extends P {} defineProps<Q>()</script>`,
    says: /^1:\d+ Failed to resolve extends base type/,
  },
  {
    name: "a reference to types",
    source: `<script setup lang="ts">defineProps<import("${secret}").P>()</script>`,
    says: /Types from other modules cannot be read here|Unresolvable/,
  },
  {
    name: "classes of another file",
    source: `<template>x</template><style module>.a { composes: b from "${secret}" }</style>`,
    says: /composes takes from this block or from global/,
  },
  {
    name: "a stylesheet",
    source: `<template>x</template><style scoped>@import "/etc/passwd"; p { color: red }</style>`,
    says: /cannot be imported/,
  },
  {
    name: "a stylesheet through Tailwind",
    source: `<template>x</template><style scoped>@import "/etc/passwd";</style>`,
    css: "tailwind",
    says: /cannot be imported/,
  },
  {
    name: "a plugin",
    source: `<template>x</template><style scoped>@plugin "${secret}";</style>`,
    css: "tailwind",
    says: /@plugin is not available/,
  },
  { name: "a preprocessor", source: `<template lang="pug">include ${secret}</template>`, says: /lang="pug" is not/ },
  {
    name: "a language that there is not",
    source: `<template>x</template><style lang="../../${secret}">p {}</style>`,
    says: /is not supported: <style> takes css/,
  },
  {
    name: "a language named like a property of Object.prototype",
    source: `<template>x</template><style lang="constructor">p {}</style><script lang="__proto__">x</script>`,
    says: /lang="constructor" is not supported[^]*lang="__proto__" is not supported/,
  },
];

Deno.test("vue: nothing in a source reaches the file system", async (test) => {
  await Deno.writeTextFile(secret, `{"secret":"canary"}`);
  await using compiler = openCompiler();
  for (const { name, source, css = "none", says } of ATTEMPTS) {
    await test.step(name, async () => {
      const building = compiler.compile({ engine: "vue", css_engine: css, source_code: source });
      const failure = await building.then(() => undefined, (error) => error);
      assert.ok(failure instanceof CompileFailure, `${failure ?? "it compiles"}`);
      assert.match(failure.messages.join("\n"), says);
      assert.doesNotMatch(failure.messages.join("\n"), /canary/);
    });
  }
  await Deno.remove(secret);
});

Deno.test("vue: addresses in templates, styles and comments are kept and not fetched", async () => {
  await using compiler = openCompiler();
  const { code, css } = await compiler.compile({
    engine: "vue",
    css_engine: "none",
    source_code: `<script setup>let a = 1;
    //# sourceMappingURL=file://${secret}
    </script><template><img :alt="a" src="./x.png" srcset="./x.png 2x, ~/y.png 3x"></template>
    <style scoped>p { background: url(./z.png) }\n/*# sourceMappingURL=file://${secret} */</style>
    <style>/*# sourceMappingURL=${secret} */ p { color: red }</style>`,
  });
  assert.match(code, /src:"\.\/x\.png",srcset:"\.\/x\.png 2x, ~\/y\.png 3x"/);
  assert.match(css, /url\(\.\/z\.png\)/);
  assert.doesNotMatch(code + css, /sourceMappingURL|secret/);
});

Deno.test("vue: modules and classes named like properties of Object.prototype", async () => {
  const names = ["constructor", "__proto__", "prototype", "toString", "keys", "assign"];
  const rules = names.map((name) => `.${name} { composes: hasOwnProperty from global; top: 0 }`).join("\n");
  const known = [Object, Object.prototype, Map, Map.prototype].map((object) =>
    Object.getOwnPropertyDescriptors(object)
  );
  for (const name of names) {
    const { author } = await compile(`<template>x</template><style module="${name}">${rules}</style>`);
    assert.match(author?.code ?? "", /"keys":"_keys_[0-9a-f]{8} hasOwnProperty"/);
  }
  const now = [Object, Object.prototype, Map, Map.prototype].map((object) => Object.getOwnPropertyDescriptors(object));
  assert.deepEqual(now, known);
});
