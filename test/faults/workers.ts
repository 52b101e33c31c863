/** Workers as processes that can be killed, paused and stopped. */
import { freePort } from "../stage/network/ports.ts";
import { addressOf } from "./oracle.ts";

export const TREE = new URL("../../", import.meta.url).pathname;
export const TOKEN = "token-of-the-fault-test";
export const SECRET_KEYS = "k1:0123456789abcdef0123456789abcdef";
/** Environment variables that a worker inherits. Settings of Atrium are not inherited. */
const INHERITED = ["PATH", "HOME", "DENO_DIR", "DENO_V8_FLAGS", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "TMPDIR"];
/** Long, because several workers may start on a busy machine. */
const READY_MS = 120_000;

export interface WorkerOptions {
  /** The root of its source tree, by default this project's. */
  tree?: string | undefined;
  index: number;
  lease_ms: number;
  /** 0 for sweeps on request only. */
  sweep_ms: number;
  environment: Record<string, string>;
}

export interface Answer {
  /** 0 if there was no answer. */
  status: number;
  // deno-lint-ignore no-explicit-any -- tests know what they ask for
  body: any;
}

export interface Worker {
  index: number;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  pause(): void;
  /** Pauses it, but not inside a commit to Deno KV: it would keep the file's lock, and no other worker could go on. */
  pauseBetweenCommits(): void;
  resume(): void;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
  ask(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The times (`performance.now()`) at which it noticed that a peer had declared it dead. */
  deaths: number[];
  output(): string;
}

/** @throws {Error} with its output if it ends before it listens */
export async function launchWorker({ tree = TREE, index, lease_ms, sweep_ms, environment }: WorkerOptions) {
  const port = freePort();
  const inherited = INHERITED.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `--config=${tree}/deno.json`, `${tree}/test/faults/worker.ts`]
      .concat(`${lease_ms}`, `${sweep_ms}`, addressOf(index)),
    cwd: tree,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", PORT: `${port}`, ADMIN_TOKEN: TOKEN, ...environment },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const deaths: number[] = [];
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (text.includes("declared dead by another process")) deaths.push(performance.now());
      if (/^listening on .+\n/m.test(output)) resolve();
    }
  };
  const ended = Promise.all([child.status, read(child.stdout), read(child.stderr)]);
  const end = async (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch (error) {
      // The process has already ended.
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
    await ended;
  };
  const patience = setTimeout(() => child.kill("SIGKILL"), READY_MS);
  await Promise.race([listening, ended]);
  clearTimeout(patience);
  if (!output.includes("listening on ")) {
    await end("SIGKILL");
    throw new Error(`a worker did not start; it wrote\n${output}`);
  }
  const worker: Worker = {
    index,
    kill: () => end("SIGKILL"),
    pause: () => child.kill("SIGSTOP"),
    pauseBetweenCommits: () => pauseBetweenCommits(child),
    resume: () => child.kill("SIGCONT"),
    stop: () => end("SIGTERM"),
    ask: (method, path, json, headers) => ask(`http://127.0.0.1:${port}${path}`, method, json, headers),
    deaths,
    output: () => output,
  };
  return worker;
}

/** How long a process goes on that was paused inside a commit. */
const COMMIT_MS = 3;

/** The kernel's list tells which process has a lock. Linux only. */
function pauseBetweenCommits(child: Deno.ChildProcess): void {
  for (;;) {
    child.kill("SIGSTOP");
    const locked = Deno.readTextFileSync("/proc/locks").split("\n")
      .some((line) => /\bPOSIX +ADVISORY +WRITE\b/.test(line) && line.includes(` ${child.pid} `));
    if (!locked) return;
    child.kill("SIGCONT");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, COMMIT_MS);
  }
}

/** Longer than a pause. A killed worker's connections close at once. */
const ANSWER_MS = 60_000;

async function ask(url: string, method: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
      body: json === undefined ? null : JSON.stringify(json),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  } catch (error) {
    return { status: 0, body: `${error}` };
  }
}
