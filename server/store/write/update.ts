import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import type { KnownTable, Slot } from "../definition/table.ts";
import { type Changes, slotsOf } from "../definition/values.ts";
import { followedBy } from "../feed/log_changes.ts";
import { one, type Place, type Shape } from "../read/place.ts";
import { shaped } from "../read/shaped.ts";
import { type Part, part, run } from "../statement/part.ts";
import { heldDb, STALE } from "../statement/statement.ts";
import { isSearched, textAt } from "./search_text.ts";

/** Merges: what `changes` does not name stays as it is, whoever wrote it meanwhile. */
export async function updateRecord<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  id: string,
  changes: Changes,
  department_id?: number | null,
): Promise<Json<T> | undefined | typeof STALE> {
  const { db, table } = place;
  const filled = slotsOf(table, changes);
  const [row] = await run<{ json: string | null }[]>(
    sql,
    part`
    with
      db as (${heldDb(db)}),
      ${db.live ? part`before as (${beforeUpdate(place, id)}),` : part``}
      written as (
        update records r
        set
          data = jsonb_strip_nulls(r.data || ${changes}::jsonb),
          search = ${searched(table, changes)},
          ${Object.keys(filled).length === 0 ? part`` : slotsSql(filled)}
          department_id = ${department_id === undefined ? part`r.department_id` : part`${department_id}::integer`},
          -- to the millisecond, as it is told; the clock of who created it may be ahead of the database's
          updated_at = greatest(date_trunc('milliseconds', now()), r.updated_at)
        ${db.live ? part`from before b where r.id = b.id` : part`from db where ${one(place, id)}`}
        returning r.*${db.live ? part`, to_jsonb(b) as was` : part``}
      )
      ${followedBy(db, "update", part`select * from written`)}
    select (select ${shaped(place, shape)}::text from written) as json
    from db
  `,
  );
  return row ? row.json === null ? undefined : new Json(row.json) : STALE;
}

/** Only a follower wants to know what was. */
const beforeUpdate = (place: Place, id: string): Part =>
  part`
    select records.*
    from records, db
    where ${one(place, id)}
    for update of records
  `;

/** Whichever slots are filled, the statement is one. */
const slotsSql = (filled: Partial<Record<Slot, string>>): Part =>
  part`(${SLOT_COLUMNS}) = (select ${SLOT_COLUMNS} from jsonb_populate_record(r, ${filled}::jsonb)),`;

const SLOT_COLUMNS = part`str_1, str_2, str_3, int_1, int_2, time_1, time_2`;

function searched(table: KnownTable, changes: Changes): Part {
  const places = table.searched.flatMap((name, i) =>
    Object.hasOwn(changes, name) && isSearched(table, name) ? [[i + 1, textAt(changes, name)]] : []
  );
  if (places.length === 0) return part`r.search`;
  const texts = Object.fromEntries(places);
  return part`(
    select array_agg(coalesce(${texts}::jsonb ->> i::text, r.search[i], '') order by i)
    from generate_series(1, ${table.searched.length}::int) i
  )`;
}
