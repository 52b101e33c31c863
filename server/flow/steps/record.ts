/**
 * What record steps do: on the databases of the flow's account, in one transaction with the row of `flow_effects` that
 * says it is done. So each is done once, whoever tries it how often.
 */
import type { JsonValue } from "../../input/json_value.ts";
import type { Pool, Sql } from "../../database/pool.ts";
import { refusalOfDatabase } from "../../database/pg_errors.ts";
import { invalid, notFound, Refusal } from "../../errors.ts";
import {
  type Databases,
  deleteRecord,
  findRecord,
  insertRecords,
  listRecords,
  part,
  type Place,
  readFilter,
  readOrder,
  readValues,
  STALE,
  updateRecord,
  withDb,
} from "../../store/store.ts";
import { type Effect, StepFault } from "./effect.ts";
import type { JsonObject } from "../flow.ts";
import { LOST } from "../run/interruption.ts";
import type { RecordStep } from "../program/program.ts";
import { storable } from "../run/run.ts";

interface Doer {
  account_id: number;
  run_id: string;
  user_id: number | null;
  /** Of the run: a process that has it later has a higher one. */
  attempts: number;
}

/** Rolls the transaction back: the database's definition has changed meanwhile. */
class Outdated extends Error {}

/**
 * It ends when its transaction has ended, never before: what it says has happened has, and nothing else.
 *
 * @param signal when its time is over, or nobody wants it any more
 * @throws {StepFault | Interrupted} also what the signal was aborted with
 */
export async function doRecordStep(
  { sql, dbs }: { sql: Pool; dbs: Databases },
  doer: Doer,
  step: RecordStep,
  rendered: JsonObject,
  place: string,
  signal: AbortSignal,
): Promise<Effect> {
  proveNamed(rendered);
  const missing = () => notFound(`Database ${step.db_code}`);
  try {
    const output = await withDb<JsonValue>(dbs, doer.account_id, step.db_code, missing, async (db) => {
      const table = db.tables.get(step.table_name ?? "");
      if (!table) throw notFound(step.table_name === undefined ? "Table (table_name is needed)" : "Table");
      const there: Place = { db, table, allowed: part`true` };
      if (step.action === "get" || step.action === "list") return await read(sql, there, step, rendered);
      return await sql.begin(async (tx) => {
        const output = await once(tx, doer, place, () => write(tx, there, doer, step, rendered));
        // Who waits for it no longer is told that it did not happen: so it does not.
        signal.throwIfAborted();
        return output;
      })
        .catch((error) => {
          if (error instanceof Outdated) return STALE;
          throw error;
        });
    });
    return { output, http_status: null };
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refusalOfDatabase(error);
    if (!refusal) throw error;
    throw new StepFault(sentenceOf(refusal), refusal.status === 503 ? "network" : undefined);
  }
}

/**
 * A value from outside says which record is meant, never how it is looked for: an object would be read as operators, and
 * a blank as all that have none.
 *
 * @throws {StepFault}
 */
function proveNamed({ record_id, match }: JsonObject): void {
  if (record_id !== undefined && typeof record_id !== "string") throw new StepFault("record_id is no id", undefined);
  for (const [field, value] of Object.entries(objectOf(match))) {
    if (typeof value === "object" || value === "") {
      throw new StepFault(
        `match: ${field} ${value === null || value === "" ? "is blank" : "is no single value"}`,
        undefined,
      );
    }
  }
}

/** `name can't be blank; price is not a number`, or the refusal's own sentence. */
const sentenceOf = ({ fields, message }: Refusal): string =>
  fields ? Object.entries(fields).map(([field, messages]) => `${field} ${messages.join(", ")}`).join("; ") : message;

/**
 * Does the work unless its place is taken, by this process or by one that had the run before. A process that has lost
 * the run does nothing any more, however late it wakes up.
 *
 * @throws {Interrupted}
 */
async function once(
  tx: Sql,
  { run_id, attempts }: Doer,
  place: string,
  work: () => Promise<JsonValue>,
): Promise<JsonValue> {
  const claimed = await tx`
    insert into flow_effects (run_id, place, output)
    select ${run_id}, ${place}, 'null'
    where not exists (select from flow_processes where id = ${run_id})
      and not exists (select from flow_claims where run_id = ${run_id} and attempts > ${attempts})
    on conflict (run_id, place) do nothing
    returning 1
  `;
  if (claimed.length > 0) {
    const output = await work();
    await tx`
      update flow_effects set output = ${storable(output)}::text::json where run_id = ${run_id} and place = ${place}
    `;
    return output;
  }
  const [done] = await tx<{ output: JsonValue }[]>`
    select output from flow_effects where run_id = ${run_id} and place = ${place}
  `;
  if (!done) throw LOST;
  return done.output;
}

async function read(
  sql: Sql,
  there: Place,
  step: RecordStep,
  { record_id: id, match, filter, sort }: JsonObject,
): Promise<JsonValue | typeof STALE> {
  if (step.action === "get" && typeof id === "string") {
    if (!UUID.test(id)) return null;
    const found = await findRecord<JsonObject>(sql, there, "flat", id);
    return found === STALE ? STALE : found?.parse() ?? null;
  }
  const records = await list(sql, there, objectOf(step.action === "get" ? match : filter), {
    sort: typeof sort === "string" ? sort : undefined,
    per_page: step.action === "get" ? 1 : step.limit,
  });
  return records === STALE ? STALE : step.action === "get" ? records[0] ?? null : records;
}

async function list(
  sql: Sql,
  there: Place,
  filter: JsonObject,
  { sort, per_page }: { sort: string | undefined; per_page: number },
): Promise<JsonObject[] | typeof STALE> {
  const found = await listRecords<JsonObject>(sql, there, "flat", {
    conditions: readFilter(there.table, filter),
    order: readOrder(there.table, sort),
    page: 1,
    per_page,
    count: false,
  });
  return found === STALE ? STALE : found.parse();
}

async function write(
  tx: Sql,
  there: Place,
  { user_id }: Doer,
  step: RecordStep,
  { record_id: id, match, data }: JsonObject,
): Promise<JsonValue> {
  switch (step.action) {
    case "create":
      return await create(tx, there, objectOf(data), user_id);
    case "update": {
      const changed = await update(tx, there, await idOf(tx, there, id, match), objectOf(data));
      if (changed === undefined) throw notFound("Record");
      return changed;
    }
    case "upsert": {
      await lockMatch(tx, there, match);
      const found = await firstId(tx, there, objectOf(match));
      const changed = found === undefined ? undefined : await update(tx, there, found, objectOf(data));
      return changed ?? await create(tx, there, { ...objectOf(match), ...objectOf(data) }, user_id);
    }
    case "delete": {
      const gone = await idOf(tx, there, id, match);
      const deleted = gone !== undefined && proven(await deleteRecord(tx, there, gone));
      return { id: gone ?? null, deleted };
    }
    default:
      throw new Error(`${step.action} writes nothing`);
  }
}

async function create(tx: Sql, there: Place, data: JsonObject, created_by_id: number | null): Promise<JsonValue> {
  const changes = changesOf(there, data, true);
  const [created] = proven(
    await insertRecords<JsonObject>(tx, there, "flat", [{ changes, department_id: null, created_by_id }]),
  );
  return created?.parse() ?? null;
}

async function update(tx: Sql, there: Place, id: string | undefined, data: JsonObject) {
  if (id === undefined) return undefined;
  return proven(await updateRecord<JsonObject>(tx, there, "flat", id, changesOf(there, data, false)))?.parse();
}

/** @throws {Refusal} 422 naming the fields */
function changesOf({ table }: Place, data: JsonObject, whole: boolean) {
  const { changes, faults } = readValues(table, data, whole);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return changes;
}

function proven<Result>(result: Result | typeof STALE): Result {
  if (result === STALE) throw new Outdated();
  return result;
}

async function idOf(tx: Sql, there: Place, id: JsonValue | undefined, match: JsonValue | undefined) {
  if (typeof id === "string") return UUID.test(id) ? id : undefined;
  return match === undefined ? undefined : await firstId(tx, there, objectOf(match));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The newest that matches, as everywhere. */
async function firstId(tx: Sql, there: Place, match: JsonObject): Promise<string | undefined> {
  const [record] = proven(await list(tx, there, match, { sort: undefined, per_page: 1 }));
  return typeof record?.id === "string" ? record.id : undefined;
}

/** Two runs that look for the same record, which is not there, would both make one. */
async function lockMatch(tx: Sql, { table }: Place, match: JsonValue | undefined): Promise<void> {
  const key = storable(Object.entries(objectOf(match)).toSorted());
  await tx`select pg_advisory_xact_lock(${table.id}, hashtext(${key}))`;
}

const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
