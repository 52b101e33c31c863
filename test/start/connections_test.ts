/** What other statements get while one fails or a connection is lost: their own rows, all of them, and in time. */
import assert from "node:assert/strict";
import { surviveLostConnections } from "../../server/database/connection/connection_loss.ts";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import postgres from "postgres";
import { createDatabase, on_postgres, startServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import { writeCertificate } from "../stage/postgres/certificate.ts";

Deno.test("connections: a statement that fails behind its first rows leaves the next results whole", async () => {
  const server = await startServer();
  try {
    const { sql } = server;
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 12 }, async (_, n) => {
        await assert.rejects(
          async () => await sql`select 1 / (${n}::int - x) from generate_series(-2, ${n}::int) x`,
          /zero/,
        );
        const [row] = await sql`select ${n}::int as n`;
        assert.deepEqual(row, { n });
      }));
    }
  } finally {
    await server.close();
  }
});

/** Statements that each prove that the rows are their own, until they are stopped. */
function readers(sql: Awaited<ReturnType<typeof openDatabase>>["sql"], count: number) {
  const asked = { going: true, right: 0, lost: 0 };
  const wrong: unknown[] = [];
  const read = async (reader: number) => {
    for (let n = reader * 1_000_000; asked.going; n++) {
      try {
        const rows = reader % 3
          ? await sql`select ${n}::int as n`
          : await sql`select ${n}::int as n, repeat('x', 5000) as text from generate_series(1, 3)`;
        if (rows.length === (reader % 3 ? 1 : 3) && rows[0]?.n === n) asked.right++;
        else wrong.push([n, ...rows.slice(0, 2)]);
      } catch {
        asked.lost++;
      }
      if (n % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, reader) => read(reader)));
  return { asked, wrong, all };
}

const onPostgres = (name: string, work: (url: string, killer: postgres.Sql) => Promise<void>) =>
  Deno.test({
    name: `connections: ${name}`,
    ignore: !on_postgres,
    async fn() {
      const url = await createDatabase();
      const killer = postgres(url, { max: 1, onnotice: () => {} });
      try {
        await work(url, killer);
      } finally {
        await killer.end();
      }
    },
  });

const log = createLog(() => {});
// As a server does at its start.
surviveLostConnections(log);
const open = (database_url: string) => openDatabase({ database_url, data_dir: "" }, log);

const kill = (killer: postgres.Sql) =>
  killer`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'atrium'
    order by random() limit 3
  `;

/** Each statement ends in spite of the kills, with its own rows or refused. */
async function readsThroughKills(url: string, killer: postgres.Sql): Promise<void> {
  const { sql, close } = await open(url);
  const { asked, wrong, all } = readers(sql, 40);
  for (let killed = 0; killed < 300 || asked.right < 1_000;) {
    killed += (await kill(killer)).length;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  asked.going = false;
  let ended = false;
  void all.then(() => ended = true);
  await until(() => ended, "every statement has ended");
  assert.deepEqual(wrong, []);
  await close();
}

onPostgres("killed backends leave no statement without an end, and none with another's rows", readsThroughKills);

onPostgres("the same over TLS, which the address asks for", async (url, killer) => {
  await using _certificate = await writeCertificate(killer);
  const one = await open(`${url}?sslmode=require`);
  const [used] = await one.sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  assert.deepEqual(used, { ssl: true });
  await one.close();
  const strict = await open(`${url}?sslmode=verify-full`);
  await assert.rejects(async () => await strict.sql`select 1`, /certificate/);
  await strict.close();
  await readsThroughKills(`${url}?sslmode=require`, killer);
});

onPostgres("a transaction that goes on after its connection is lost sends nothing more", async (url, killer) => {
  const { sql, close } = await open(url);
  const { asked, wrong, all } = readers(sql, 12);
  const strays: unknown[] = [];
  const transaction = async (pause: number) => {
    await sql.begin(async (tx) => {
      const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await killer`select pg_terminate_backend(${pid})`;
      await new Promise((resolve) => setTimeout(resolve, pause));
      for (const n of [1, 2, 3]) {
        await (n % 2 ? tx`select 'stray' as n` : tx`select ${"stray"} as n`).then(
          (rows) => strays.push(rows),
          () => {},
        );
      }
    }).catch(() => {});
  };
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 6 }, (_, n) => transaction((round * 7 + n * 3) % 10)));
  }
  asked.going = false;
  await all;
  assert.deepEqual([wrong, strays], [[], []]);
  assert.ok(asked.right > 0);
  await close();
});
