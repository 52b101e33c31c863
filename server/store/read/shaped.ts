import { type Part, part } from "../../database/part.ts";
import { type Place, type Shape, tableNameOf } from "./place.ts";

/** A record as JSON, built from a row of `records`. Every field of the table appears; blank ones are null. */
export function shaped(
  { db, table }: Pick<Place, "db" | "table">,
  shape: Shape,
  fields?: readonly string[],
): Part {
  const data = fields === undefined
    ? part`(${table.blank}::jsonb || data)`
    : part`(${
      Object.fromEntries(fields.map((name) => [name, null]))
    }::jsonb || coalesce((select jsonb_object_agg(k, data -> k) from unnest(${[
      ...fields,
    ]}::text[]) k where data ? k), '{}'))`;
  if (shape === "flat") {
    return part`(
      jsonb_build_object('id', id) || ${data} ||
      jsonb_build_object('created_at', iso(created_at), 'updated_at', iso(updated_at))
    )`;
  }
  // row_to_json is cheaper than json_build_object, which looks up the type of every value again.
  return part`(
    select row_to_json(sent)
    from (
      select
        id, ${tableNameOf(db, table)}::text as table_name, ${data} as data, department_id, created_by_id,
        iso(created_at) as created_at, iso(updated_at) as updated_at
    ) sent
  )`;
}
