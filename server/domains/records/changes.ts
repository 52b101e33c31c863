/** Live records: the feed of a database as events, reduced to what the subscriber may see. */
import { tracked } from "@trpc/server";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Caller, proveRole, type Viewer } from "../../viewer.ts";
import { Uuid } from "../../input/shapes.ts";
import {
  type ChangeKind,
  dataOf,
  flatRow,
  isoOfRow,
  type KnownDb,
  type KnownTable,
  seenChange,
  type StoredChange,
  type StoredRow,
} from "../../store/store.ts";
import { visibleTo } from "../../visibility.ts";
import { DbCode } from "../dbs/db_code.ts";
import { proveEnabled } from "./public/public_access.ts";
import { ownCondition } from "./public/public_scope.ts";
import { type FlatRecord, Record } from "./schema.ts";
import { tableOf } from "./tables.ts";
import { inDb } from "./place.ts";

export const ChangesInput = z.object({
  db_code: DbCode,
  table_name: z.string().max(63).optional().describe("Only changes of this table; by default of all tables"),
  last_event_id: z.coerce.number().int().min(0).optional()
    .describe("Begins after this event, as the header `Last-Event-ID` does"),
});
export type ChangesInput = z.output<typeof ChangesInput>;

/**
 * `ready`: the stream begins here. `reset`: changes are missing, because the requested event is older than 24 hours, or
 * because the rules changed that decide what the subscriber may see; read the records again. `delete` is also sent for a
 * record that the subscriber may no longer see.
 */
export const ChangeEvent = z.discriminatedUnion("event", [
  z.object({ event: z.enum(["ready", "reset"]), data: z.object({}) }),
  z.object({ event: z.enum(["create", "update"]), data: Record }),
  z.object({ event: z.literal("delete"), data: z.object({ id: Uuid, table_name: z.string().nullable() }) }),
]);
/** `id` is the sequence number of the change in its database. */
export type ChangeEvent = z.output<typeof ChangeEvent> & { id: number };

/** The viewer sees the database, and it has the table. @throws {Refusal} 400, 404 */
export async function proveRecordChanges(
  { dbs, viewer }: Pick<Context, "dbs" | "viewer">,
  { db_code, table_name }: ChangesInput,
): Promise<KnownDb> {
  const db = await inDb({ dbs, viewer }, db_code, (db) => Promise.resolve(db));
  if (table_name !== undefined) tableOf(db, table_name);
  return db;
}

/**
 * @param again authenticates the subscriber again: its token may expire, its departments may change
 * @throws {Refusal} 404; 401 as soon as the token is no longer valid
 */
export async function* recordChanges(
  ctx: Context,
  input: ChangesInput,
  again: () => Promise<Viewer>,
  signal: AbortSignal,
): AsyncGenerator<ChangeEvent> {
  const { dbs, feeds } = ctx;
  const { table_name, last_event_id } = input;
  let { viewer } = ctx;
  const find = () => proveRecordChanges({ dbs, viewer }, input);
  const db = await find();
  for await (const told of feeds.follow(db, last_event_id, signal)) {
    viewer = await again();
    const db = await find();
    const table = table_name === undefined ? undefined : tableOf(db, table_name);
    if (told.kind !== "changes") {
      yield { id: told.seq, event: told.kind, data: {} };
      continue;
    }
    for (const change of told.changes) {
      if (table !== undefined && change.table_id !== table.id) continue;
      const event = eventOf(
        db,
        change,
        (row) => visibleTo(viewer, row.department_id),
        nestedOf,
        (id, { name }) => ({ id, table_name: name || null }),
      );
      if (event) yield event;
    }
  }
}

/** For a tRPC subscription: its client reconnects with the id of the last event that it has seen. */
export async function* trackedChanges(
  ctx: Context,
  { lastEventId, ...input }: ChangesInput & { lastEventId?: string | null | undefined },
  signal: AbortSignal = new AbortController().signal,
) {
  const last_event_id = lastEventId ? Number(lastEventId) : input.last_event_id;
  const again = () => proveRole(ctx, "user", "records:read");
  for await (const { id, ...change } of recordChanges(ctx, { ...input, last_event_id }, again, signal)) {
    yield tracked(String(id), change);
  }
}

/**
 * The changes for callers of the public method `list`, which must be enabled: flat records, and with a scope only the
 * caller's own.
 *
 * @param again authenticates the caller again, who keeps the same browser key
 * @throws {Refusal} 400, 403, 404; 401 as soon as a login or page token is no longer valid
 */
export async function* publicChanges(
  ctx: Context,
  caller: Caller,
  db_code: string,
  last_event_id: number | undefined,
  again: () => Promise<Caller>,
  signal: AbortSignal,
): AsyncGenerator<PublicChangeEvent> {
  const { feeds } = ctx;
  const find = async (caller: Caller) => {
    const db = await proveEnabled(ctx, caller, db_code, "list");
    return { db, table: tableOf(db, undefined), list: db.public_methods.list ?? {} };
  };
  const { db } = await find(caller);
  for await (const told of feeds.follow(db, last_event_id, signal)) {
    const caller = await again();
    const { db, table, list } = await find(caller);
    if (told.kind !== "changes") {
      yield { id: told.seq, event: told.kind, data: {} };
      continue;
    }
    const own = await ownCondition(ctx, caller, { db, table }, list.scope_by);
    const sees = ({ data, department_id }: StoredRow) =>
      (own === undefined || own !== "none" && data[own.field] === own.values[0]) &&
      (!list.members_only || caller.viewer !== undefined && visibleTo(caller.viewer, department_id));
    for (const change of told.changes) {
      const event = eventOf(db, change, sees, (row) => flatRow(table, row), (id) => ({ id }));
      if (event) yield event;
    }
  }
}

export interface PublicChangeEvent {
  id: number;
  event: "ready" | "reset" | ChangeKind;
  /** Of a `create` or `update` the record, of a `delete` its id, otherwise empty. */
  data: Partial<FlatRecord>;
}

/** @returns undefined if the subscriber sees the record neither before nor after the change */
function eventOf<Sent, Gone>(
  db: KnownDb,
  change: StoredChange,
  sees: (row: StoredRow) => boolean,
  sent: (row: StoredRow, table: KnownTable) => Sent,
  gone: (id: string, table: KnownTable) => Gone,
) {
  const seen = seenChange(db, change, sees);
  if (!seen) return undefined;
  const { seq, kind, record_id, table, record } = seen;
  if (record !== null && kind !== "delete") return { id: seq, event: kind, data: sent(record, table) };
  return { id: seq, event: "delete" as const, data: gone(record_id, table) };
}

const nestedOf = (
  { id, data, department_id, created_by_id, created_at, updated_at }: StoredRow,
  table: KnownTable,
): Record => ({
  id,
  table_name: table.name || null,
  data: dataOf(table, data),
  department_id,
  created_by_id,
  created_at: isoOfRow(created_at),
  updated_at: isoOfRow(updated_at),
});
