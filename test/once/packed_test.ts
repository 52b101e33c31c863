/** What the packed server loads before its first answer: nothing that few requests need. */
import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import { bundleServer } from "../../server/compiler/packed/build.ts";

/** npm packages that a server runs with, and packages of those. All others are loaded when they are needed. */
const LOADED = [
  ...["@trpc/server", "copy-anything", "croner", "cronstrue", "csv-parse", "csv-stringify", "hono"],
  ...["ipaddr.js", "jsonata", "lru-cache", "postgres", "superjson", "uuid", "zod"],
];

/** Of the schemas of all domains, the few that streams, files and pages need. Routers are loaded on demand. */
const SCHEMAS = [
  ...["approvals/schema", "apps/assistant/schema", "apps/openings/schema", "crons/webhooks/schema"],
  ...["operations/log_schema", "passwords/schema", "records/schema", "sessions/schema"],
].map((name) => `server/domains/${name}.ts`);
/** Each takes a read and a compilation. */
const MOST_FILES = 22;

const packageOf = (path: string) => /(?:\/npm\/[^/]+|node_modules)\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

Deno.test({
  name: "packed: the server starts with few files, packages and schemas, not with the MCP SDK",
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  const { metafile: { outputs } } = await bundleServer();
  await esbuild.stop();
  const ofSource = (path: string) =>
    Object.keys(outputs).find((file) => outputs[file]?.entryPoint === path) ?? assert.fail(`${path} has no file`);
  const files = new Set(["server/process/start.ts", "server/compose.ts"].map(ofSource));
  for (const file of files) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement" && !external) files.add(path);
    }
  }
  const inputs = [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  const packages = new Set(inputs.map(packageOf).filter((name) => name !== undefined));
  assert.deepEqual([...packages].toSorted(), LOADED);
  assert.deepEqual(inputs.filter((path) => /^server\/domains\/.*(schema|router)\.ts$/.test(path)).toSorted(), SCHEMAS);
  assert.ok(files.size <= MOST_FILES, `a start loads ${files.size} files`);
  assert.deepEqual(inputs.filter((path) => /locales\/(?!en\.js)/.test(path) && !path.endsWith("index.js")), []);
  // It is packed, too: agents wait for it.
  const all = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)).map(packageOf);
  assert.ok(all.includes("@modelcontextprotocol/sdk"));
});
