/** Starts Atrium as a separate process, with the permissions of `deno task start`. */
import { createDatabase, fillPlace, on_postgres } from "./places/places.ts";
import { freePort } from "./network/ports.ts";
import { until } from "./until.ts";

const TREE = new URL("../../", import.meta.url);
/** Environment variables that the process inherits. Settings of Atrium are not inherited. */
const INHERITED = ["PATH", "HOME", "DENO_DIR", "DENO_V8_FLAGS", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "TMPDIR"];
/** Long, because several processes may start on a busy machine. */
const READY_MS = 120_000;
/** The warning that Deno writes to standard error because `-P` is not stable yet. */
const OF_DENO = /^Warning Permissions in the config file is an experimental feature.*\n/m;

export type Environment = Record<string, string>;

/** A data folder and, if the tests run on PostgreSQL, a database. */
export interface Place extends AsyncDisposable {
  folder: string;
  environment: Environment;
}

export const SECRET_KEYS = "k1:0123456789abcdef0123456789abcdef";

/** @param database_url by default a new, empty database */
export async function emptyPlace(database_url?: string): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_start_" });
  const url = database_url ?? (on_postgres ? await createDatabase() : undefined);
  return placeOf(folder, url);
}

/** A place with every migration applied and no account. A server starts faster there than in an empty one. */
export async function newPlace(): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_start_" });
  return placeOf(folder, await fillPlace(folder, "migrated"));
}

/** A place with the first admin, whose login is `admin`. */
export async function adminPlace(): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_start_" });
  return placeOf(folder, await fillPlace(folder, "admin"));
}

function placeOf(folder: string, url: string | undefined): Place {
  return {
    folder,
    environment: { DATA_DIR: folder, ...(url && { DATABASE_URL: url, SECRET_KEYS }) },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

export interface End {
  code: number;
  /** The whole output. */
  stdout: string;
  stderr: string;
}

export interface Process extends AsyncDisposable {
  pid: number;
  port: number;
  url: string;
  /** The standard output so far. */
  output(): string;
  /** The lines of the log so far. */
  logged(): Record<string, unknown>[];
  kill(signal: Deno.Signal): void;
  ended: Promise<End>;
}

/** Runs `main.ts` with these arguments until it ends. */
export const run = (environment: Environment, ...args: string[]): Promise<End> => spawn(environment, args).ended;

/**
 * @param tree the folder of its sources
 * @throws {Error} with its output if it does not listen in time
 */
export async function launch(environment: Environment, tree = TREE): Promise<Process> {
  const process = spawn(environment, [], tree);
  const patience = AbortSignal.timeout(READY_MS);
  await Promise.race([process.listening, process.ended]);
  if (!process.output().includes("listening on ") || patience.aborted) {
    process.kill("SIGKILL");
    const { code, stdout, stderr } = await process.ended;
    throw new Error(`not ready; it ended with ${code} and wrote\n${stdout}\n${stderr}`);
  }
  return process;
}

/** Starts `main.ts` without waiting for anything. */
export function spawn(environment: Environment, args: string[], tree = TREE): Process & { listening: Promise<void> } {
  const port = Number(environment.PORT ?? freePort());
  const inherited = INHERITED.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-P", "main.ts", ...args],
    cwd: tree,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", PORT: String(port), ...environment },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const read = async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (/^listening on .+\n/m.test(output)) resolve();
    }
    return output;
  };
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch (error) {
      // The process has already ended.
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  const ended = Promise.all([child.status, read(), child.stderr.text()])
    .then(([{ code }, stdout, stderr]) => ({ code, stdout, stderr: stderr.replace(OF_DENO, "") }));
  return {
    pid: child.pid,
    port,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    logged: () =>
      output.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}")).map((line) => JSON.parse(line)),
    kill,
    listening,
    ended,
    async [Symbol.asyncDispose]() {
      kill("SIGKILL");
      await ended;
    },
  };
}

/** Sends a signal and waits for the end. @returns how it ended, and the time that it took */
export async function stop(process: Process, signal: Deno.Signal = "SIGTERM"): Promise<End & { ms: number }> {
  const began = performance.now();
  process.kill(signal);
  const end = await process.ended;
  return { ...end, ms: performance.now() - began };
}

/** Sends a request. @returns the status and the body */
export async function ask(
  url: string,
  token?: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  const headers = new Headers(init.headers);
  if (token) headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(url, { ...init, headers });
  return { status: response.status, text: await response.text() };
}

/** Waits until its stores take writes. Not one look: on a busy machine they may need more than the patience of `/readyz`. */
export const untilReady = ({ url }: Pick<Process, "url">): Promise<void> =>
  until(async () => (await ask(`${url}/readyz`)).status === 200, "the server is ready");
