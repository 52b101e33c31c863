/** Executes many writes in one transaction, all or nothing. */
import { run } from "../../database/part.ts";
import type { Pool, Sql } from "../../database/pool.ts";
import type { Json } from "../../database/json.ts";
import type { Place, Shape } from "../read/place.ts";
import { auditBatch } from "./audit_rows.ts";
import { deleteRecord } from "./delete.ts";
import { insertRecords, type NewRecord } from "./insert.ts";
import { updateRecord } from "./update.ts";
import { STALE } from "../statement/statement.ts";
import type { Changes } from "../definition/values.ts";

export type Operation =
  | { action: "create"; place: Place; record: NewRecord }
  | { action: "update"; place: Place; id: string; changes: Changes; department_id: number | null | undefined }
  | { action: "delete"; place: Place; id: string };

/** The result of an operation: the record, `deleted`, or `missing`, which rolls back the batch. */
export type Outcome<T> = Json<T> | "deleted" | "missing";

class Undone<T> extends Error {
  constructor(readonly outcomes: Outcome<T>[] | typeof STALE) {
    super("a batch is undone");
  }
}

/** @returns the outcome of each operation, in order; if one is `missing`, nothing is written */
export async function runBatch<T>(
  sql: Pool,
  shape: Shape,
  given: readonly Operation[],
): Promise<Outcome<T>[] | typeof STALE> {
  // Created records are part of the batch's entry in the audit log. Changes and deletions have entries of their own,
  // too, so that a record's history is complete.
  const operations = given.map((operation) =>
    operation.action === "create" ? { ...operation, place: { ...operation.place, by: undefined } } : operation
  );
  const changing_ids = operations.flatMap((operation) => operation.action === "create" ? [] : [operation.id]);
  const tables = [...new Set(operations.map(({ place }) => place.table.id))];
  try {
    return await sql.begin(async (tx) => {
      // Records are locked in the same order by all batches, so that two of them cannot deadlock.
      await tx`
        select from records
        where id = any(${changing_ids}::uuid[])
          and table_id = any(${tables}::integer[])
        order by id
        for update
      `;
      const creates = operations.filter((operation) => operation.action === "create");
      // The driver pipelines the statements on one connection, without waiting for each answer.
      const changing = operations.map((operation) => {
        switch (operation.action) {
          case "create":
            return undefined;
          case "update":
            return updateRecord<T>(
              tx,
              operation.place,
              shape,
              operation.id,
              operation.changes,
              operation.department_id,
            );
          case "delete":
            return deleteRecord(tx, operation.place, operation.id);
        }
      });
      const creating = insertAll<T>(tx, shape, creates);
      // If one fails, the others are awaited: the transaction must not end before them, and their errors are handled.
      await Promise.allSettled([creating, ...changing]);
      const created = await creating;
      const changed = await Promise.all(changing);
      if (created === STALE || changed.includes(STALE)) throw new Undone(STALE);
      const outcomes = operations.map((_, i): Outcome<T> => {
        const outcome = changed[i];
        if (typeof outcome === "symbol") throw new Error("a stale batch is undone");
        if (outcome === true) return "deleted";
        return (operations[i]?.action === "create" ? created.shift() : outcome || undefined) ?? "missing";
      });
      if (outcomes.includes("missing")) throw new Undone(outcomes);
      await audit(tx, given, changing_ids);
      return outcomes;
    });
  } catch (error) {
    if (error instanceof Undone) return error.outcomes;
    throw error;
  }
}

/** One row of the audit log for the batch. */
async function audit(tx: Sql, operations: readonly Operation[], ids: string[]): Promise<void> {
  const [first] = operations;
  if (!first?.place.by) return;
  const count = (action: Operation["action"]) => operations.filter((operation) => operation.action === action).length;
  const done = { created: count("create"), updated: count("update"), deleted: count("delete") };
  await run(tx, auditBatch(first.place.db, first.place.by, done, ids));
}

/** Inserts records of the same table in one statement. */
async function insertAll<T>(
  tx: Parameters<typeof insertRecords>[0],
  shape: Shape,
  creates: readonly Extract<Operation, { action: "create" }>[],
): Promise<Json<T>[] | typeof STALE> {
  const tables = Map.groupBy(creates, ({ place }) => place.table.id);
  const results = new Map<Operation, Json<T>>();
  for (const group of tables.values()) {
    const [{ place }] = group as [Extract<Operation, { action: "create" }>];
    const written = await insertRecords<T>(tx, place, shape, group.map(({ record }) => record));
    if (written === STALE) return STALE;
    group.forEach((operation, i) => written[i] && results.set(operation, written[i]));
  }
  return creates.flatMap((operation) => results.get(operation) ?? []);
}
