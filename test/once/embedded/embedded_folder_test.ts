/** The embedded database's folder: its lock, what survives the end of the process or the backend, and what is refused. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import postgres from "postgres";
import { Backend } from "../../../db/embedded/backend.ts";
import { type Embedded, FolderLocked, openEmbedded } from "../../../db/embedded/embedded.ts";
import { lockFolder } from "../../../db/embedded/lock.ts";
import { keepUp } from "../../../db/embedded/upkeep.ts";
import { openDatabase } from "../../../server/database/pool.ts";
import { createLog } from "../../../server/log.ts";
import { until } from "../../stage/until.ts";

/** An empty database, created once, which tests load. */
const EMPTY = await (async () => {
  const embedded = await openEmbedded({ folder: null });
  const dump = await embedded.dump();
  await embedded.close();
  return dump;
})();

/** A test with the path of a folder that does not exist yet. Its parent is removed afterwards. */
function test(name: string, work: (folder: string) => Promise<void>) {
  Deno.test({
    name,
    sanitizeOps: true,
    sanitizeResources: true,
    sanitizeExit: true,
    async fn() {
      const parent = await Deno.makeTempDir({ prefix: "atrium_embedded_" });
      try {
        await work(`${parent}/data/postgres`);
      } finally {
        await Deno.remove(parent, { recursive: true });
      }
    },
  });
}

async function withSql<T>(embedded: Embedded, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  // The driver's types lack its `socket` option.
  const options = { socket: embedded.socket, max: 2, onnotice: () => {} };
  const sql = postgres(options);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const mode = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;

test("a first start makes the folder for its owner only, and what is written stays", async (folder) => {
  const first = await openEmbedded({ folder });
  assert.equal(await mode(folder), 0o700);
  assert.equal(await mode(`${folder}/..`), 0o700);
  assert.equal(await mode(`${folder}.lock`), 0o600);
  await withSql(first, (sql) => sql`create table a as select 1 as n`);
  await first.close();
  const second = await openEmbedded({ folder });
  assert.deepEqual(await withSql(second, async (sql) => [...await sql`select n from a`]), [{ n: 1 }]);
  await second.close();
});

test("a folder is one process's, until that ends; killed under load, it loses nothing acknowledged", async (folder) => {
  const acknowledged = new Set<number>();
  for (let round = 1; round <= 3; round++) {
    const script = new URL("./embedded_writer.ts", import.meta.url).pathname;
    const args = ["run", "-A", "--no-check", script, folder, String(round * 1_000_000)];
    const writer = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
    let text = "";
    let wasRefused = false;
    let wasKilled = false;
    for await (const chunk of writer.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.length > 2_000 && !wasRefused) {
        await assert.rejects(openEmbedded({ folder }), (error: Error) => {
          return error instanceof FolderLocked && error.message.includes(folder);
        });
        wasRefused = true;
      }
      if (text.length > 2_000 + 1_000 * round && !wasKilled) {
        writer.kill("SIGKILL");
        wasKilled = true;
      }
    }
    await writer.status;
    assert.ok(wasRefused);
    for (const line of text.split("\n").slice(0, -1)) acknowledged.add(Number(line));

    const embedded = await openEmbedded({ folder });
    await withSql(embedded, async (sql) => {
      const stored = new Set((await sql`select n from acknowledged`).map(({ n }) => n));
      assert.deepEqual([...acknowledged].filter((n) => !stored.has(n)), []);
      assert.deepEqual([...await sql`select n from pairs group by n having count(*) <> 2`], []);
      assert.equal((await sql`select count(*)::int as n from pairs`)[0]?.n, stored.size * 2);
      await sql`select sum(length(text)) from acknowledged`;
    });
    await embedded.close();
  }
  assert.ok(acknowledged.size > 500);
});

test("one process opens a folder once, and again after close", async (folder) => {
  const embedded = await openEmbedded({ folder, load: EMPTY });
  await assert.rejects(openEmbedded({ folder }), FolderLocked);
  await embedded.close();
  await embedded.close();
  await assert.rejects(embedded.dump(), /closed/);
  await assert.rejects(openEmbedded({ folder, load: EMPTY }), /already holds a database/);
  await (await openEmbedded({ folder })).close();
});

test("a folder is free once it is closed, although other threads start processes", async (folder) => {
  const source = `for (;;) await new Deno.Command("${Deno.execPath()}", { args: ["--version"] }).output();`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const threads = [1, 2].map(() => new Worker(url, { type: "module" }));
  for (let round = 0; round < 500; round++) (await lockFolder(folder))();
  for (const thread of threads) thread.terminate();
  URL.revokeObjectURL(url);
});

test("a first start that was cut off begins anew; a folder with other things is left alone", async (folder) => {
  await Deno.mkdir(`${folder}/base/1`, { recursive: true });
  await Deno.writeTextFile(`${folder}/PG_VERSION`, "18\n");
  await assert.rejects(openEmbedded({ folder }), /does not start: .*postgresql.conf/);
  await Deno.writeTextFile(`${folder}/unfinished`, "");
  const embedded = await openEmbedded({ folder, load: EMPTY });
  await embedded.close();
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  assert.ok(!names.includes("unfinished") && names.includes("pg_wal"));

  const other = `${folder}-other`;
  await Deno.mkdir(other);
  await Deno.writeTextFile(`${other}/letters.txt`, "dear");
  await assert.rejects(openEmbedded({ folder: other }), /other things/);
  await Deno.writeTextFile(`${other}/unfinished`, "a book of mine");
  await assert.rejects(openEmbedded({ folder: other }), /other things/);
  assert.equal(await Deno.readTextFile(`${other}/letters.txt`), "dear");
});

test("a folder of another version, a damaged one and a file in its place are refused with the reason", async (folder) => {
  await (await openEmbedded({ folder, load: EMPTY })).close();
  const refused = (reason: RegExp) =>
    assert.rejects(
      openEmbedded({ folder }),
      (error: Error) => error.message.includes(folder) && reason.test(error.message),
    );
  await Deno.writeTextFile(`${folder}/PG_VERSION`, "19\n");
  await refused(/initialized by PostgreSQL version 19/);
  await Deno.writeTextFile(`${folder}/PG_VERSION`, "18\n");
  await Deno.rename(`${folder}/global/pg_control`, `${folder}/control`);
  await refused(/pg_control/);
  await Deno.rename(`${folder}/control`, `${folder}/global/pg_control`);
  await Deno.rename(`${folder}/pg_wal`, `${folder}/wal`);
  await refused(/pg_wal/);
  await Deno.rename(`${folder}/wal`, `${folder}/pg_wal`);
  await (await openEmbedded({ folder })).close();
  await Deno.remove(folder, { recursive: true });
  await Deno.writeTextFile(folder, "");
  await refused(/exist/);
});

test("a backend that ends is told of and started again, with all that was acknowledged", async (folder) => {
  const embedded = await openEmbedded({ folder, load: EMPTY });
  await withSql(embedded, async (sql) => {
    const heard: string[] = [];
    await sql`create table a (n int)`;
    await sql.listen("news", (text) => heard.push(text));
    // PostgreSQL checks the depth of its own stack only. Nested JSON overflows the stack of WebAssembly.
    const deep = "[".repeat(100_000);
    for (let n = 1; n <= 2; n++) {
      await sql`insert into a values (${n})`;
      await assert.rejects(sql`select ${deep}::text::jsonb`, { code: "ECONNRESET", message: /stopped: .*call stack/ });
    }
    assert.deepEqual([...await sql`select n from a order by n`], [{ n: 1 }, { n: 2 }]);
    // The driver subscribes again in its own time.
    await until(async () => {
      await sql.notify("news", "again");
      return heard.length > 0;
    }, "the subscription is back");
    assert.equal(heard[0], "again");
  });
  await embedded.close();
});

test("a disk that takes no more fails statements with the reason, and is tried again", async (folder) => {
  const embedded = await openEmbedded({ folder, load: EMPTY });
  await withSql(embedded, async (sql) => {
    await sql`create table a (n int, text text)`;
    await sql`insert into a values (1, 'kept')`;
    await Deno.rename(`${folder}/pg_wal`, `${folder}/wal`);
    const fill = () => sql`insert into a select g, repeat('x', 1000) from generate_series(1, 10000) g`;
    await assert.rejects(fill(), (error: Error) => /stopped: .*pg_wal/.test(error.message));
    for (let i = 0; i < 5; i++) {
      await assert.rejects(async () => await sql`select 1`, (error: Error) => /stopped: .*pg_wal/.test(error.message));
    }
    await Deno.rename(`${folder}/wal`, `${folder}/pg_wal`);
    await until(() => sql`select 1`.then(() => true, () => false), "the database is tried again");
    assert.deepEqual([...await sql`select text from a`], [{ text: "kept" }]);
    await fill();
  });
  await embedded.close();
});

test("a transaction that a full disk ends fails with the reason", async (folder) => {
  const { sql, close } = await openDatabase(
    { database_url: undefined, data_dir: dirname(folder) },
    createLog(() => {}),
  );
  await sql`create table a (n int, text text)`;
  await Deno.rename(`${folder}/pg_wal`, `${folder}/wal`);
  const fill = sql.begin(async (tx) => {
    await tx`insert into a select g, repeat('x', 1000) from generate_series(1, 10000) g`;
  });
  await assert.rejects(fill, (error: Error) => /stopped: .*pg_wal/.test(error.message));
  await Deno.rename(`${folder}/wal`, `${folder}/pg_wal`);
  await until(() => sql`select 1`.then(() => true, () => false), "the database is tried again");
  await close();
});

test("upkeep: the log is cut by checkpoints, tables are vacuumed and analyzed", async (folder) => {
  await (await openEmbedded({ folder, load: EMPTY })).close();
  const backend = await Backend.open(folder);
  backend.select("create table a (n int primary key, text text storage external)");
  for (let i = 0; i < 12; i++) {
    backend.select(`insert into a select g, repeat('x', 4000) from generate_series(${i * 1000}, ${i * 1000 + 999}) g`);
    keepUp(backend, false);
  }
  const [written, since] = ["'0/0'", "redo_lsn"].map((from) =>
    Number(backend.select(`select pg_wal_lsn_diff(pg_current_wal_lsn(), ${from}) from pg_control_checkpoint()`)[0])
  );
  assert.ok(written && written > 48_000_000 && since && since < 40_000_000, `${written} written, ${since} not cut`);

  backend.select("delete from a where n % 2 = 0");
  backend.select("create table b as select g as n from generate_series(1, 2000) g");
  // PostgreSQL flushes these counters at most once a second, unless asked.
  backend.select("select pg_stat_force_next_flush()");
  keepUp(backend, true);
  keepUp(backend, true);
  const [dead] = backend.select("select n_dead_tup from pg_stat_user_tables where relname = 'a'");
  const estimates = backend.select("select reltuples from pg_class where relname in ('a', 'b') order by relname");
  assert.equal(dead, "0");
  assert.deepEqual(estimates, ["6000", "2000"]);
  await backend.close();
});
