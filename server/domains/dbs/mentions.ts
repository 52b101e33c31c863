/** What names a field of a database: a renaming does not change sources, programs and triggers. */
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { visible } from "../../visibility.ts";
import { MOST, type UsedBy } from "../uses/uses.ts";
import { readDb } from "./queries.ts";
import type { ByMention } from "./schema.ts";

/** @throws {Refusal} 404 */
export async function readMentions(ctx: Context, { db_code, name }: ByMention): Promise<Json<z.output<typeof UsedBy>>> {
  const { sql, viewer } = ctx;
  await readDb(ctx, db_code);
  const { account_id } = viewer;
  const mentions = (text: ReturnType<typeof sql>) => name === undefined ? sql`true` : sql`${text} ~ ${`\\m${name}\\M`}`;
  const [row] = await sql<{ json: string }[]>`
    select coalesce(json_agg(json_build_object('kind', s.kind, 'id', s.id, 'name', s.name) order by s.n, s.name), '[]')::text as json
    from (
      select 1 as n, 'app' as kind, to_json(a.id) as id, a.name
      from used_codes u
      join apps a on a.id = u.app_id
      where u.account_id = ${account_id} and u.kind = 'db' and u.code = ${db_code}
        and ${visible(sql, viewer)} and ${mentions(sql`a.source_code`)}
      union all
      select 2, 'flow', to_json(f.id), f.name
      from used_codes u
      join flows f on f.id = u.flow_id
      where u.account_id = ${account_id} and u.kind = 'db' and u.code = ${db_code}
        and ${visible(sql, viewer)} and ${mentions(sql`f.fields::text`)}
      union all
      select 3, 'cron', to_json(t.id), t.name
      from crons t
      where t.account_id = ${account_id} and t.kind = 'record' and t.settings ->> 'db_code' = ${db_code}
        and ${visible(sql, viewer)} and ${mentions(sql`t.settings::text`)}
      limit ${MOST}
    ) s
  `;
  return new Json(row?.json ?? "[]");
}
