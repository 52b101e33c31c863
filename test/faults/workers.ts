/** Workers as processes that can be killed, paused and stopped. */
import { freePort } from "../stage/ports.ts";
import { addressOf } from "./oracle.ts";

export const TREE = new URL("../../", import.meta.url).pathname;
export const TOKEN = "token-of-the-fault-test";
export const SECRET_KEYS = "k1:0123456789abcdef0123456789abcdef";
/** What a process needs of this one's environment. */
const INHERITED = ["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "TMPDIR"];
const READY_MS = 30_000;

export interface WorkerOptions {
  /** Where its modules stand; the project's own unless told. */
  tree?: string | undefined;
  index: number;
  lease_ms: number;
  /** 0: only when it is asked to. */
  sweep_ms: number;
  environment: Record<string, string>;
}

export interface Answer {
  /** 0 where there was none. */
  status: number;
  // deno-lint-ignore no-explicit-any -- whoever asks knows what it is
  body: any;
}

export interface Worker {
  index: number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
  ask(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** When it found itself declared dead, by `performance.now()`. */
  deaths: number[];
  output(): string;
}

/** @throws {Error} with what it wrote where it does not listen */
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
      // It has ended by itself.
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
    resume: () => child.kill("SIGCONT"),
    stop: () => end("SIGTERM"),
    ask: (method, path, json, headers) => ask(`http://127.0.0.1:${port}${path}`, method, json, headers),
    deaths,
    output: () => output,
  };
  return worker;
}

/** A worker that is paused answers late or never. */
const ANSWER_MS = 6_000;

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
