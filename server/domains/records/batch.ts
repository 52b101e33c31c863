/** `POST /platform/dbs/:db_code/records/batch.json`: creates, updates and deletes in one transaction. */
import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Fields, invalid } from "../../errors.ts";
import { Json } from "../../database/json.ts";
import { Id, Uuid } from "../../input/shapes.ts";
import {
  findTablesOf,
  type KnownDb,
  type KnownTable,
  type Operation,
  part,
  readValues,
  runBatch,
} from "../../store/store.ts";
import { departmentOfRecord, visible } from "../../visibility.ts";
import { DbCode } from "../dbs/db_code.ts";
import { faultOfDepartment } from "../departments/proof.ts";
import { Data, Record, SentTableName } from "./schema.ts";
import { tableOf } from "./tables.ts";
import { inDb, placeIn } from "./place.ts";

const MOST = 1_000;

const fields = {
  data: Data.meta({ examples: [{ message: "Hello" }] }),
  department_id: Id.nullable().optional(),
};

const OperationInput = z.discriminatedUnion("action", [
  z.object({ action: z.literal("create"), record: z.object({ ...fields, table_name: SentTableName }) }),
  z.object({
    action: z.literal("update"),
    id: Uuid,
    record: z.object({ ...fields, data: fields.data.default({}), table_name: SentTableName }),
  }),
  z.object({ action: z.literal("delete"), id: Uuid, table_name: SentTableName }),
]);
type OperationInput = z.output<typeof OperationInput>;

const OPERATIONS = [
  { action: "create", record: { data: { message: "Hello" } } },
  { action: "update", id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", record: { data: { message: "Hello again" } } },
  { action: "delete", id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e56" },
];

export const Batch = z.object({
  db_code: DbCode,
  operations: z.array(OperationInput).min(1).max(MOST).describe(`At most ${MOST}, in the order of their execution`)
    .meta({
      examples: [OPERATIONS],
    }),
});
export type Batch = z.output<typeof Batch>;

/** A create or an update returns the record, a delete only its id. */
export const BatchResult = z.union([Record, z.object({ id: Uuid })]);
export type BatchResult = z.output<typeof BatchResult>;

/** A new record without `department_id` gets the viewer's, as in a single create. */
const withDepartment = ({ viewer }: Context, operation: OperationInput): OperationInput =>
  operation.action !== "create" || operation.record.department_id !== undefined
    ? operation
    : { ...operation, record: { ...operation.record, department_id: departmentOfRecord(viewer) } };

/** @throws {Refusal} 422 keyed `operations.<index>.record.data.<field>`; then nothing is written */
export async function runOperations(ctx: Context, batch: Batch): Promise<Json<BatchResult[]>> {
  const { db_code } = batch;
  const operations = batch.operations.map((operation) => withDepartment(ctx, operation));
  const of_departments = await departmentFaults(ctx, operations);
  const outcomes = await inDb(ctx, db_code, async (db) => {
    const faults: Fields = { ...of_departments };
    const tables = await tablesOf(ctx, db, operations);
    const ready = operations.flatMap((operation, i): Operation | [] => {
      const table = tables[i];
      if (!table) {
        faults[`operations.${i}.id`] = MISSING;
        return [];
      }
      const place = placeIn(ctx, db, table.name);
      if (operation.action === "delete") return { action: "delete", place, id: operation.id };
      const { data, department_id } = operation.record;
      const read = readValues(place.table, data, operation.action === "create");
      for (const [field, messages] of Object.entries(read.faults)) {
        faults[`operations.${i}.record.data.${field}`] = messages;
      }
      const { changes } = read;
      if (operation.action === "update") return { action: "update", place, id: operation.id, changes, department_id };
      const record = { changes, department_id: department_id ?? null, created_by_id: ctx.viewer.user_id };
      return { action: "create", place, record };
    });
    if (Object.keys(faults).length > 0) throw invalid(faults);
    return runBatch<Record>(ctx.sql, "nested", ready);
  });
  const missing = outcomes.flatMap((outcome, i) => outcome === "missing" ? [[`operations.${i}.id`, MISSING]] : []);
  if (missing.length > 0) throw invalid(Object.fromEntries(missing));
  const texts = operations.map((operation, i) => {
    const outcome = outcomes[i];
    return outcome instanceof Json ? outcome.text : JSON.stringify({ id: "id" in operation ? operation.id : null });
  });
  return new Json(`[${texts.join(",")}]`);
}

const MISSING = ["must exist"];

const nameIn = (operation: OperationInput) =>
  operation.action === "delete" ? operation.table_name : operation.record.table_name;

/** The table that each operation names, otherwise its record's; undefined if the record does not exist. */
async function tablesOf(
  ctx: Context,
  db: KnownDb,
  operations: readonly OperationInput[],
): Promise<(KnownTable | undefined)[]> {
  const idOf = (operation: OperationInput) =>
    operation.action === "create" || nameIn(operation) !== undefined || db.tables.has("")
      ? undefined
      : operation.id.toLowerCase();
  const ids = operations.flatMap((operation) => idOf(operation) ?? []);
  const found = ids.length > 0 ? await findTablesOf(ctx.sql, db, visible(part, ctx.viewer), ids) : undefined;
  return operations.map((operation, i) => {
    const id = idOf(operation);
    return id === undefined ? tableOf(db, nameIn(operation), `operations.${i}`) : found?.get(id);
  });
}

async function departmentFaults(ctx: Context, operations: readonly OperationInput[]): Promise<Fields> {
  const sent = operations.map((operation) =>
    operation.action === "delete" ? undefined : operation.record.department_id
  );
  const faults = new Map<number | null | undefined, string | undefined>();
  for (const department of new Set(sent)) {
    if (department !== undefined) faults.set(department, await faultOfDepartment(ctx, department));
  }
  return Object.fromEntries(sent.flatMap((department, i) => {
    const fault = faults.get(department);
    return fault ? [[`operations.${i}.record.department_id`, [fault]]] : [];
  }));
}
