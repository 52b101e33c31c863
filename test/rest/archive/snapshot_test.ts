/** An account changes while it is exported. */
import assert from "node:assert/strict";
import { filesOf } from "../../../server/domains/archive/whole/tar/read.ts";
import { END } from "../../../server/domains/archive/whole/tar/write.ts";
import { v7 as uuid } from "uuid";
import {
  ARCHIVE,
  archiveOf,
  dbLine,
  departmentLine,
  importInto,
  openExport,
  recordLine,
} from "../../stage/archive/account_archives.ts";
import { on_postgres } from "../../stage/harness.ts";
import { addAccount, as, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

/** Many pages of a statement, and many files. */
const RECORDS = 6_000;

inAccount(
  "whole archive: it is read as its reader takes it; on PostgreSQL it is one snapshot all the same",
  async ({ ask, server, admin }) => {
    const schema = { fields: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`at_${n}`, "datetime"])) };
    made(await ask("POST", "/platform/dbs.json", { json: { db: { name: "Times", code: "times", schema } } }));
    const data = Object.fromEntries(Object.keys(schema.fields).map((name) => [name, "2026-11-24T10:00:00Z"]));
    const { body: loaded } = await ask("POST", "/platform/dbs/times/import.ndjson", {
      raw: `${JSON.stringify({ data })}\n`.repeat(RECORDS),
      headers: { "content-type": "application/x-ndjson" },
    });
    assert.equal(loaded.created, RECORDS);
    const { body: [last] } = await ask("GET", "/platform/dbs/times/records.json?sort=-created_at&per_page=1");

    const { body } = await openExport(server, admin.token, "records=true");
    let [count, seen, is_changed] = [0, undefined, false];
    for await (const { name, body: file } of filesOf(body ?? new ReadableStream())) {
      if (!name.startsWith("records/")) continue;
      const lines = new TextDecoder().decode(file).trimEnd().split("\n").map((line) => JSON.parse(line));
      count += lines.length;
      seen = lines.find(({ id }) => id === last.id)?.data.at_0 ?? seen;
      if (is_changed) continue;
      is_changed = true;
      assert.ok(lines.length < RECORDS / 4);
      const changed = { record: { data: { at_0: "2027-01-01T00:00:00Z" } } };
      assert.equal((await ask("PATCH", `/platform/dbs/times/records/${last.id}.json`, { json: changed })).status, 200);
    }
    assert.equal(count, RECORDS);
    assert.equal(seen, on_postgres ? "2026-11-24T10:00:00.000+00:00" : "2027-01-01T00:00:00.000+00:00");
  },
);

inAccount("whole archive: what has arrived is written before the rest is sent", async ({ server, admin }) => {
  const times = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`at_${n}`, "2026-11-24T10:00:00.000+00:00"]));
  const fields = Object.fromEntries(Object.keys(times).map((name) => [name, "datetime"]));
  const linesOf = () => Array.from({ length: 1_000 }, () => recordLine(uuid(), times));
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`records/times/00000${n + 1}.ndjson`, linesOf()]),
  );
  const archive = archiveOf({ "dbs/000001.ndjson": [{ ...dbLine(1, "times"), schema: { fields } }], ...files });
  const written = async () => {
    const [row] = await server.sql<{ bytes: number }[]>`select pg_relation_size('records') as bytes`;
    return row?.bytes ?? 0;
  };
  const before = await written();
  const last = archive.length - 100_000;
  let [at, grown] = [0, 0];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const end = Math.min(at + 50_000, archive.length);
      // The embedded database writes when the body has arrived, and stores it in a file until then.
      if (on_postgres && at <= last && end > last) grown = await written() - before;
      controller.enqueue(archive.subarray(at, end));
      at = end;
      if (at === archive.length) controller.close();
    },
  }, { highWaterMark: 0 });
  const headers = { authorization: `Bearer ${admin.token}`, "content-type": "application/x-tar" };
  const answer = await server.handler(
    new Request(`${server.base_url}${ARCHIVE}`, { method: "POST", headers, body }),
  );
  assert.deepEqual((await answer.json()).created, { dbs: 1, records: 6_000 });
  assert.ok(!on_postgres || grown > 2_000_000, `${grown} bytes were written before the last ones arrived`);
  const names = await Array.fromAsync(Deno.readDir(server.data_dir), ({ name }) => name);
  assert.deepEqual(names.filter((name) => name.endsWith(".tar")), []);
});

const runLine = () => ({
  id: uuid(),
  department_id: null,
  flow_id: 1,
  flow_version: 1,
  flow_code: "ship",
  trigger: "manual",
  status: "finished",
  app_id: null,
  action: null,
  cron_id: null,
  parent_id: null,
  failure_of: null,
  failure_run_id: null,
  trigger_data: null,
  user_id: null,
  retry_of: null,
  attempts: 1,
  input: {},
  input_terms: null,
  data: null,
  error: null,
  steps: [],
  failed_steps: 0,
  warnings: 0,
  started_at: "2026-11-24T10:00:00+00:00",
  finished_at: "2026-11-24T10:00:00+00:00",
});

inAccount("whole archive: once its connection is lost, an import writes nothing more", async (stage) => {
  if (!on_postgres) return;
  const { ask, server, admin } = stage;
  const first = { "departments/000001.ndjson": [departmentLine(1, "Sales")], "runs/000001.ndjson": [runLine()] };
  const archive = archiveOf({ ...first, "runs/000002.ndjson": [runLine()] });
  const last = archiveOf(first).length - END.length;
  let is_sent = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (is_sent) return controller.close();
      controller.enqueue(archive.subarray(0, last));
      await until(async () => {
        const ended = await server.sql`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where datname = current_database()
            and state = 'idle in transaction'
            and query like '%insert into flow_processes%'
        `;
        return ended.length > 0;
      }, "the import waits for the rest");
      // Opens the pool's connections again: the one of the import is then used by others.
      await Promise.all(Array.from({ length: 30 }, () => server.sql`select pg_sleep(0.2)`));
      controller.enqueue(archive.subarray(last));
      is_sent = true;
    },
  }, { highWaterMark: 0 });
  const headers = { authorization: `Bearer ${admin.token}`, "content-type": "application/x-tar" };
  const answer = await server.handler(new Request(`${server.base_url}${ARCHIVE}`, { method: "POST", headers, body }));
  assert.equal(answer.status, 503);
  await until(() => is_sent, "the rest is sent");
  // Time for it to be written by mistake. No event tells that it is not.
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.deepEqual((await ask("GET", "/connect/flow_processes.json")).body, []);
});

inAccount("whole archive: a reader who leaves ends the export", async ({ ask, server, admin }) => {
  const headers = { authorization: `Bearer ${admin.token}` };
  for (let times = 0; times < 12; times++) {
    await until(async () => {
      const { status, body } = await server.handler(new Request(`${server.base_url}${ARCHIVE}`, { headers }));
      await body?.cancel();
      return status === 200;
    }, "the export before has ended");
  }
  // More than the pool has connections: none of them is kept.
  assert.equal((await ask("GET", "/account/me.json")).status, 200);
  assert.deepEqual(server.logged.filter((line) => line.includes("export failed")), []);
});

inAccount("whole archive: two imports at the same time become one account", async ({ ask, server, admin }) => {
  made(await ask("POST", "/account/departments.json", { json: { department: { name: "Sales" } } }));
  const archive = await (await openExport(server, admin.token)).bytes();
  const other = as(ask, (await addAccount(server)).token);
  const answers = await Promise.all([importInto(other, archive), importInto(other, archive)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal((await other("GET", "/account/departments.json")).body.length, 1);
});
