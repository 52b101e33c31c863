/**
 * `deno task test [--embedded-only | --postgres-only] [--filter=<text>] [file or folder …]`
 *
 * Runs the tests that need no database once, and all others on the embedded database and on a throw-away PostgreSQL.
 * Names what was left out, what was retried and what failed. The last line is `N passed, N failed`.
 */
import { fileURLToPath } from "node:url";
import { buildConsole } from "../stage/console.ts";
import { startPostgres } from "../stage/postgres/postgres.ts";
import { print } from "../stage/print.ts";
import { findChromium } from "../stage/programs.ts";
import { runFiles } from "./process.ts";
import { closingLine, type Outcome, sum } from "./report.ts";
import { findSuite } from "./suite.ts";

const tree = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const ci = Deno.env.get("CI") === "true";
const flags = Deno.args.filter((arg) => arg.startsWith("--"));
const filter = flags.find((flag) => flag.startsWith("--filter="));
const unknown = flags.find((flag) => flag !== filter && !["--embedded-only", "--postgres-only"].includes(flag));
if (unknown) stopWith(`unknown option ${unknown}`);

const suite = findSuite(tree, Deno.args.filter((arg) => !arg.startsWith("--")));
if (suite.once.length + suite.perDatabase.length === 0) stopWith("no test file there");
const runsOnce = suite.once.length > 0 && !flags.includes("--postgres-only");
const onEmbedded = suite.perDatabase.length > 0 && !flags.includes("--postgres-only");
const onPostgres = suite.perDatabase.length > 0 && !flags.includes("--embedded-only");

const chromium = findChromium();
const missing: string[] = [];
if (!chromium && [...suite.once, ...suite.perDatabase].some((file) => /^test\/(once\/)?browser\//.test(file))) {
  missing.push("the browser tests: no Chromium (install it, or set CHROMIUM to its path)");
}

const running = new AbortController();
for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  Deno.addSignalListener(signal, () => {
    running.abort();
    // Time for the children to end what they started. PostgreSQL ends with this process.
    setTimeout(() => Deno.exit(code), 1000);
  });
}

function stopWith(reason: string): never {
  print(reason);
  Deno.exit(2);
}

/** Browser tests append to this file the names of those that passed or failed at the second attempt only. */
const retries = await Deno.makeTempFile({ prefix: "atrium_retries_" });

async function run(title: string, files: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const all = { ...env, TEST_RETRIES: retries, ...(chromium && { TEST_CHROMIUM: chromium }) };
  const options = {
    tree,
    signal: running.signal,
    flags: ["--lock=test/deno.lock", ...ci ? ["--frozen"] : [], ...filter ? [filter] : []],
  };
  const outcome = await runFiles(title, files, all, options);
  return { ...outcome, failures: outcome.failures.map(({ name, reason }) => ({ name: `${name} (${title})`, reason })) };
}

async function runOnPostgres(): Promise<Outcome[]> {
  const server = await startPostgres({ fsync: false });
  if (!server) {
    missing.push(`${suite.perDatabase.length} files on PostgreSQL: no PostgreSQL 14 or newer (install its server)`);
    return [];
  }
  try {
    const env = { TEST_DATABASE: "postgres", TEST_POSTGRES_URL: server.url() };
    return [await run(`on PostgreSQL ${server.version}`, suite.perDatabase, env)];
  } finally {
    await server.stop();
  }
}

const began = performance.now();
// Otherwise the servers of the first files would build it at the same time.
if ([...suite.once, ...suite.perDatabase].some((file) => file.includes("/browser/"))) {
  // Tests that need it fail by themselves.
  await buildConsole().catch((error) => print(String(error)));
}
const outcomes = [
  ...runsOnce ? [await run("without a database", suite.once)] : [],
  ...onEmbedded ? [await run("on the embedded database", suite.perDatabase, { TEST_DATABASE: "embedded" })] : [],
  ...onPostgres ? await runOnPostgres() : [],
];
const total = sum(outcomes);

print(`\nin ${Math.round((performance.now() - began) / 1000)} s`);
const retried = await Deno.readTextFile(retries);
await Deno.remove(retries);
for (const name of retried.split("\n").filter(Boolean)) print(`retried: ${name}`);
for (const { name, reason } of total.failures) {
  print(`failed: ${name}`);
  if (reason !== "") print(reason.replaceAll(/^/gm, "  "));
}
for (const reason of missing) print(`left out: ${reason}`);
if (ci && missing.length > 0) print("CI leaves nothing out: install what is missing");
print(closingLine(total));
Deno.exit(total.failures.length > 0 || (ci && missing.length > 0) || outcomes.length === 0 ? 1 : 0);
