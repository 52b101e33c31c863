import { fileURLToPath } from "node:url";
import { freePort } from "../../stage/network/ports.ts";

const tree = fileURLToPath(new URL("../../..", import.meta.url));

export interface Launch {
  /** Arguments of `deno run`. */
  args: string[];
  env: Record<string, string>;
  /** The file for its output: writing the log is part of a server's work. */
  log: string;
  /** The path that is requested until it answers 200. */
  first: string;
  headers?: Record<string, string>;
}

/** A measured server in a separate process. */
export interface Server {
  pid: number;
  origin: string;
  /** Milliseconds from launch to the first answer with data. */
  started_ms: number;
  stop(): Promise<void>;
  /** @throws {Error} with the end of the log, if the process has ended */
  check(): Promise<void>;
  /** Resolves when the log has an event with this prefix. @throws {Error} after two minutes, or if the process ended */
  says(event: string): Promise<void>;
}

async function answers(url: string, headers: Record<string, string>): Promise<boolean> {
  try {
    const response = await fetch(url, { headers });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    // The server does not listen yet.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function untilItAnswers(url: string, headers: Record<string, string>, hasEnded: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 6000 && !hasEnded(); tries++) {
    if (await answers(url, headers)) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

/** @throws {Error} with the end of the log, if it does not answer within 30 s */
export async function launch({ args, env, log, first, headers = {} }: Launch, port = freePort()): Promise<Server> {
  const origin = `http://127.0.0.1:${port}`;
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => /^(PATH|HOME|DENO_DIR|TMPDIR)$/.test(name));
  const began = performance.now();
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'log=$1; shift; exec "$@" >>"$log" 2>&1', "sh", log, Deno.execPath(), "run", ...args],
    cwd: tree,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), ...env, HOST: "127.0.0.1", PORT: `${port}` },
    stdin: "null",
  }).spawn();
  let ended = false;
  void child.status.then(() => ended = true);
  const stop = async () => {
    if (ended) return;
    child.kill("SIGTERM");
    const patience = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await child.status;
    clearTimeout(patience);
  };
  const fail = async (what: string) => {
    throw new Error(`${args.join(" ")} ${what}:\n${(await Deno.readTextFile(log)).slice(-2000)}`);
  };
  const check = async () => {
    if (ended) await fail("ended");
  };
  const says = async (event: string) => {
    for (let tries = 0; tries < 600; tries++) {
      if ((await Deno.readTextFile(log)).includes(`"event":"${event}`)) return;
      await check();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await fail(`does not say ${event}`);
  };
  if (!await untilItAnswers(`${origin}${first}`, headers, () => ended)) {
    await stop();
    await fail("does not serve");
  }
  return { pid: child.pid, origin, started_ms: performance.now() - began, stop, check, says };
}
