/**
 * Applies forward-only migrations, `migrations/0001_….sql` in order, each in one transaction. Several processes may
 * start at once: one holds the lock and applies a migration, and the others then find it applied.
 */
import postgres from "postgres";

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** The database belongs to a newer version, whose tables this version does not know. */
export class DatabaseTooNew extends Error {
  constructor(readonly found: number, readonly known: number) {
    super(`The database is at version ${found}, newer than this program, which knows ${known}: start a newer release`);
  }
}

export class DatabaseTooOld extends Error {
  constructor(found: string) {
    super(`PostgreSQL ${found} is too old: version 14 or later is needed`);
  }
}

/** A new database in which not every text can be stored, or whose functions do not know letters from bytes. */
export class DatabaseNotUnicode extends Error {
  constructor(found: string) {
    super(`The database has the encoding ${found}: create one with the encoding UTF8`);
  }
}

const FOLDER = new URL("./migrations/", import.meta.url);
/** The key of the advisory lock. Any number that no other program on the same database uses. */
const LOCK = 7_146_201_874;

/** The names of the migrations of this version, in order. */
function listMigrations(): string[] {
  return Array.from(Deno.readDirSync(FOLDER), ({ name }) => name).filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort();
}

const versionOf = (name: string) => Number(name.slice(0, 4));

/** The migrations of this version, in order. */
export async function readMigrations(): Promise<Migration[]> {
  return await Promise.all(
    listMigrations().map(async (name) => ({
      version: versionOf(name),
      name,
      sql: await Deno.readTextFile(new URL(name, FOLDER)),
    })),
  );
}

/**
 * Reads the texts of the migrations only if some are to be applied, because almost every start finds none. An empty
 * database gets all of them in one transaction, which takes half the time.
 *
 * @returns the names of the applied migrations
 * @throws {DatabaseTooNew}
 * @throws {DatabaseTooOld}
 * @throws {DatabaseNotUnicode} before anything is written
 */
export async function migrate(sql: postgres.Sql, migrations?: Migration[]): Promise<string[]> {
  const known = migrations ? migrations.at(-1)?.version ?? 0 : versionOf(listMigrations().at(-1) ?? "0");
  const version = await currentVersion(sql, known);
  if (version === known) return [];
  const all = migrations ?? await readMigrations();
  if (version === 0) {
    try {
      return await apply(sql, all, known);
    } catch (error) {
      // One after the other, those before the one that PostgreSQL refuses stay, and the refusal is of that one.
      if (!(error instanceof postgres.PostgresError)) throw error;
    }
  }
  const applied: string[] = [];
  for (const migration of all) applied.push(...await apply(sql, [migration], known));
  return applied;
}

async function currentVersion(sql: postgres.Sql, known: number): Promise<number> {
  const [row] = await sql<{ server: number; shown: string; encoding: string; migrated: boolean }[]>`
    select
      current_setting('server_version_num')::int as server,
      current_setting('server_version') as shown,
      current_setting('server_encoding') as encoding,
      to_regclass('migrations') is not null as migrated
  `;
  if (row && row.server < 140_000) throw new DatabaseTooOld(row.shown);
  if (row && !row.migrated && row.encoding !== "UTF8") throw new DatabaseNotUnicode(row.encoding);
  if (!row?.migrated) return 0;
  const [{ version } = { version: 0 }] = await sql<{ version: number }[]>`
    select coalesce(max(version), 0)::int as version from migrations
  `;
  if (version > known) throw new DatabaseTooNew(version, known);
  return version;
}

/** @returns the names of those that no other process had applied */
const apply = (sql: postgres.Sql, migrations: readonly Migration[], known: number): Promise<string[]> =>
  sql.begin(async (sql) => {
    // A migration of large tables takes longer than any other statement may, and other processes wait for it.
    await sql`set local statement_timeout = 0`;
    await sql`select pg_advisory_xact_lock(${LOCK})`;
    await sql`
      create table if not exists migrations (
        version integer primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )
    `;
    const [{ newest } = { newest: 0 }] = await sql<{ newest: number }[]>`
      select coalesce(max(version), 0)::int as newest from migrations
    `;
    if (newest > known) throw new DatabaseTooNew(newest, known);
    const due = migrations.filter(({ version }) => version > newest);
    if (due.length === 0) return [];
    // The texts are part of this repository. Several statements in one text need the simple protocol.
    await sql.unsafe(due.map(({ sql }) => sql).join(";\n")).simple();
    await sql`insert into migrations ${sql(due, "version", "name")}`;
    return due.map(({ name }) => name);
  });
