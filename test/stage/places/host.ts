/**
 * A host like Deno Deploy: one address, behind which instances of Atrium are started by requests and stopped with SIGINT.
 * Instances share neither memory nor disk; the file of Deno KV stands for the host's store.
 */
import { freePort } from "../network/ports.ts";
import { createDatabase } from "./places.ts";
import { until } from "../until.ts";

const CHECKOUT = new URL("../../../", import.meta.url).pathname;
/** What the host grants, without writing to the checkout: `--allow-all` knows no exception. */
const PERMISSIONS = [
  ...["read", "write", "net", "env", "sys", "ffi", "import"].map((name) => `--allow-${name}`),
  `--deny-write=${CHECKOUT}`,
];
/** The host's own version, by its documentation. */
export const HOSTED_VERSION = "2.5.0";
const INHERITED = ["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "TMPDIR", "SSL_CERT_FILE"];
/** The host waits for 5 s, on machines that are not as busy as those of tests. */
const SIGKILL_AFTER_MS = 30_000;
/** For the pipes of an instance that has ended: a child of it that lives on would keep them open. */
const PIPES_MS = 10_000;
/** A download, or a build on a busy machine. */
const TOOL_MS = 300_000;

/** npm's copy of that version. @returns undefined if npm cannot provide it @throws {Error} in CI */
export async function findHostedDeno(): Promise<string | undefined> {
  const found = await new Deno.Command("npx", {
    args: [
      "-y",
      `deno@${HOSTED_VERSION}`,
      "eval",
      "await Deno.stdout.write(new TextEncoder().encode(Deno.execPath()))",
    ],
    stderr: "piped",
    signal: AbortSignal.timeout(TOOL_MS),
  }).output().catch(() => undefined);
  if (found?.success) return new TextDecoder().decode(found.stdout);
  const reason = found ? new TextDecoder().decode(found.stderr) : "there is no npx";
  if (Deno.env.get("CI") === "true") throw new Error(`npx provides no Deno ${HOSTED_VERSION}: ${reason}`);
}

/** Packs the server of this checkout with that version, as the host's build does. */
export async function packServer(deno: string): Promise<void> {
  const args = ["run", "--allow-all", "--quiet", `${CHECKOUT}server/compiler/packed/build.ts`];
  const env = { DENO_TLS_CA_STORE: "system,mozilla", NO_COLOR: "1" };
  const options = { args, env, cwd: CHECKOUT, signal: AbortSignal.timeout(TOOL_MS) };
  const { success, stderr } = await new Deno.Command(deno, options).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

export interface Stopped {
  code: number;
  /** Whether it had to be killed. */
  killed: boolean;
  stderr: string;
}

export interface Instance {
  port: number;
  output(): string;
  /** Takes it from the address, sends SIGINT, and SIGKILL if it does not end. */
  stop(): Promise<Stopped>;
  /** Resolves when it has ended. */
  ended: Promise<Pick<Stopped, "code" | "stderr">>;
}

export interface Host extends AsyncDisposable {
  url: string;
  instances: readonly Instance[];
  /** Starts one more, beside those that requests start. */
  start(): Promise<Instance>;
  /** The working folder of all instances, in which they should write nothing. */
  folder: string;
}

/** What instances may do. */
interface Means {
  /** Whether they may start subprocesses. */
  has_subprocesses?: boolean;
  /** See `findReadOnly`. */
  readOnly?: ((writable: string) => string[]) | undefined;
  /** By default a new, empty one. */
  database_url?: string;
}

/**
 * A file system on which a command can write to one folder only. Permissions of Deno do not suffice: they hold neither for
 * its own caches nor for subprocesses.
 *
 * @returns the beginning of a command; undefined where the kernel refuses it
 */
export async function findReadOnly(): Promise<((writable: string) => string[]) | undefined> {
  const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && exec "$@"';
  const within = (writable: string) => ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", writable];
  const folder = await Deno.makeTempDir({ prefix: "atrium_hosted_" });
  try {
    const probe = `touch "$1/file" && ! touch "$2/file" && ! touch "$3/file"`;
    const [program = "", ...args] = [...within(folder), "sh", "-c", probe, "sh", folder, CHECKOUT, denoFolder()];
    const found = await new Deno.Command(program, { args }).output().catch(() => undefined);
    return found?.success ? within : undefined;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** @param environment further variables of the app */
export async function openHost(
  deno: string,
  environment: Record<string, string> = {},
  { has_subprocesses = true, readOnly, database_url }: Means = {},
): Promise<Host> {
  const permissions = [...PERMISSIONS, has_subprocesses ? "--allow-run" : "--deny-run"];
  const folder = await Deno.makeTempDir({ prefix: "atrium_hosted_" });
  const store = await Deno.makeTempDir({ prefix: "atrium_hosted_kv_" });
  const { hostname, port, username, password, pathname } = new URL(database_url ?? await createDatabase());
  const command = [...readOnly?.(store) ?? [], deno];
  const env = {
    ...Object.fromEntries(inherited()),
    DENO_DIR: denoFolder(),
    NO_COLOR: "1",
    // Older versions know only their own certificates.
    DENO_TLS_CA_STORE: "system,mozilla",
    DENO_DEPLOY: "true",
    DENO_DEPLOYMENT_ID: crypto.randomUUID(),
    DENO_TIMELINE: "production",
    DENO_KV_DEFAULT_PATH: `${store}/kv.sqlite3`,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
    SECRET_KEYS: "k1:0123456789abcdef0123456789abcdef",
    ...environment,
  };
  const instances: Running[] = [];
  let starting: Promise<Instance> | undefined;
  let turn = 0;
  let is_closed = false;
  const closing = new AbortController();

  async function start(): Promise<Instance> {
    if (is_closed) throw new Error("the host is closed");
    const instance = run(command, permissions, { ...env, PORT: String(freePort()) }, folder, () => {
      if (instances.includes(instance)) instances.splice(instances.indexOf(instance), 1);
    });
    instances.push(instance);
    await instance.listening;
    return instance;
  }

  /** The next one that listens; the first request starts one. */
  async function next(): Promise<Instance> {
    const listening = instances.filter(({ listens }) => listens());
    return listening[turn++ % listening.length] ?? await (starting ??= start().finally(() => starting = undefined));
  }

  // Aborted, because a graceful shutdown would wait for answers and connections that a failed test has left.
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: closing.signal };
  const address = Deno.serve(options, async (request) => {
    const { pathname, search } = new URL(request.url);
    try {
      const { port } = await next();
      return await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: "manual",
        signal: request.signal,
      });
    } catch {
      return new Response("Bad Gateway", { status: 502 });
    }
  });

  return {
    url: `http://127.0.0.1:${address.addr.port}`,
    instances,
    start,
    folder,
    async [Symbol.asyncDispose]() {
      is_closed = true;
      await Promise.all([...instances].map((instance) => instance.stop()));
      closing.abort();
      await address.finished;
      for (const one of [folder, store]) await Deno.remove(one, { recursive: true });
    },
  };
}

interface Running extends Instance {
  listening: Promise<void>;
  listens(): boolean;
}

/** Where Deno keeps packages, also for an instance without a home. */
const denoFolder = () =>
  Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;

const inherited = () =>
  INHERITED.flatMap((name): [string, string][] => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });

/** @param taken is called when it gets no more requests */
function run(
  [program = "", ...before]: string[],
  permissions: string[],
  env: Record<string, string>,
  cwd: string,
  taken: () => void,
): Running {
  const args = [...before, "run", ...permissions, "--quiet", `${CHECKOUT}main.ts`];
  const child = new Deno.Command(program, {
    args,
    env,
    clearEnv: true,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  })
    .spawn();
  let output = "";
  let errors = "";
  let is_over = false;
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>, take: (text: string) => void) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
  };
  const pipes = Promise.all([
    read(child.stdout, (text) => output += text),
    read(child.stderr, (text) => errors += text),
  ]);
  const ended = child.status.then(async ({ code }) => {
    is_over = true;
    taken();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, PIPES_MS);
    await Promise.race([pipes, late]);
    clearTimeout(limit);
    return { code, stderr: errors };
  });
  const listens = () => /^listening on /m.test(output);
  return {
    port: Number(env.PORT),
    output: () => output,
    ended,
    listens,
    listening: until(() => listens() || is_over, "it listens", 120_000),
    async stop() {
      taken();
      let killed = false;
      if (!is_over) child.kill("SIGINT");
      const limit = setTimeout(() => {
        killed = true;
        child.kill("SIGKILL");
      }, SIGKILL_AFTER_MS);
      const end = await ended;
      clearTimeout(limit);
      return { ...end, killed };
    },
  };
}
