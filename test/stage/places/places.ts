/**
 * New databases for tests. Migrations and the first admin's password take two seconds of processor time, so most tests
 * start from a copy of a database that has them.
 */
import postgres from "postgres";
import { migrate, readMigrations } from "../../../db/migrate.ts";
import { readConfig } from "../../../server/config.ts";
import { openDatabase } from "../../../server/database/pool.ts";
import { makeCredentials, prepareAccount } from "../../../server/domains/account/first_start.ts";
import { hashOf } from "../../../server/http/files/variants.ts";
import { createLog } from "../../../server/log.ts";
import { createPasswords } from "../../../server/secrets/passwords.ts";

export const ADMIN_TOKEN = "admin-token-of-the-tests";

/** Of the first admin, whose login is `admin`. */
export const ADMIN_PASSWORD = "password of the tests";

export const on_postgres = Deno.env.get("TEST_DATABASE") === "postgres";

/** Every migration is applied. With an admin, the default account is there as well, with the password and the token. */
type Content = "migrated" | "admin";

/**
 * Makes a new database with this content, as a data folder or in the test run's cluster.
 *
 * @param folder an empty folder, which stays empty on PostgreSQL
 * @returns the address on PostgreSQL
 */
export async function fillPlace(folder: string, content: Content): Promise<string | undefined> {
  if (!on_postgres) return await copyFolder(await originalFolder(content), folder);
  const url = await copyDatabase(await originalDatabase(content));
  await withSql(url, (sql) => sql`update kv_identity set id = gen_random_uuid()`);
  return url;
}

/** Creates an empty database in the test run's cluster, whose administrative address is in `TEST_POSTGRES_URL`. */
export const createDatabase = (): Promise<string> => copyDatabase("template1");

async function copyDatabase(original: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await withSql(adminUrl(), (sql) => sql`create database ${sql(name)} template ${sql(original)}`);
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function adminUrl(): string {
  const url = Deno.env.get("TEST_POSTGRES_URL");
  if (!url) throw new Error("TEST_DATABASE=postgres needs TEST_POSTGRES_URL: run `deno task test`");
  return url;
}

async function withSql<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Of the migrations, and of what follows them. */
const version = async (content: Content) => `${content}_${hashOf(JSON.stringify([ROUNDS, await readMigrations()]))}`;

/** The name of a database with the content. It is created once for each test run. */
async function originalDatabase(content: Content): Promise<string> {
  const name = `original_${await version(content)}`;
  return await withSql(adminUrl(), async (sql) => {
    const isThere = async () => (await sql`select 1 from pg_database where datname = ${name}`).length > 0;
    if (await isThere()) return name;
    const fresh = await createDatabase();
    await fill({ database_url: fresh, data_dir: "" }, content);
    const fresh_name = new URL(fresh).pathname.slice(1);
    // Several test files may create it at the same time. The first one stays.
    await sql`alter database ${sql(fresh_name)} rename to ${sql(name)}`.catch(async (error) => {
      if (!await isThere()) throw error;
      await sql`drop database ${sql(fresh_name)}`;
    });
    return name;
  });
}

/** A data folder with the content. It is created once for each version of the migrations and then kept. */
async function originalFolder(content: Content): Promise<string> {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/atrium_${await version(content)}`;
  if (await exists(folder)) return folder;
  const fresh = await Deno.makeTempDir({ prefix: "atrium_migrating_" });
  await fill({ database_url: undefined, data_dir: fresh }, content);
  // Several test files may create it at the same time. The first folder stays.
  await Deno.rename(fresh, folder).catch(() => Deno.remove(fresh, { recursive: true }));
  return folder;
}

async function fill(place: { database_url: string | undefined; data_dir: string }, content: Content): Promise<void> {
  const database = await openDatabase(place, createLog(() => {}));
  await migrate(database.sql);
  const config = readConfig({ DATA_DIR: place.data_dir, ADMIN_TOKEN, ADMIN_PASSWORD });
  if (content === "admin") {
    await prepareAccount(database.sql, config.admin, () => makeCredentials(quickPasswords(), config.admin));
  }
  await database.close();
}

/** Their logarithm. */
const ROUNDS = 4;

/** With few rounds: tests sign in often. A hash names its rounds, so any server compares it. */
export const quickPasswords = () => createPasswords(ROUNDS);

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

async function copyFolder(from: string, to: string): Promise<undefined> {
  const { success, stderr } = await new Deno.Command("cp", { args: ["-r", `${from}/.`, to] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
