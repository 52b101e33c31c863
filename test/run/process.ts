/** Runs test files in one `deno test` process. */
import { pathToFileURL } from "node:url";
import { print } from "../stage/print.ts";
import { bundle, writeEntries } from "./bundles.ts";
import { type Outcome, readOutcome } from "./report.ts";

export interface Options {
  /** The project's root. */
  tree: string;
  /** Ends the process and fails the run. */
  signal: AbortSignal;
  /** `--filter=…` and the like. */
  flags: readonly string[];
}

/** Longer than a run takes on a machine that others keep busy; ends a process in which a test hangs. */
const LIMIT_MINUTES = 60;
/** Bundles at the same time. More than there are cores: tests of leases, limits and browsers wait for a third of their time. */
const JOBS = Math.ceil(navigator.hardwareConcurrency * 1.5);

/**
 * The embedded database is WebAssembly. V8 compiles each function at its first call, and never a second time with
 * optimisations: a test file ends before they pay, and so does a server that it starts, which inherits the variable.
 * Halves the CPU time of most files.
 */
const DENO_V8_FLAGS = "--wasm-lazy-compilation,--liftoff-only";

/** Runs the files in parallel. The console output of `deno test` passes through. */
export async function runFiles(
  title: string,
  files: readonly string[],
  env: Record<string, string>,
  { tree, signal, flags }: Options,
): Promise<Outcome> {
  const bundles = bundle(files, (file) => Deno.readTextFileSync(`${tree}/${file}`));
  print(`\n── ${title}: ${files.length} files in ${bundles.length} bundles`);
  const folder = await Deno.makeTempDir({ prefix: "atrium_run_" });
  const report = `${folder}/report.xml`;
  try {
    const entries = bundles.length === 1 && files.length === 1
      ? files
      : await writeEntries(bundles, folder, pathToFileURL(`${tree}/`));
    const limit = AbortSignal.timeout(LIMIT_MINUTES * 60_000);
    const { code } = await new Deno.Command(Deno.execPath(), {
      // `deno task check` checks the types. Deno 2.9 leaves the sanitizers off by default. A leak in a test is a leak in
      // a server.
      args: [
        "test",
        "-A",
        "--no-check",
        "--parallel",
        "--sanitize-ops",
        "--sanitize-resources",
        `--junit-path=${report}`,
      ]
        .concat(flags, entries),
      cwd: tree,
      env: { DENO_JOBS: `${JOBS}`, DENO_V8_FLAGS, ...env },
      stdin: "null",
      signal: AbortSignal.any([signal, limit]),
    }).spawn().status;
    if (limit.aborted) print(`stopped after ${LIMIT_MINUTES} minutes`);
    return readOutcome({
      report: await Deno.readTextFile(report).catch(() => undefined),
      code,
      filtered: flags.some((flag) => flag.startsWith("--filter=")),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
