import assert from "node:assert/strict";
import { CompileFailure, type CssEngine } from "../../../server/compiler/compiler.ts";
import { openCompiler } from "./scratch.ts";

/** Sources that try to read a file of the server, and the expected refusal. */
const secret = "/tmp/atrium_compiler_secret.json";
const ATTEMPTS: { name: string; source: string; css?: CssEngine; says: RegExp }[] = [
  { name: "an absolute path", source: `<script>import a from "${secret}"; a</script>`, says: /cannot be imported/ },
  {
    name: "a file: address",
    source: `<script>import a from "file://${secret}"; a</script>`,
    says: /cannot be imported/,
  },
  {
    name: "as text",
    source: `<script>import a from "${secret}" with { type: "text" }; a</script>`,
    says: /import attributes are not supported/,
  },
  {
    name: "as JSON",
    source: `<script>import a from "${secret}" with { type: "json" }; a</script>`,
    says: /import attributes are not supported/,
  },
  { name: "a dynamic import", source: `<script>import("${secret}")</script>`, says: /cannot be imported/ },
  { name: "require", source: `<script>require("${secret}")</script>`, says: /cannot be imported/ },
  { name: "an export from", source: `<script module>export * from "${secret}"</script>`, says: /cannot be imported/ },
  { name: "a vendor file by hand", source: `<script>import "/vendor/a.js"</script>`, says: /cannot be imported/ },
  { name: "a data: address", source: `<script>import "data:text/javascript,1"</script>`, says: /cannot be imported/ },
  {
    name: "another address",
    source: `<script>import "https://e.test/a.js"</script>`,
    says: /allows no remote imports/,
  },
  {
    name: "another address, beside a text that reads like an import",
    source: `<script>import "https://e.test/a.js"; alert('import{mount as a}from"svelte";')</script>`,
    says: /allows no remote imports/,
  },
  {
    name: "a stylesheet",
    source: `<style>@import "/etc/passwd"; p { color: red }</style>`,
    says: /cannot be imported/,
  },
  {
    name: "a stylesheet through Tailwind",
    source: `<style>@import "/etc/passwd";</style>`,
    css: "tailwind",
    says: /^1:\d+ .*cannot be imported/,
  },
  {
    name: "a stylesheet in the middle, through Tailwind",
    source: `<style>@layer a { @import "${secret}"; }</style>`,
    css: "tailwind",
    says: /cannot be imported|not available/,
  },
  {
    name: "a plugin",
    source: `<style>@plugin "${secret}";</style>`,
    css: "tailwind",
    says: /@plugin is not available/,
  },
  {
    name: "a configuration",
    source: `<style>@config "${secret}";</style>`,
    css: "tailwind",
    says: /@config is not available/,
  },
  {
    name: "a folder of sources",
    source: `<style>@source "/etc";</style>`,
    css: "tailwind",
    says: /@source is not available/,
  },
  {
    name: "a folder of sources in an import",
    source: `<style>@import "tailwindcss" source("/etc");</style>`,
    css: "tailwind",
    says: /source\(\) is not available/,
  },
  {
    name: "a file of Tailwind's package",
    source: `<style>@import "tailwindcss/../package.json";</style>`,
    css: "tailwind",
    says: /not available/,
  },
];

Deno.test("closed: nothing in a source reaches the file system", async (test) => {
  await Deno.writeTextFile(secret, `{"secret":"canary"}`);
  await using compiler = openCompiler();
  for (const { name, source, css, says } of ATTEMPTS) {
    await test.step(name, async () => {
      const failure = await compiler.svelte(source, css).then(() => undefined, (error) => error);
      assert.ok(failure instanceof CompileFailure, `${failure ?? "it compiles"}`);
      assert.match(failure.messages.join("\n"), says);
      assert.doesNotMatch(failure.messages.join("\n"), /canary/);
    });
  }
  await Deno.remove(secret);
});

Deno.test("closed: comments that name source maps are neither followed nor kept", async () => {
  await using compiler = openCompiler();
  const { code, css } = await compiler.svelte(
    `<script>let a = 1;\n//# sourceMappingURL=file:///etc/passwd\n</script>{a}
    <p>x</p><style>p { color: red }\n/*# sourceMappingURL=file:///etc/passwd */</style>`,
  );
  assert.doesNotMatch(code + css, /sourceMappingURL|passwd|root:/);
});

Deno.test("closed: other addresses can be imported where the operator allows it; fonts always", async () => {
  await using compiler = openCompiler({ remote_imports: true });
  const { code, css } = await compiler.svelte(
    `<script>import a from "https://e.test/a.js"; a()</script><p>x</p>
    <style>@import url("https://fonts.test/css?family=A:wght@400;700"); p { color: red }</style>`,
    "tailwind",
  );
  assert.match(code, /from"https:\/\/e\.test\/a\.js"/);
  assert.match(css, /^@import"https:\/\/fonts\.test\/css\?family=A:wght@400;700";@layer/);
});
