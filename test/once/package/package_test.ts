/** The npm package `atrium-client`, installed into fresh projects, against a running server. */
import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import { build } from "../../packages/vite.ts";
import { findProgram } from "../../stage/programs.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../../stage/harness.ts";

const TREE = new URL("../../../", import.meta.url);
const here = (name: string) => Deno.readTextFile(new URL(name, import.meta.url));
const node = findProgram("node");
const npm = findProgram("npm");

async function run(program: string, args: string[], cwd: string | URL, env: Record<string, string> = {}) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd, env, stdin: "null" }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, `${program} ${args.join(" ")}\n${out}\n${err}`);
  return out ?? "";
}

/** A folder into which npm has installed the tarball, as a user does. */
async function freshProject(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_package_" });
  const packed = await run(Deno.execPath(), ["task", "-q", "pack", `--to=${folder}`], TREE);
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ private: true, type: "module" }));
  await run(
    npm ?? "npm",
    ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", packed.trim()],
    folder,
  );
  return folder;
}

async function prepare({ request }: TestServer): Promise<void> {
  const made = async (path: string, json: unknown) => {
    const { status, body } = await request("POST", path, { json });
    assert.equal(status, 201, JSON.stringify(body));
  };
  const guests = { message: { type: "string", required: true }, stars: "integer" };
  await made("/platform/dbs.json", {
    db: {
      name: "Guest book",
      code: "guest_book",
      schema: { fields: guests, indexes: { idx_str_1: "message" } },
      public_methods: { list: {}, create: {} },
    },
  });
  const orders = { fields: { paid: "boolean", on: "date" } };
  await made("/platform/dbs.json", {
    db: { name: "Shop", code: "shop", schema: { tables: { orders, lines: orders } } },
  });
  const flow = (code: string, program: unknown[], more = {}) =>
    made("/connect/flows.json", { flow: { name: code, code, active: true, fields: { program }, ...more } });
  await flow("weather", [{ type: "return", data: { city: "{input.city}", celsius: 4 } }], {
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output: {
      type: "object",
      properties: { city: { type: "string" }, celsius: { type: "integer" } },
      required: ["city", "celsius"],
    },
  });
  await flow("fails", [{ type: "fail", message: "It rains" }]);
  const action = (action: string, flow_code: string) => ({ action, flow_code, public: true });
  await made("/platform/apps.json", {
    app: {
      name: "Weather",
      url_code: "weather",
      app_engine: "html",
      css_engine: "none",
      source_code: "<p>Weather</p>",
      public: true,
      actions: [action("now", "weather"), action("fails", "fails")],
    },
  });
}

Deno.test({
  name:
    "package: installed from its tarball it works in Node.js, Deno, Vite and browsers' bundles, and its types are strict",
  ignore: !node || !npm,
  async fn(t) {
    await using stack = new AsyncDisposableStack();
    const server = await startServer();
    stack.defer(() => server.close());
    const url = server.listen();
    await prepare(server);
    stack.defer(() => esbuild.stop());
    const folder = await freshProject();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const env = { ATRIUM_URL: url, ATRIUM_TOKEN: ADMIN_TOKEN };
    await Deno.writeTextFile(`${folder}/journey.mjs`, await here("journey.mjs.txt"));

    await t.step("Node.js", async () => {
      assert.equal(await run(`${node}`, ["journey.mjs"], folder, { ...env, RUNTIME: "node" }), "done\n");
    });

    await t.step("Deno", async () => {
      const args = ["run", "-A", "--node-modules-dir=manual", "journey.mjs"];
      assert.equal(await run(Deno.execPath(), args, folder, { ...env, RUNTIME: "deno" }), "done\n");
    });

    await t.step("Vite builds a page with it", async () => {
      await Deno.writeTextFile(`${folder}/index.html`, `<script type="module" src="page.js"></script>`);
      await Deno.writeTextFile(
        `${folder}/page.js`,
        `import { createClient } from "atrium-client";
        createClient({ url: "" }).action("weather", "now", {}).then(console.log);`,
      );
      const messages: string[] = [];
      const built = await build({
        root: folder,
        configFile: false,
        logLevel: "silent",
        build: { write: false, modulePreload: false },
        plugins: [{ name: "messages", onLog: (_level, { message }) => void messages.push(message) }],
      });
      assert.ok("output" in built);
      const [script] = built.output.filter((file) => file.type === "chunk");
      assert.ok(script && script.code.includes("/action/"), "the client is in the page's script");
      assert.deepEqual(messages, []);
    });

    await t.step("types of the account, in a strict project that checks the library, too", async () => {
      const types = await run(`${node}`, ["node_modules/.bin/atrium-client", "types", "--url", url], folder, env);
      await Deno.writeTextFile(`${folder}/atrium.d.ts`, types);
      await Deno.writeTextFile(`${folder}/typed.ts`, await here("typed.ts.txt"));
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        module: "nodenext",
        target: "es2022",
        lib: ["es2023", "dom", "dom.iterable"],
        types: [],
      };
      await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      const tsc = ["run", "-A", "--lock=test/deno.lock", "test/packages/typescript_compiler.ts", "-p", folder];
      assert.equal(await run(Deno.execPath(), tsc, TREE), "");
    });

    await t.step("a browser's bundle has nothing of Node.js, of the bindings or of other packages", async () => {
      const { outputFiles, metafile } = await esbuild.build({
        stdin: { contents: `export * from "atrium-client";`, resolveDir: folder },
        bundle: true,
        write: false,
        format: "esm",
        platform: "browser",
        metafile: true,
        minify: true,
      });
      const [file] = outputFiles;
      assert.ok(file && !/useSyncExternalStore|node:/.test(file.text));
      assert.ok(Object.keys(metafile.inputs).every((path) => !/\/(react|vue|svelte|cli)\.js$/.test(path)));
    });
  },
});
