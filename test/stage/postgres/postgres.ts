import postgres from "postgres";
import { freePort } from "../network/ports.ts";
import { findPostgres } from "./binaries.ts";

/** A PostgreSQL cluster that lives as long as the process that started it, or shorter. */
export interface Postgres {
  /** Major version. */
  version: number;
  /** Of the postmaster. */
  pid: number;
  /** The address of a database, by default of the administrative one. */
  url(database?: string): string;
  /** Makes a database, empty or as a copy of `template`, and gives its address. */
  createDatabase(name: string, template?: string): Promise<string>;
  /** Ends the server at once, without a checkpoint, and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** False trades safety against a power cut, which no test notices, for commits that do not wait for a disk. */
  fsync?: boolean;
}

/**
 * Makes and holds the cluster, and ends it and removes its folder when standard input closes: the kernel closes that pipe
 * however the starting process ends, `kill -9` included. The signals that a terminal sends to the whole group must not
 * end this shell before its work is done. What initdb and the server logged goes to standard error.
 */
const KEEPER = `
trap '' INT TERM HUP
bin=$1 folder=$2 locale=$3; shift 3
exec 3<&0
{
  "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale="$locale" --no-sync &&
  exec "$bin/postgres" -D "$folder/data" -k "$folder" "$@"
} 3<&- </dev/null >"$folder/log" 2>&1 &
server=$!
{ read -r _; while kill -QUIT "$server"; do sleep 0.2; done; } <&3 2>/dev/null &
watch=$!
wait "$server"
kill -KILL "$watch"
cat "$folder/log" >&2
rm -rf "$folder"
`;

const STOCK = ["-c", "max_connections=200"];
const QUICK = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];

type User = { uid: number; gid: number } | undefined;

/** PostgreSQL refuses to run as root, so root lends itself to another user: Debian's `postgres`, else `nobody`. */
async function unprivileged(): Promise<User> {
  if (Deno.uid() !== 0) return undefined;
  const users = (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor nobody");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** The postmaster's process id once it takes connections: line 8 of its file, which is what `pg_ctl` waits for too. */
async function readyPid(data: string): Promise<number | undefined> {
  try {
    const lines = (await Deno.readTextFile(`${data}/postmaster.pid`)).split("\n");
    return lines[7]?.trim() === "ready" ? Number(lines[0]) : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Looks every 20 ms; undefined when the server ended first, or is not ready after 30 s. */
async function untilReady(data: string, hasEnded: () => boolean): Promise<number | undefined> {
  for (let tries = 0; tries < 1500 && !hasEnded(); tries++) {
    const pid = await readyPid(data);
    if (pid !== undefined) return pid;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

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

/** Makes a database (a plain name: letters, digits, `_`) on the server at `admin`, empty or a copy of `template`. */
export async function createDatabase(admin: string, name: string, template = "template1"): Promise<string> {
  await withAdmin(admin, (sql) => sql`create database ${sql(name)} template ${sql(template)}`);
  return sibling(admin, name);
}

/** Removes a database, and whoever is still connected to it. */
export async function dropDatabase(admin: string, name: string): Promise<void> {
  await withAdmin(admin, (sql) => sql`drop database if exists ${sql(name)} with (force)`);
}

/**
 * Starts a throw-away PostgreSQL on a free port of 127.0.0.1, with stock settings, or gives undefined where this
 * machine has no PostgreSQL 14 or newer. Nothing of it outlives the calling process.
 *
 * @throws {Error} with the server's own log where it does not start.
 */
export async function startPostgres({ fsync = true }: PostgresOptions = {}): Promise<Postgres | undefined> {
  const binaries = await findPostgres();
  if (!binaries) return undefined;
  const user = await unprivileged();
  const folder = await Deno.makeTempDir({ prefix: "atrium_postgres_" });
  if (user) await Deno.chown(folder, user.uid, user.gid);
  // What lower() and order by do must not depend on the developer's own locale.
  const locale = Deno.build.os === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
  const port = freePort();
  const address = ["-h", "127.0.0.1", "-p", `${port}`];
  const keeper = new Deno.Command("/bin/sh", {
    args: ["-c", KEEPER, "sh", binaries.folder, folder, locale, ...address, ...STOCK, ...(fsync ? [] : QUICK)],
    cwd: "/",
    // Deno kills what it spawned when it ends in order, and the keeper has work to do just then.
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
    stop,
  };
}
