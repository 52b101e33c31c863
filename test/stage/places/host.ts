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
  }).output().catch(() => undefined);
  if (found?.success) return new TextDecoder().decode(found.stdout);
  const reason = found ? new TextDecoder().decode(found.stderr) : "there is no npx";
  if (Deno.env.get("CI") === "true") throw new Error(`npx provides no Deno ${HOSTED_VERSION}: ${reason}`);
}

/** Packs the server of this checkout with that version, as the host's build does. */
export async function packServer(deno: string): Promise<void> {
  const args = ["run", "--allow-all", "--quiet", `${CHECKOUT}server/compiler/packed/build.ts`];
  const env = { DENO_TLS_CA_STORE: "system,mozilla", NO_COLOR: "1" };
  const { success, stderr } = await new Deno.Command(deno, { args, env, cwd: CHECKOUT }).output();
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

/** @param environment further variables of the app @param has_subprocesses whether instances may start them */
export async function openHost(
  deno: string,
  environment: Record<string, string> = {},
  has_subprocesses = true,
): Promise<Host> {
  const permissions = [...PERMISSIONS, has_subprocesses ? "--allow-run" : "--deny-run"];
  const folder = await Deno.makeTempDir({ prefix: "atrium_hosted_" });
  const store = await Deno.makeTempDir({ prefix: "atrium_hosted_kv_" });
  const { hostname, port, username, password, pathname } = new URL(await createDatabase());
  const env = {
    ...Object.fromEntries(inherited()),
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

  async function start(): Promise<Instance> {
    const instance = run(deno, permissions, { ...env, PORT: String(freePort()) }, folder, () => {
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

  const address = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const { port } = await next();
    return await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      redirect: "manual",
      signal: request.signal,
    }).catch(() => new Response("Bad Gateway", { status: 502 }));
  });

  return {
    url: `http://127.0.0.1:${address.addr.port}`,
    instances,
    start,
    folder,
    async [Symbol.asyncDispose]() {
      await Promise.all([...instances].map((instance) => instance.stop()));
      await address.shutdown();
      for (const one of [folder, store]) await Deno.remove(one, { recursive: true });
    },
  };
}

interface Running extends Instance {
  listening: Promise<void>;
  listens(): boolean;
}

const inherited = () =>
  INHERITED.flatMap((name): [string, string][] => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });

/** @param taken is called when it gets no more requests */
function run(
  deno: string,
  permissions: string[],
  env: Record<string, string>,
  cwd: string,
  taken: () => void,
): Running {
  const args = ["run", ...permissions, "--quiet", `${CHECKOUT}main.ts`];
  const child = new Deno.Command(deno, {
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
  let is_over = false;
  const read = async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) output += text;
  };
  const ended = Promise.all([child.status, child.stderr.text(), read()]).then(([{ code }, stderr]) => {
    is_over = true;
    taken();
    return { code, stderr };
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
