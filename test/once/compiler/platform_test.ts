/** How apps import the `platform` module. Its behaviour is tested beside its files in client/app. */
/// <reference path="../../../client/app/platform.d.ts" />
import assert from "node:assert/strict";
import { CompileFailure, type Source } from "../../../server/compiler/compiler.ts";
import { recipeOf } from "../../../server/compiler/toolchain.ts";
import { exportsOf, importsOf, openCompiler } from "./scratch.ts";

const NAMES = ["PlatformError", "action", "context", "db", "user"];

const APP = `<script>
  import { action, db, user, context, PlatformError } from "platform";
  let todos = $state([]);
  async function load() {
    try {
      todos = await db("todos").list();
      await action("notify", { count: todos.length });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
</script>
<button onclick={load}>{user?.name ?? context.app.name}: {todos.length}</button>`;

const asItIs = (engine: "js" | "html", source_code: string): Source => ({ engine, css_engine: "none", source_code });

/** The vendor file at an address of a page. */
async function fileAt(compiler: ReturnType<typeof openCompiler>, address = "") {
  assert.match(address, /^\/vendor\/\w+\.js$/);
  const file = await compiler.vendor(address.slice("/vendor/".length));
  assert.ok(file, address);
  return file;
}

Deno.test("platform: a compiled app imports the names that it uses", async () => {
  await using compiler = openCompiler();
  const { code, imports, scripts } = await compiler.svelte(APP);
  assert.deepEqual(scripts, [], "a module needs no script");
  assert.equal(imports.length, 2, "the engine's runtime, and this");
  const [[name = "", names = new Set<string>()] = [], ...others] = [...importsOf(code)]
    .filter(([, names]) => names.has("action"));
  assert.equal(others.length, 0);
  assert.deepEqual([...names].sort(), NAMES);
  const file = await fileAt(compiler, `/vendor/${name}`);
  assert.deepEqual([...exportsOf(file)].sort(), NAMES);
  assert.ok(file.brotli.length < 2_900, `${file.brotli.length} bytes`);
  const { imports: without } = await compiler.svelte(`<script>import { db } from "platform";</script>`);
  assert.ok(!without.includes(`/vendor/${name}`), "what is not used is not fetched");
});

Deno.test("platform: an export that it does not have is named, at its place", async () => {
  await using compiler = openCompiler();
  const failure = await compiler.svelte(`<script>\n  import { db, query } from "platform";\n  db(query);\n</script>`)
    .then(() => undefined, (error) => error);
  assert.ok(failure instanceof CompileFailure, `${failure}`);
  assert.equal(failure.messages.length, 1, failure.messages.join("\n"));
  assert.match(failure.messages[0] ?? "", /^2:16 "platform" has no export "query"\n/);
});

Deno.test("platform: js and html get the script where they can be using it, and only there", async () => {
  await using compiler = openCompiler();
  const rows: [source: Source, gets: boolean][] = [
    [asItIs("js", `platform.action("x")`), true],
    [asItIs("js", `const { db } = window["platform"];`), true],
    [asItIs("html", `<script>platform.db().list()</script>`), true],
    [asItIs("js", `const platforms = []; alert(1)`), false],
    [asItIs("html", `<div id="platforms"></div>`), false],
  ];
  const found = new Set<string>();
  for (const [source, gets] of rows) {
    const { scripts, imports, code } = await compiler.compile(source);
    assert.equal(scripts.length, gets ? 1 : 0, source.source_code);
    assert.deepEqual([imports, code], [[], source.source_code]);
    for (const script of scripts) found.add(script);
  }
  assert.equal(found.size, 1, "all share it");
});

Deno.test("platform: the script makes the module's exports window.platform, of the page's context", async () => {
  await using compiler = openCompiler();
  const { scripts } = await compiler.compile(asItIs("js", "platform"));
  const file = await fileAt(compiler, scripts[0]);
  assert.ok(file.brotli.length < 2_900, `${file.brotli.length} bytes`);
  const PlatformAppContext = { user: { name: "Ann" }, app: { id: "1", name: "Rates", db_code: null } };
  const window: Partial<Window> = {};
  new Function("globalThis", new TextDecoder().decode(file.body))(Object.assign(window, { PlatformAppContext }));
  assert.deepEqual(Object.keys(window.platform ?? {}).sort(), NAMES);
  assert.equal(window.platform?.context, PlatformAppContext);
  assert.equal(window.platform?.user?.name, "Ann");
  assert.throws(() => window.platform?.db(), { name: "PlatformError" });
});

Deno.test("platform: a change in any of its files is a new runtime", async () => {
  const folder = new URL("../../../client/app/", import.meta.url);
  const recipe = await recipeOf("platform");
  const files = [...Deno.readDirSync(folder)].flatMap(({ name }) => /^(?!shim).*\.js$/.test(name) ? [name] : []);
  assert.ok(files.includes("platform.js"));
  const texts = await Promise.all(files.map((name) => Deno.readTextFile(new URL(name, folder))));
  assert.deepEqual(files.filter((_, index) => !recipe.includes(JSON.stringify(texts[index]))), []);
});
