/** Databases, triggers that their changes start, and what the runs have got. */
import assert from "node:assert/strict";
import type { TestServer } from "../../stage/harness.ts";
import { made } from "../../stage/people.ts";
import type { Ask } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

export const SCHEMA = { fields: { title: "string", n: "integer" }, indexes: { idx_int_1: "n" } };
export const RETURN_CHANGES = [{ type: "return", data: "{input.changes}" }];

export interface Change {
  seq: number;
  kind: string;
  record_id: string;
  table_name: string | null;
  record: { id: string; title: string | null; n: number | null } | null;
  before: { title: string | null } | null;
  too_long?: boolean;
}

export const at = (id: number, rest = "") => `/account/crons/${id}${rest}.json`;
export const name = (what: string) => `${what}_${crypto.randomUUID().slice(0, 8)}`;

export const addFlow = async (ask: Ask, program: unknown = RETURN_CHANGES): Promise<string> => {
  const code = name("flow");
  return made(await ask("POST", "/connect/flows.json", { json: { flow: { code, name: code, fields: { program } } } }))
    .code;
};

export async function addTrigger(ask: Ask, record: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const target_code = more.target_code ?? await addFlow(ask);
  return made(
    await ask("POST", "/account/crons.json", { json: { cron: { kind: "record", record, ...more, target_code } } }),
  );
}

export const add = async (ask: Ask, db: string, data: Record<string, unknown>, more = {}): Promise<string> =>
  made(await ask("POST", `/platform/dbs/${db}/records.json`, { json: { record: { data, ...more } } })).id;
export const change = (ask: Ask, db: string, id: string, record: Record<string, unknown>) =>
  ask("PATCH", `/platform/dbs/${db}/records/${id}.json`, { json: { record } });
export const remove = (ask: Ask, db: string, id: string) => ask("DELETE", `/platform/dbs/${db}/records/${id}.json`);

/** What the runs of a trigger have got, in the order of the ledger. */
export async function batchesOf({ sql }: TestServer, cron_id: number): Promise<Change[][]> {
  const rows = await sql<{ data: Change[] }[]>`
    select p.data
    from cron_runs r
    join flow_processes p on p.id = r.flow_process_id
    where r.cron_id = ${cron_id}
      and p.status = 'finished'
    order by r.id
  `;
  return rows.map(({ data }) => data);
}

/** Waits until the runs have got so many changes. A further one would be a failure. */
export async function changesOf(server: TestServer, cron_id: number, count: number): Promise<Change[]> {
  const read = async () => (await batchesOf(server, cron_id)).flat();
  await until(async () => (await read()).length >= count, `${count} changes have come`);
  const changes = await read();
  assert.equal(changes.length, count);
  return changes;
}

export const told = (changes: readonly Change[]) =>
  changes.map(({ kind, record, before }) => `${kind} ${record?.title ?? before?.title}`);

export const ledgerOf = async (ask: Ask, id: number) => (await ask("GET", `${at(id, "/runs")}?sort=due_at`)).body;

/** A run that has not ended, of another process. @returns ends it */
export async function holdOpen({ sql, tick }: TestServer, id: number) {
  await sql`
    insert into cron_runs (cron_id, account_id, due_at, by_hand, state, flow_process_id, taken_at, started_at)
    select id, account_id, now() - interval '1 minute', true, 'ran', gen_random_uuid(), now(), now()
    from crons where id = ${id}
  `;
  return async () => {
    await sql`update cron_runs set outcome = 'finished' where cron_id = ${id} and by_hand`;
    await tick();
  };
}

/** The numbers of the ledger's rows are those of the changes. */
export async function proveOrder(server: TestServer, id: number, changes: readonly Change[]): Promise<void> {
  const seqs = changes.map(({ seq }) => seq);
  assert.deepEqual(seqs, [...new Set(seqs)].toSorted((a, b) => a - b), "each once, in the order of the commits");
  const stored = await server.sql<{ seq: number }[]>`
    select seq from record_changes
    where db_id = (select db_id from record_cursors where id = ${id})
    order by seq
  `;
  assert.deepEqual(seqs, stored.map(({ seq }) => seq));
  const [{ slots } = { slots: 0 }] = await server.sql<{ slots: number }[]>`
    select sum(slots)::int as slots from cron_runs where cron_id = ${id} and state in ('ran', 'late')
  `;
  assert.equal(slots, changes.length);
}
