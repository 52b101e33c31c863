/** Migrations on PostgreSQL, where several processes may start at once. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { DatabaseTooNew, migrate, type Migration, readMigrations } from "../../db/migrate.ts";
import { createDatabase, on_postgres } from "../stage/harness.ts";
import { ask, emptyPlace, launch, stop } from "../stage/launch.ts";

function onPostgres(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !on_postgres, fn });
}

/** A connection to a new, empty database. */
async function emptyDatabase(url?: string, connection: postgres.Options<Record<string, never>>["connection"] = {}) {
  const sql = postgres(url ?? await createDatabase(), { max: 4, onnotice: () => {}, connection });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}

const tablesOf = async (sql: postgres.Sql) =>
  (await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1
  `).map(({ name }) => name);

const step = (version: number, sql: string): Migration => ({ version, name: `000${version}_step.sql`, sql });

onPostgres(
  "migrate: three processes that start together on an empty database all get ready, with one account",
  async () => {
    const url = await createDatabase();
    await using stack = new AsyncDisposableStack();
    const places = [await emptyPlace(url), await emptyPlace(url), await emptyPlace(url)];
    for (const place of places) stack.use(place);
    const environment = { ADMIN_TOKEN: "shared-admin-token", KV_URL: `${places[0]?.folder}/kv.sqlite3` };
    const processes = await Promise.all(places.map((place) => launch({ ...place.environment, ...environment })));
    for (const process of processes) stack.use(process);

    for (const { url } of processes) {
      assert.equal((await ask(`${url}/account.json`, environment.ADMIN_TOKEN)).status, 200);
    }
    const banners = processes.filter((process) => process.output().includes("ready for its first admin"));
    assert.equal(banners.length, 1, "the password is shown by the one that made it");

    await using sql = await emptyDatabase(url);
    const names = (await readMigrations()).map(({ name }) => name);
    assert.deepEqual((await sql`select name from migrations order by version`).map(({ name }) => name), names);
    const [counts] = await sql`
    select
      (select count(*)::int from accounts) as accounts,
      (select count(*)::int from users) as users,
      (select count(*)::int from users where role = 'admin') as admins,
      (select count(*)::int from tokens) as tokens
  `;
    assert.deepEqual({ ...counts }, { accounts: 1, users: 1, admins: 1, tokens: 1 });
    const migrated = processes.flatMap((process) => process.logged()).filter(({ event }) => event === "migrated");
    const applied = migrated.reduce((sum, { count }) => sum + Number(count), 0);
    assert.equal(applied, names.length, "each was applied by one of them");
    assert.ok(migrated.some(({ first }) => first === names[0]));
    assert.ok(migrated.some(({ last }) => last === names.at(-1)));
    const ends = await Promise.all(processes.map((process) => stop(process)));
    assert.deepEqual(ends.map(({ code, stderr }) => [code, stderr]), Array(3).fill([0, ""]));
  },
);

onPostgres(
  "migrate: one account and admin also where nothing but chance decides whose token is generated",
  async () => {
    const url = await createDatabase();
    await using stack = new AsyncDisposableStack();
    const places = [await emptyPlace(url), await emptyPlace(url)];
    for (const place of places) stack.use(place);
    const KV_URL = `${places[0]?.folder}/kv.sqlite3`;
    const processes = await Promise.all(places.map((place) => launch({ ...place.environment, KV_URL })));
    for (const process of processes) stack.use(process);
    const shown = processes.flatMap((process) => /^ +token +(\S+)$/m.exec(process.output())?.[1] ?? []);
    assert.equal(shown.length, 1);
    const answers = await Promise.all(processes.map(({ url }) => ask(`${url}/account.json`, shown[0])));
    assert.deepEqual(answers.map(({ status }) => status), [200, 200]);
  },
);

onPostgres("migrate: a failing migration leaves nothing half applied, and those before it stay", async () => {
  await using sql = await emptyDatabase();
  const first = step(1, "create table ones (id integer); insert into ones values (1);");
  const broken = step(
    2,
    "create table twos (id integer); insert into ones values (2); select 1 / 0; create table more ();",
  );
  await assert.rejects(migrate(sql, [first, broken]), /division by zero/);
  assert.deepEqual(await tablesOf(sql), ["migrations", "ones"]);
  assert.deepEqual((await sql`select id from ones`).map(({ id }) => id), [1]);
  assert.deepEqual((await sql`select version from migrations`).map(({ version }) => version), [1]);

  const mended = step(2, "create table twos (id integer);");
  assert.deepEqual(await migrate(sql, [first, mended, step(3, "create table threes ();")]), [
    "0002_step.sql",
    "0003_step.sql",
  ]);
  assert.deepEqual(await tablesOf(sql), ["migrations", "ones", "threes", "twos"]);
  assert.deepEqual(
    await migrate(sql, [first, mended, step(3, "select 1 / 0")]),
    [],
    "what is applied is not run again",
  );
});

onPostgres(
  "migrate: an empty database gets all migrations in one transaction, a later version each in its own",
  async () => {
    await using sql = await emptyDatabase();
    const transactions = async () =>
      (await sql<{ n: number }[]>`select count(distinct applied_at)::int as n from migrations`)[0]?.n;
    const all = await readMigrations();
    assert.equal((await migrate(sql)).length, all.length);
    assert.equal(await transactions(), 1);
    const next = all.length + 1;
    const later = [next, next + 1].map((version) => step(version, `create table t${version} ()`));
    assert.equal((await migrate(sql, [...all, ...later])).length, 2);
    assert.equal(await transactions(), 3);
  },
);

onPostgres("migrate: ten at once apply each migration once", async () => {
  await using sql = await emptyDatabase();
  const steps = [1, 2, 3].map((version) =>
    step(version, `create table t${version} (id integer); insert into t${version} values (1); select pg_sleep(0.05);`)
  );
  const applied = (await Promise.all(Array.from({ length: 10 }, () => migrate(sql, steps)))).flat();
  assert.deepEqual(applied.sort(), steps.map(({ name }) => name));
  for (const { version } of steps) {
    assert.deepEqual((await sql`select count(*)::int as n from ${sql(`t${version}`)}`).map(({ n }) => n), [1]);
  }
});

onPostgres(
  "migrate: a migration may take longer than the time limit of statements, and so may the wait for it",
  async () => {
    await using sql = await emptyDatabase(undefined, { statement_timeout: 200 });
    const steps = [step(1, "create table ones (); select pg_sleep(0.6);")];
    const applied = await Promise.all([migrate(sql, steps), migrate(sql, steps)]);
    assert.deepEqual(applied.flat(), ["0001_step.sql"]);
    const [{ limit } = { limit: "" }] = await sql<
      { limit: string }[]
    >`select current_setting('statement_timeout') as limit`;
    assert.equal(limit, "200ms");
  },
);

onPostgres("migrate: a database that is ahead is refused before anything is touched", async () => {
  await using sql = await emptyDatabase();
  await migrate(sql, [step(1, "create table ones ()"), step(2, "create table twos ()")]);
  await assert.rejects(migrate(sql, [step(1, "create table other ()")]), (error) => {
    assert.ok(error instanceof DatabaseTooNew);
    assert.deepEqual([error.found, error.known], [2, 1]);
    return true;
  });
  assert.deepEqual(await tablesOf(sql), ["migrations", "ones", "twos"]);
});

Deno.test("migrate: the project's own migrations are numbered without gaps", async () => {
  const versions = (await readMigrations()).map(({ version }) => version);
  assert.deepEqual(versions, versions.map((_, index) => index + 1));
});
