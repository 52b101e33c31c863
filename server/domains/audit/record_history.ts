/**
 * The changes of one record, from the audit log, for everyone who sees the record. What happened to it in a department
 * that the viewer does not see is left out.
 */
import { z } from "zod";
import { WAYS } from "../../actor.ts";
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import { Id, Timestamp, Uuid } from "../../input/shapes.ts";
import { findRecord } from "../../store/store.ts";
import type { Viewer } from "../../viewer.ts";
import { seesAll, visible } from "../../visibility.ts";
import { inTableOf } from "../records/place.ts";
import { ByRecord } from "../records/schema.ts";

const Fields = z.record(z.string(), z.unknown()).nullable();

export const RecordChange = z.object({
  id: Uuid,
  at: Timestamp,
  action: z.string().describe("create or update").meta({ examples: ["update"] }),
  user_id: Id.nullable().describe("Who acted; null without a login, and for what acts without a request"),
  user_name: z.string().nullable().describe("That user's present name; null without a user, and for a deleted one")
    .meta({ examples: ["Ada Example"] }),
  via: z.enum(WAYS).describe("How the user proved itself; `run`: a flow's step").meta({ examples: ["session"] }),
  run_id: Uuid.nullable().describe("The run whose step has made the change").meta({ examples: [null] }),
  before: Fields.describe("The changed fields before; null for a create").meta({ examples: [{ author: "Ada" }] }),
  after: Fields.describe("The changed fields after; null for a create").meta({ examples: [{ author: "Grace" }] }),
});
export type RecordChange = z.output<typeof RecordChange>;

export const HistoryInput = ByRecord.omit({ fields: true }).extend({
  per_page: z.int().min(1).max(500).default(100),
  after: Uuid.optional().describe("Keyset pagination: the list begins after this change"),
});
export type HistoryInput = z.output<typeof HistoryInput>;

/** Newest first. @throws {Refusal} 404 */
export async function listHistory(ctx: Context, input: HistoryInput): Promise<Json<RecordChange[]>> {
  const { db_code, id, table_name } = input;
  const db_id = await inTableOf(ctx, db_code, { id, table_name }, async (place) => {
    const found = await findRecord(ctx.reads, place, "nested", id, []);
    return typeof found === "object" ? place.db.id : found;
  });
  if (typeof db_id !== "number") throw notFound("Record");
  return await listChanges(ctx.sql, ctx.viewer, db_id, input);
}

async function listChanges(sql: Sql, viewer: Viewer, db_id: number, { id, per_page, after }: HistoryInput) {
  const ofRecord = entriesOf(sql, viewer, db_id, id);
  const [row] = await sql<{ json: string; last: string | null }[]>`
    select
      coalesce(json_agg(r.json order by r.n) filter (where r.n <= ${per_page}), '[]')::text as json,
      case when count(*) > ${per_page} then (array_agg(r.id order by r.n))[${per_page}::int] end as last
    from (
      select row_number() over (order by e.id desc) as n, e.id, row_to_json(e) as json
      from (
        select
          id, iso(audit_time(id)) as at, action, user_id,
          (select name from users u where u.id = e.user_id and u.account_id = e.account_id) as user_name,
          actor ->> 'via' as via,
          case when actor ->> 'via' = 'run' then actor ->> 'id' end as run_id,
          before, after
        from audit_entries e
        where ${ofRecord}
          ${seesAll(viewer) ? sql`` : sql`and id > ${arrival(sql, viewer, db_id, ofRecord)}`}
          ${after === undefined ? sql`` : sql`and id < ${after}`}
        order by id desc
        limit ${per_page + 1}
      ) e
    ) r
  `;
  return new Json<RecordChange[]>(row?.json ?? "[]", undefined, row?.last ?? undefined);
}

const entriesOf = (sql: Sql, { account_id }: Viewer, db_id: number, id: string) =>
  sql`account_id = ${account_id} and object = 'record' and object_id = ${id.toLowerCase()} and db_id = ${db_id}`;

/**
 * The change that has last moved the record, or its database, out of a department that the viewer does not see: up to it
 * nothing is shown. An entry of more than 100 fields may have lost the department, and counts as such a move.
 */
const arrival = (sql: Sql, viewer: Viewer, db_id: number, ofRecord: ReturnType<typeof entriesOf>) =>
  sql`coalesce((
    select m.id
    from (
      select
        e.id, e.before ? '…' as is_cut,
        case jsonb_typeof(e.before -> 'department_id') when 'number' then (e.before ->> 'department_id')::numeric end
          as department_id
      from (
        select id, before from audit_entries where ${ofRecord} and before ?| '{department_id,…}'
        union all
        select id, before
        from audit_entries
        where account_id = ${viewer.account_id}
          and object = 'db'
          and object_id = ${String(db_id)}
          and before ? 'department_id'
      ) e
    ) m
    where is_cut or (${visible(sql, viewer)}) is not true
    order by m.id desc
    limit 1
  ), '00000000-0000-0000-0000-000000000000')`;
