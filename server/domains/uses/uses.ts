/** What uses a flow, a connector or a database: apps, programs and triggers that name its code. */
import { z } from "zod";
import type { Sql } from "../../database/pool.ts";
import { Refusal } from "../../errors.ts";
import { Id, Uuid } from "../../input/shapes.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";

export type Used = "flow" | "connector" | "db";

/** The query parameter of a delete. */
export const Force = z.boolean().default(false).describe("Deletes it although something uses it");

/** For the API reference of a delete. */
export const IN_USE = "409 with `used_by` if something uses it, unless `force=true`.";

export const Use = z.object({
  kind: z.enum(["app", "cron", "flow"]),
  id: z.union([Uuid, Id]),
  name: z.string().nullable().describe("Of a trigger without a name, its sentence").meta({
    examples: ["Watch the rate"],
  }),
});

export const UsedBy = z.array(Use).describe(
  "The apps (by an action, `db_code` or their source), flows and triggers that name its code, as far as the caller may " +
    "see them; at most 100",
).meta({ examples: [[]] });

/** The uses that are listed. */
export const MOST = 100;

/**
 * A column of a query: the uses that the viewer may see, as JSON.
 *
 * @param code the code's column in the outer query
 */
export const usedBy = (sql: Sql, viewer: Viewer, used: Used, code: ReturnType<Sql>) =>
  sql`(
    select coalesce(json_agg(json_build_object('kind', s.kind, 'id', s.id, 'name', s.name) order by s.n, s.name), '[]')
    from (
      select 1 as n, 'app' as kind, to_json(a.id) as id, a.name
      from used_codes u
      join apps a on a.id = u.app_id
      where u.account_id = ${viewer.account_id} and u.kind = ${used} and u.code = ${code}
        and ${visible(sql, viewer)}
      union all
      select 2, 'flow', to_json(f.id), f.name
      from used_codes u
      join flows f on f.id = u.flow_id
      where u.account_id = ${viewer.account_id} and u.kind = ${used} and u.code = ${code}
        and ${visible(sql, viewer)}
      union all
      select 3, 'cron', to_json(t.id), coalesce(t.name, t.sentence)
      from crons t
      where t.account_id = ${viewer.account_id} and ${used} = 'flow' and t.target_code = ${code}
        and ${visible(sql, viewer)}
      union all
      select 3, 'cron', to_json(t.id), coalesce(t.name, t.sentence)
      from crons t
      where t.account_id = ${viewer.account_id} and ${used} = 'db' and t.kind = 'record'
        and t.settings ->> 'db_code' = ${code}
        and ${visible(sql, viewer)}
      limit ${MOST}
    ) s
  )`;

/** Whether anything in the account uses it, including what the viewer may not see. */
async function isUsed(sql: Sql, account: number, used: Used, code: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from used_codes
    where account_id = ${account} and kind = ${used} and code = ${code}
    union all
    select 1
    from crons
    where account_id = ${account} and ${used} = 'flow' and target_code = ${code}
    union all
    select 1
    from crons
    where account_id = ${account} and ${used} = 'db' and kind = 'record' and settings ->> 'db_code' = ${code}
    limit 1
  `;
  return rows.length > 0;
}

/**
 * @param thing as people call it, for example "flow"
 * @throws {Refusal} 409 with the uses that the viewer may see, unless `force`
 */
export async function proveUnused(
  { sql, viewer }: { sql: Sql; viewer: Viewer },
  used: Used,
  code: string,
  thing: string,
  force: boolean,
): Promise<void> {
  if (force || !await isUsed(sql, viewer.account_id, used, code)) return;
  const [row] = await sql<{ used_by: z.output<typeof UsedBy> }[]>`
    select ${usedBy(sql, viewer, used, sql`${code}`)} as used_by
  `;
  throw new Refusal(409, `This ${thing} is in use: send force=true to delete it anyway`, {
    more: { used_by: row?.used_by ?? [] },
  });
}
