/** Changes of records: one batch, all or nothing. */
import { z } from "zod";
import { Json } from "../../database/json.ts";
import type { Before } from "../../domains/agents/perform.ts";
import type { Change } from "./changes.ts";
import { readObject } from "./procedures.ts";
import type { Use } from "./tool.ts";

export type Operation =
  | { action: "create"; record: Record<string, unknown> }
  | { action: "update"; id: string; record: Record<string, unknown> }
  | { action: "delete"; id: string };

const Created = z.object({ id: z.string() });

/** @returns also the records before it; null for new ones. @throws {Refusal} 404 for a record that is not there */
export async function recordChange(
  { ctx }: Use,
  db_code: string,
  operations: readonly Operation[],
): Promise<Change & { before: unknown[] }> {
  const db = await readObject(ctx, "dbs.find", { db_code });
  const db_id = Number(db.id);
  const before: unknown[] = [];
  for (const operation of operations) {
    before.push(
      operation.action === "create" ? null : await readObject(ctx, "records.find", { db_code, id: operation.id }),
    );
  }
  return {
    before,
    procedure: "records.batch",
    input: { db_code, operations },
    nameOf: (field) =>
      field.replace(
        /^operations\.(\d+)\.record\.(?:data\.)?/,
        operations[0]?.action === "update" ? "changes." : "records.$1.",
      ),
    keep: (_entries, result) =>
      operations.map((operation, index): Before => {
        const object_id = operation.action === "create" ? createdId(result, index) : operation.id.toLowerCase();
        return { object: "record", object_id, db_id, action: operation.action, before: before[index] };
      }),
  };
}

/** The store's batch returns the created record at the operation's place. */
function createdId(result: unknown, index: number): string {
  const outcome = Array.isArray(result) ? result[index] : undefined;
  return Created.parse(outcome instanceof Json ? outcome.parse() : outcome).id;
}
