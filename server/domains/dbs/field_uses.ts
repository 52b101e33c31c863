/** What uses a database, and which of its fields each of them names. */
import { z } from "zod";
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { visible } from "../../visibility.ts";
import { readSchema } from "../../store/store.ts";
import { MOST, Use } from "../uses/uses.ts";
import { readDb } from "./queries.ts";

const FieldUse = Use.extend({
  names: z.array(z.string()).describe("Fields and tables of the database that it names")
    .meta({ examples: [["author"]] }),
});
export const FieldUses = z.array(FieldUse).meta({ examples: [[]] });
type FieldUses = z.output<typeof FieldUses>;

/**
 * Names are looked for in so many characters of a source. Each name reads them once, and the embedded database does
 * nothing else meanwhile: 20 sources of 100,000 characters and 60 names took it 0.4 s on a busy machine.
 */
const SEARCHED = 100_000;

/** @throws {Refusal} 404 */
export async function readUses(ctx: Context, code: string): Promise<Json<FieldUses>> {
  const { sql, viewer } = ctx;
  const db = (await readDb(ctx, code)).parse();
  const names = new Set<string>();
  for (const { name, fields } of readSchema(db.schema).values()) {
    for (const one of [name, ...fields.keys()]) if (one) names.add(one);
  }
  const { account_id } = viewer;
  // The names are letters, digits and _, so they need no quoting in a pattern. `strpos` is much cheaper than a pattern.
  const [row] = await sql<{ json: string }[]>`
    select coalesce(
      json_agg(json_build_object('kind', s.kind, 'id', s.id, 'name', s.name, 'names', w.names) order by s.n, s.name),
      '[]'
    )::text as json
    from (
      select 1 as n, 'app' as kind, to_json(a.id) as id, a.name, a.source_code as source
      from used_codes u
      join apps a on a.id = u.app_id
      where u.account_id = ${account_id} and u.kind = 'db' and u.code = ${code} and ${visible(sql, viewer)}
      union all
      select 2, 'flow', to_json(f.id), f.name, f.fields::text
      from used_codes u
      join flows f on f.id = u.flow_id
      where u.account_id = ${account_id} and u.kind = 'db' and u.code = ${code} and ${visible(sql, viewer)}
      union all
      select 3, 'cron', to_json(t.id), t.name, t.settings::text
      from crons t
      where t.account_id = ${account_id} and t.kind = 'record' and t.settings ->> 'db_code' = ${code}
        and ${visible(sql, viewer)}
      limit ${MOST}
    ) s
    cross join lateral (
      select coalesce(json_agg(n.name order by n.name collate "C"), '[]') as names
      from (select left(s.source, ${SEARCHED}) as text offset 0) t
      cross join unnest(${[...names]}::text[]) n (name)
      where strpos(t.text, n.name) > 0 and t.text ~ ('\\m' || n.name || '\\M')
    ) w
  `;
  return new Json(row?.json ?? "[]");
}
