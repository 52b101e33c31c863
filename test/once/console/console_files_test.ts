/** The console's page and files, as the server sends them. */
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { childEnvironment } from "../../../server/config.ts";
import { buildProcess } from "../../../server/subprocess/build_process.ts";
import type { VendorFile } from "../../../server/compiler/compiler.ts";
import { CONSOLE_BUILD, createConsoleFiles } from "../../../server/compiler/host/console_files.ts";
import { DIST, hashOfConsole } from "../../../server/compiler/host/console_sources.ts";
import { startServer } from "../../stage/harness.ts";

Deno.test("console: its page is for members, and strict; its files are immutable and compressed", async () => {
  await using stack = new AsyncDisposableStack();
  const server = await startServer();
  stack.defer(() => server.close());
  await server.console.prepare();

  for (const path of ["/", "/apps", "/apps/new", "/apps/some-id?tab=settings", "/people", "/account/tokens", "/docs"]) {
    const visitor = await server.request("GET", path, { token: null });
    const sign_in = path === "/" ? "/sign_in" : `/sign_in?return_to=${encodeURIComponent(path)}`;
    assert.deepEqual([visitor.status, visitor.headers.get("location")], [303, sign_in]);
    const member = await server.request("GET", path);
    assert.equal(member.status, 200);
    assert.match(member.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(member.headers.get("content-security-policy") ?? "", /script-src 'self'; style-src 'self';/);
    assert.equal(member.headers.get("x-frame-options"), "DENY");
    assert.doesNotMatch(member.body, /<script(?! type="module" src=")|style=/);
  }

  const visit = { "sec-fetch-dest": "document", accept: "text/html" };
  const unknown = await server.request("GET", "/no/such/page", { headers: visit });
  assert.equal(unknown.status, 404);
  assert.match(unknown.headers.get("content-type") ?? "", /^text\/html/);
  assert.equal((await server.request("GET", "/no/such/page", { token: null, headers: visit })).status, 303);
  for (const [path, headers] of [["/no/such/page", {}], ["/no/such.json", visit]] as const) {
    const { status, body } = await server.request("GET", path, { headers });
    assert.deepEqual([status, body.code], [404, "not_found"], path);
  }

  const { body: page } = await server.request("GET", "/");
  const files = [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, file]) => file);
  assert.ok(files.length > 3);
  for (const file of files) {
    const { status, headers } = await server.request("GET", file, {
      token: null,
      headers: { "accept-encoding": "br" },
    });
    assert.deepEqual([status, headers.get("content-encoding")], [200, "br"], file);
    assert.match(headers.get("cache-control") ?? "", /immutable/);
    assert.match(headers.get("content-type") ?? "", file.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
    const plain = await server.request("GET", file, { token: null, headers: { "accept-encoding": "identity" } });
    assert.equal(plain.headers.get("content-encoding"), null);
  }
  for (const file of ["missing-AAAAAAAA.js", "manifest.json", "build.json", "reload.js", "..%2Fmain.ts", "main.ts"]) {
    assert.equal((await server.request("GET", `/console/${file}`, { token: null })).status, 404, file);
  }
});

/** A store in memory, and the events that were logged. */
function kept() {
  const files = new Map<string, VendorFile>();
  const events: string[] = [];
  return {
    files,
    events,
    options: {
      store: {
        get: (name: string) => Promise.resolve(files.get(name)),
        put: (name: string, file: VendorFile) => Promise.resolve(void files.set(name, file)),
      },
      log: { info: (event: string) => void events.push(event) },
      dev: false,
    },
  };
}

/** The lines of a build that fails. */
async function* failing(message: string): AsyncGenerator<string> {
  yield* [];
  throw await Promise.resolve(new Error(message));
}

const ADVICE = "run `deno task build:console` and commit client/console/dist";

Deno.test("console: without a build that ships, a first start builds it once, and later ones read it; it ships so", async () => {
  const { files, events, options } = kept();
  const { run } = buildProcess(Deno.execPath(), childEnvironment(Deno.env.toObject()));
  const first = createConsoleFiles({ ...options, folders: [], build: () => run(CONSOLE_BUILD) });
  assert.equal(await first.manifest(), undefined, "nobody waits for a build");
  await Promise.all([first.prepare(), first.prepare()]);
  assert.deepEqual(events, ["console_built"]);
  const manifest = await first.manifest();
  assert.ok(manifest && files.size === manifest.files.length + 1);
  for (const name of manifest.files) {
    const file = await first.file(name);
    assert.ok(file && file.body.length > 0 && file.brotli.length > 0 && file.gzip.length > 0, name);
  }
  const never = () => failing("it is there");
  const second = createConsoleFiles({ ...options, folders: [], build: never });
  assert.deepEqual(await second.manifest(), manifest);
  assert.deepEqual(await second.file(manifest.entry), await first.file(manifest.entry));

  const shipped = createConsoleFiles({ ...options, folders: [DIST], build: never, store: kept().options.store });
  assert.deepEqual(await shipped.manifest(), manifest, ADVICE);
  for (const name of manifest.files) {
    assert.deepEqual((await shipped.file(name))?.body, (await first.file(name))?.body, `${name}: ${ADVICE}`);
  }
  const names = [...manifest.files.map((name) => `${name}.br`), "LICENSES.txt", "manifest.json"];
  assert.deepEqual([...Deno.readDirSync(DIST)].map(({ name }) => name).toSorted(), names.toSorted(), ADVICE);
});

/** A folder with a build of one file. */
async function builtFolder(entry: string, sources: string): Promise<URL> {
  const folder = new URL(`file://${await Deno.makeTempDir()}/`);
  const manifest = { entry, styles: [], preload: [], files: [entry], sources };
  await Deno.writeTextFile(new URL("manifest.json", folder), JSON.stringify(manifest));
  await Deno.writeFile(new URL(`${entry}.br`, folder), brotliCompressSync(entry));
  return folder;
}

Deno.test("console: a build of deno task dev is preferred in development alone; one of other sources never", async () => {
  const folders = [
    await builtFolder("other.js", "other sources"),
    await builtFolder("dev.js", "dev"),
    await builtFolder("ships.js", await hashOfConsole()),
  ];
  for (const [dev, expected] of [[true, "dev.js"], [false, "ships.js"]] as const) {
    const { options } = kept();
    const files = createConsoleFiles({ ...options, dev, folders, build: () => failing("it is there") });
    const manifest = await files.manifest();
    assert.equal(manifest?.entry, expected);
    const file = await files.file(expected);
    assert.equal(new TextDecoder().decode(file?.body), expected);
  }
});

Deno.test("console: a build that fails is reported, and tried again later, not at every request", async () => {
  const { events, options } = kept();
  let builds = 0;
  const files = createConsoleFiles({ ...options, folders: [], build: () => failing(`no disk ${++builds}`) });
  await files.prepare();
  assert.equal(await files.manifest(), undefined);
  assert.equal(files.fault(), "Error: no disk 1");
  assert.deepEqual([builds, events], [1, ["console_not_built"]]);
});

Deno.test("console: a build that breaks off keeps no manifest", async () => {
  const { files: kept_files, options } = kept();
  const part = { file: "main-AAAAAAAA.js", brotli: "" };
  const build = () => ReadableStream.from([JSON.stringify(part)]);
  const files = createConsoleFiles({ ...options, folders: [], build });
  await files.prepare();
  assert.equal(await files.manifest(), undefined);
  assert.equal(files.fault(), "Error: the build has printed no manifest");
  assert.deepEqual([...kept_files.keys()], ["console-main-AAAAAAAA.js"]);
});

Deno.test("console: a store that is away while the server starts or stops ends nothing", async () => {
  const { events, options } = kept();
  const away = () => Promise.reject(new Error("write CONNECTION_ENDED"));
  const build = () => failing("it is not asked for");
  const files = createConsoleFiles({ ...options, folders: [], build, store: { get: away, put: away } });
  await files.prepare();
  assert.deepEqual(events, ["console_not_ready"]);
});
