/**
 * `deno task test [--embedded-only | --postgres-only] [--filter=<text>] [file or folder …]`
 *
 * Runs what does not depend on the database once, and the rest on the embedded database and on a throw-away PostgreSQL,
 * tells what was left out and why and what passed only at the second try, and closes with `N passed, N failed`.
 */
import { fileURLToPath } from "node:url";
import { type Postgres, startPostgres } from "./stage/postgres.ts";
import { print } from "./stage/print.ts";
import { findChromium } from "./stage/programs.ts";
import { findSuite } from "./run/suite.ts";
import { closingLine, createFailureReader, readClosingLine, settle, sum, type Tally, tallyAgain } from "./run/tally.ts";

const tree = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const ci = Deno.env.get("CI") === "true";
const flags = Deno.args.filter((arg) => arg.startsWith("--"));
const filter = flags.find((flag) => flag.startsWith("--filter="));
const strange = flags.find((flag) => flag !== filter && !["--embedded-only", "--postgres-only"].includes(flag));
if (strange) stopWith(`unknown option ${strange}`);

/** Longer than a run takes; a test that hangs must not hold CI for ever. */
const LIMIT_MINUTES = 20;

const suite = findSuite(tree, Deno.args.filter((arg) => !arg.startsWith("--")));
if (suite.once.length + suite.perDatabase.length === 0) stopWith("no test file there");
const runsOnce = suite.once.length > 0 && !flags.includes("--postgres-only");
const onEmbedded = suite.perDatabase.length > 0 && !flags.includes("--postgres-only");
const onPostgres = suite.perDatabase.length > 0 && !flags.includes("--embedded-only");

const chromium = findChromium();
const missing: string[] = [];
if (!chromium && [...suite.once, ...suite.perDatabase].some((file) => file.startsWith("test/browser/"))) {
  missing.push("the browser tests: no Chromium (install it, or name it in CHROMIUM)");
}

const running = new AbortController();
for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  Deno.addSignalListener(signal, () => {
    running.abort();
    // The children get a moment to end what they started; PostgreSQL ends with this process.
    setTimeout(() => Deno.exit(code), 1000);
  });
}

function stopWith(reason: string): never {
  print(reason);
  Deno.exit(2);
}

interface Read {
  closing?: Tally;
  /** Names of tests that failed, by file. */
  failures: Map<string, Set<string>>;
}

/** Passes the child's output on, and keeps the last closing line in it and what it says has failed. */
async function relay(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Read> {
  const [shown, read] = output.tee();
  const found: Read = { failures: new Map() };
  const readFailure = createFailureReader();
  const keep = (line: string) => {
    found.closing = readClosingLine(line) ?? found.closing;
    const failure = readFailure(line);
    if (failure) found.failures.set(failure.file, new Set(found.failures.get(failure.file)).add(failure.name));
  };
  const lines = async () => {
    let rest = "";
    for await (const text of read.pipeThrough(new TextDecoderStream())) {
      const parts = `${rest}${text}`.split("\n");
      rest = parts.pop() ?? "";
      parts.forEach(keep);
    }
    keep(rest);
  };
  await Promise.all([lines(), shown.pipeTo(Deno.stdout.writable, { preventClose: true })]);
  return found;
}

/** More files than this that fail are no accident. */
const AGAIN = 4;

/**
 * Runs files side by side. Processes that are killed, browsers and clocks on two busy cores have accidents: what fails in
 * few files is run once more, alone, and named if it passes then.
 */
async function run(title: string, files: readonly string[], env: Record<string, string>): Promise<Tally> {
  const first = await runOnce(title, files, env, true);
  const failed = [...first.failures.keys()];
  if (failed.length === 0 || failed.length > AGAIN || countTests(first.failures) < first.tally.failed) {
    return first.tally;
  }
  const again = await runOnce(`${title}, once more, one after the other`, failed, env, false);
  for (const [file, names] of first.failures) {
    for (const name of names) {
      if (!again.failures.get(file)?.has(name)) unsteady.push(`${name} (${file}, ${title})`);
    }
  }
  return tallyAgain(first.tally, again.tally);
}

/** A file that failed before its first test is not among them. */
const countTests = (failures: Read["failures"]): number =>
  [...failures.values()].reduce((sum, names) => sum + names.size, 0);

/** Tests that passed only when they were run again. */
const unsteady: string[] = [];

async function runOnce(title: string, files: readonly string[], env: Record<string, string>, side_by_side: boolean) {
  if (running.signal.aborted) return { tally: settle(undefined, 1), failures: new Map<string, Set<string>>() };
  print(`\n── ${title}: ${files.length} files`);
  const limit = AbortSignal.timeout(LIMIT_MINUTES * 60_000);
  const child = new Deno.Command(Deno.execPath(), {
    // The sanitizers are off by default since Deno 2.9; a leak in a test is a leak in a server.
    args: ["test", "-A", "--sanitize-ops", "--sanitize-resources"]
      .concat(side_by_side ? "--parallel" : [], ci ? "--frozen" : [], filter ?? [], files),
    cwd: tree,
    env: { ...env, ...(chromium ? { TEST_CHROMIUM: chromium } : {}) },
    stdin: "null",
    stdout: "piped",
    signal: AbortSignal.any([running.signal, limit]),
  }).spawn();
  const [{ closing, failures }, { code }] = await Promise.all([relay(child.stdout), child.status]);
  if (limit.aborted) print(`stopped after ${LIMIT_MINUTES} minutes`);
  return { tally: settle(closing, code), failures };
}

async function runOnPostgres(): Promise<Tally[]> {
  const server: Postgres | undefined = await startPostgres({ fsync: false });
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
const tallies = [
  ...runsOnce ? [await run("without a database", suite.once, {})] : [],
  ...onEmbedded ? [await run("on the embedded database", suite.perDatabase, { TEST_DATABASE: "embedded" })] : [],
  ...onPostgres ? await runOnPostgres() : [],
];
const total = sum(tallies);

print(`\nin ${Math.round((performance.now() - began) / 1000)} s`);
for (const name of unsteady) print(`unsteady: ${name}`);
for (const reason of missing) print(`left out: ${reason}`);
if (ci && missing.length > 0) print("CI leaves nothing out: install what is missing");
print(closingLine(total));
Deno.exit(total.failed > 0 || (ci && missing.length > 0) || tallies.length === 0 ? 1 : 0);
