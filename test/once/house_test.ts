/** The import rules of ARCHITECTURE.md, and who reads the environment and identifies callers. Reads the source files. */
import assert from "node:assert/strict";
import { codeOf, files, type Import, importsOf, isTest, TREE } from "./source_files.ts";

/** Interface files: the file named like its folder, the only one that other rooms may import. */
const INTERFACE =
  /^server\/(compiler\/compiler|connectors\/connectors|store\/store|flow\/flow|schedule\/schedule)\.ts$/;

/** Rooms, the outermost first. Each may import from itself and from the rooms below it. */
const ROOMS: [room: string, files: RegExp][] = [
  ["test", /^test\/|_test\.tsx?$/],
  ["main", /^main\.ts$|^server\/(compose\.ts$|process\/)/],
  ["http", /^server\/http\//],
  ["router", /^server\/router\.ts$/],
  ["domains", /^server\/domains\//],
  ["flow, schedule", /^server\/(flow|schedule)\//],
  ["compiler, connectors, store", /^server\/(compiler|connectors|store)\//],
  ["base", /^server\/([^/]+|(?:input|database|secrets|fairness|outside|packed|subprocess)\/[^/]+)\.ts$/],
  ["db", /^db\//],
];
const roomOf = (file: string) => ROOMS.findIndex(([, files]) => files.test(file));
const isLocal = ({ to }: Pick<Import, "to">) => /^(main\.ts|deno\.json|(server|db|client|test)\/)/.test(to);

/** The imports that a rule forbids, as `a.ts imports b.ts`. */
function broken(from: (file: string) => boolean, forbids: (to: Import, file: string) => boolean): string[] {
  return [...files].filter(([file]) => from(file)).flatMap(([file, { imports }]) =>
    imports.filter((to) => forbids(to, file)).map(({ to }) => `${file} imports ${to}`)
  );
}

Deno.test("house: main → http → router → domains → the rest of the server → db, and never back", () => {
  const outward = broken(
    (file) => roomOf(file) > 0,
    (to, file) =>
      isLocal(to) && roomOf(to.to) !== -1 && roomOf(to.to) < roomOf(file) &&
      // A procedure's context is typed by the rooms' interfaces, and trpc.ts maps the compiler's errors to refusals.
      !(/^server\/(context|trpc)\.ts$/.test(file) && INTERFACE.test(to.to)),
  );
  assert.deepEqual(outward, []);
});

Deno.test("house: flow, schedule and compiler import no http, no trpc and no domain", () => {
  const strays = broken(
    // The console is a client of the API: its packages are those of its builder, too.
    (file) =>
      /^server\/(flow|schedule|compiler)\//.test(file) && !isTest(file) &&
      file !== "server/compiler/console/packages.ts",
    ({ to }) => /^server\/(http\/|domains\/|router\.ts|trpc\.ts)|^(hono|@trpc\/)/.test(to),
  );
  assert.deepEqual(strays, []);
});

Deno.test("house: rooms are known to the outside by their interface file alone; only compose.ts opens them", () => {
  const room = (file: string) => /^server\/(?:compiler|connectors|store|flow|schedule)\//.exec(file)?.[0];
  const strays = broken(
    (file) => file !== "server/compose.ts" && !isTest(file),
    ({ to }, file) => room(to) !== undefined && room(to) !== room(file) && !INTERFACE.test(to),
  );
  assert.deepEqual(strays, []);
});

Deno.test("house: callers are identified in viewer.ts alone", () => {
  const readers = [...files].filter(([file, { text }]) => !isTest(file) && /\.byToken\(/.test(codeOf(text)));
  assert.deepEqual(readers.map(([file]) => file), ["server/viewer.ts"]);
});

Deno.test("house: domains speak no HTTP", () => {
  const strays = broken(
    (file) => file.startsWith("server/domains/") && !isTest(file),
    ({ to }) => /^(hono|client\/)/.test(to),
  );
  assert.deepEqual(strays, []);
});

Deno.test("house: no imports in a circle, those of types included", () => {
  assert.deepEqual(circles(new Map([...files].map(([file, { imports }]) => [file, imports.map(({ to }) => to)]))), []);
  const graph = { a: ["b"], b: ["c", "d"], c: ["a"], d: ["e"], e: [], f: ["f"] };
  assert.deepEqual(circles(new Map(Object.entries(graph))), ["a → b → c → a", "f → f"]);
});

/** Import cycles, found by a depth-first search that visits each file once. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start !== -1) return void found.push([...path.slice(start), file].join(" → "));
    if (done.has(file)) return;
    done.add(file);
    for (const to of imports.get(file) ?? []) visit(to, [...path, file]);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}

Deno.test("house: db imports nothing of the server; only server/database knows the embedded database", () => {
  assert.deepEqual(
    broken((file) => file.startsWith("db/") && !isTest(file), ({ to }) => /^(server|client|test)\/|^main\.ts/.test(to)),
    [],
  );
  const knowing = broken(
    (file) => !file.startsWith("db/") && !isTest(file),
    ({ to }) => to.startsWith("db/") && to !== "db/migrate.ts",
  );
  assert.deepEqual(knowing.sort(), [
    "server/database/pool.ts imports db/embedded/embedded.ts",
    "server/process/announcements.ts imports db/embedded/embedded.ts",
  ]);
});

Deno.test("house: client imports types of the server only, and the server nothing of the client's code", () => {
  assert.deepEqual(
    broken(
      // The npm package is built from the server's routes.
      (file) => file.startsWith("client/") && !file.startsWith("client/pack/") && !isTest(file),
      (to) => isLocal(to) && !to.to.startsWith("client/") && !(to.types_only && to.to.startsWith("server/")),
    ),
    [],
  );
  assert.deepEqual(
    // The server sends declarations (.d.ts) to editors; they contain no code.
    broken((file) => file.startsWith("server/") && !isTest(file), ({ to }) => /^client\/.*(?<!\.d)\.ts$/.test(to)),
    [],
  );
});

Deno.test("house: of the server only config.ts reads the environment, which main.ts hands over", () => {
  const readers = [...files].filter(([file, { text }]) =>
    !isTest(file) && !/^client\/(cli\/|package\/cli\.ts)/.test(file) &&
    /\bDeno\.env\b|(?<!")\bprocess\.env\b/.test(codeOf(text))
  );
  assert.deepEqual(readers.map(([file]) => file).filter((file) => file !== "server/config.ts"), ["main.ts"]);
  assert.equal(codeOf(files.get("main.ts")?.text ?? "").match(/\bDeno\.env\b/g)?.length, 1);
  assert.match(files.get("main.ts")?.text ?? "", /readConfig\(Deno\.env\.toObject\(\)\)/);
});

/** The module that apps import. client/app/platform.d.ts declares it. */
const APP_MODULE = "platform";

const PINNED = /^npm:(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(-[\w.]+)?(\/[\w./-]+)?$/;
/** One file for each package that only tests import. `deno task start` downloads every package in deno.json and deno.lock. */
const TEST_PACKAGES = "test/packages/";
/** Checks the console's types, with a lock file of its own: it needs another TypeScript than the server's packages. */
const CONSOLE_CHECK = "client/console/check.ts";

Deno.test("house: packages come from npm, node or this tree, and each is pinned", async () => {
  const { imports }: { imports: Record<string, string> } = JSON.parse(await Deno.readTextFile(`${TREE}deno.json`));
  for (const [name, specifier] of Object.entries(imports)) assert.match(specifier, PINNED, name);
  const packages = Object.keys(imports);
  const known = ({ to }: Import, file: string) =>
    isLocal({ to }) || to.startsWith("node:") || to === APP_MODULE ||
    packages.some((name) => to === name || to.startsWith(`${name}/`)) ||
    (file.startsWith(TEST_PACKAGES) || file === CONSOLE_CHECK) && PINNED.test(to);
  assert.deepEqual(broken(() => true, (to, file) => !known(to, file)), []);
  const used = new Set([...files.values()].flatMap(({ imports }) => imports.map(({ to }) => to)));
  const idle = packages.filter((name) => ![...used].some((to) => to === name || to.startsWith(`${name}/`)));
  assert.deepEqual(idle.filter((name) => !mentioned(name)), [], "in deno.json and imported by nothing");
});

Deno.test("house: packages for tests are neither in deno.json nor in its lock file", async () => {
  const stripped = (specifier: string) => specifier.replace(/^(npm:@?[^@]+@[^/]+).*$/, "$1");
  const wanted = [...files].filter(([file]) => file.startsWith(TEST_PACKAGES))
    .flatMap(([, { imports }]) => imports.map(({ to }) => stripped(to)));
  assert.ok(wanted.length > 0);
  const read = async (path: string) => Object.keys(JSON.parse(await Deno.readTextFile(TREE + path)).specifiers);
  const [served, tested] = [await read("deno.lock"), await read("test/deno.lock")];
  const hint = "run `deno task lock`; use `deno task check` and `deno task test`, which lock in test/deno.lock";
  assert.deepEqual(wanted.filter((name) => served.includes(name)), [], `deno.lock names them: ${hint}`);
  assert.deepEqual(wanted.filter((name) => !tested.includes(name)), [], `test/deno.lock lacks them: ${hint}`);
  const unused = (file: string) => isTest(file) && !file.startsWith(TEST_PACKAGES);
  const roundabout = broken(
    (file) => file !== CONSOLE_CHECK && (!isTest(file) || unused(file)),
    ({ to }) => to.startsWith("npm:"),
  );
  assert.deepEqual(roundabout, []);
  assert.deepEqual(broken((file) => !isTest(file), ({ to }) => to.startsWith(TEST_PACKAGES)), []);
});

/** Whether the compiler reads or bundles a package by name, such as an app's runtime. */
const mentioned = (name: string) =>
  [...files].some(([file, { text }]) => file.startsWith("server/compiler/") && text.includes(`"${name}`));

Deno.test("house: the reader of imports finds every kind of import", () => {
  const text = `
import "./a.ts";
import type { B } from "../b.ts";
import c, {
  type D,
} from "./c.ts";
export { e } from "hono";
const f = await import("postgres");
const g = import.meta.resolve("./g.ts");
const h = new URL("h.ts", import.meta.url);
 * import { x } from "./comment.ts";
`;
  assert.deepEqual(importsOf("server/http/x.ts", text), [
    { to: "server/http/a.ts", types_only: false },
    { to: "server/b.ts", types_only: true },
    { to: "server/http/c.ts", types_only: false },
    { to: "hono", types_only: false },
    { to: "postgres", types_only: false },
    { to: "server/http/g.ts", types_only: false },
    { to: "server/http/h.ts", types_only: false },
  ]);
});
