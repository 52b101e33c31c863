import postgres from "postgres";
import { freePort } from "../network/ports.ts";
import { until } from "../until.ts";
import { findPostgres } from "./binaries.ts";

/** A PostgreSQL cluster that ends at the latest with the process that started it. */
export interface Postgres {
  /** The major version. */
  version: number;
  /** The process id of the postmaster. */
  pid: number;
  /** The address of a database, by default the administrative one. */
  url(database?: string): string;
  /** Creates a database, empty or as a copy of `template`. @returns its address */
  createDatabase(name: string, template?: string): Promise<string>;
  /**
   * Stops the server: `immediate` like a crash, `fast` like a restart by its administrator.
   *
   * @returns starts it again and waits until it accepts connections
   */
  interrupt(mode: "immediate" | "fast"): Promise<() => Promise<void>>;
  /** Ends the server immediately, without a checkpoint, and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** False: commits do not wait for the disk and are lost in a power cut, which no test notices. */
  fsync?: boolean;
}

/**
 * Creates and runs the cluster. When standard input closes, ends the server and removes the folder: the kernel closes
 * that pipe however the starting process ends, also after `kill -9`. The shell ignores the signals that a terminal sends
 * to the whole process group, so that it can clean up. The log of initdb and the server goes to standard error.
 *
 * While the file `paused` exists, a server that has ended is not the end: the keeper creates the file `stopped`, and starts
 * the server again when `paused` is removed.
 */
const KEEPER = `
trap '' INT TERM HUP
bin=$1 folder=$2 locale=$3; shift 3
exec 3<&0
{
  read -r _
  : >"$folder/over"
  while :; do
    kill -QUIT "$(cat "$folder/pid")"
    sleep 0.2
  done
} <&3 >/dev/null 2>&1 &
watch=$!
run() {
  "$@" 3<&- </dev/null >>"$folder/log" 2>&1 &
  echo $! >"$folder/pid"
  wait $!
}
if run "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale="$locale" --no-sync; then
  while [ ! -e "$folder/over" ]; do
    run "$bin/postgres" -D "$folder/data" -k "$folder" "$@"
    [ -e "$folder/paused" ] || break
    : >"$folder/stopped"
    while [ -e "$folder/paused" ] && [ ! -e "$folder/over" ]; do sleep 0.05; done
    rm -f "$folder/stopped"
  done
fi
kill -KILL "$watch"
cat "$folder/log" >&2
rm -rf "$folder"
`;

const STOCK = ["-c", "max_connections=200"];
const QUICK = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];

type User = { uid: number; gid: number } | undefined;

/** The user for the server if this process is root, as which PostgreSQL refuses to run: `postgres` or `nobody`. */
async function unprivileged(): Promise<User> {
  if (Deno.uid() !== 0) return undefined;
  const users = (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor nobody");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** The postmaster's process id once it accepts connections, as line 8 of its file says. `pg_ctl` waits for the same. */
async function readyPid(data: string): Promise<number | undefined> {
  try {
    const lines = (await Deno.readTextFile(`${data}/postmaster.pid`)).split("\n");
    return lines[7]?.trim() === "ready" ? Number(lines[0]) : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Checks every 20 ms. @returns undefined if the server ends before or is not ready after 120 s */
async function untilReady(data: string, hasEnded: () => boolean): Promise<number | undefined> {
  for (let tries = 0; tries < 6000 && !hasEnded(); tries++) {
    const pid = await readyPid(data);
    if (pid !== undefined) return pid;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

const exists = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

async function withAdmin<T>(admin: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(admin, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** The address of another database on the server at `admin`. */
function sibling(admin: string, database: string): string {
  const url = new URL(admin);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates a database on the server at `admin`, empty or as a copy of `template`. @returns its address */
export async function createDatabase(admin: string, name: string, template = "template1"): Promise<string> {
  await withAdmin(admin, (sql) => sql`create database ${sql(name)} template ${sql(template)}`);
  return sibling(admin, name);
}

/** Removes a database and ends its connections. */
export async function dropDatabase(admin: string, name: string): Promise<void> {
  await withAdmin(admin, (sql) => sql`drop database if exists ${sql(name)} with (force)`);
}

/**
 * Starts a temporary PostgreSQL with default settings on a free port of 127.0.0.1. Its processes and files do not outlive
 * the calling process.
 *
 * @returns undefined if no PostgreSQL 14 or newer is installed
 * @throws {Error} with the server's log if it does not start
 */
export async function startPostgres({ fsync = true }: PostgresOptions = {}): Promise<Postgres | undefined> {
  const binaries = await findPostgres();
  if (!binaries) return undefined;
  const user = await unprivileged();
  const folder = await Deno.makeTempDir({ prefix: "atrium_postgres_" });
  if (user) await Deno.chown(folder, user.uid, user.gid);
  // The results of lower() and order by must not depend on the developer's locale.
  const locale = Deno.build.os === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
  const port = freePort();
  const address = ["-h", "127.0.0.1", "-p", `${port}`];
  const keeper = new Deno.Command("/bin/sh", {
    args: ["-c", KEEPER, "sh", binaries.folder, folder, locale, ...address, ...STOCK, ...(fsync ? [] : QUICK)],
    cwd: "/",
    // Deno kills its child processes when it ends, but the keeper must clean up then.
    detached: true,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
    ...user,
  }).spawn();
  let ended = false;
  const log = keeper.stderr.text().finally(() => ended = true);
  let stopping: Promise<void> | undefined;
  const stop = () => stopping ??= keeper.stdin.close().then(() => Promise.all([log, keeper.status])).then(() => {});
  const pid = await untilReady(`${folder}/data`, () => ended);
  if (pid === undefined) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${await log}`);
  }
  const admin = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    version: binaries.version,
    pid,
    url: (database) => database === undefined ? admin : sibling(admin, database),
    createDatabase: (name, template) => createDatabase(admin, name, template),
    async interrupt(mode) {
      const paused = `${folder}/paused`;
      const running = await readyPid(`${folder}/data`);
      if (running === undefined) throw new Error("PostgreSQL is not running");
      await Deno.writeTextFile(paused, "");
      Deno.kill(running, mode === "fast" ? "SIGINT" : "SIGQUIT");
      // The keeper knows of it, too: otherwise it would take the end of the server for the end of all.
      await until(() => exists(`${folder}/stopped`), "PostgreSQL has stopped");
      return async () => {
        await Deno.remove(paused);
        if (await untilReady(`${folder}/data`, () => ended) === undefined) {
          throw new Error(`PostgreSQL did not start again: ${await log}`);
        }
      };
    },
    stop,
  };
}
