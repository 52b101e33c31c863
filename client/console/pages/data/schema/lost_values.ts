/** What saving a schema would lose in its fields. */
import { totalOf } from "../../../api.ts";
import { restQuery } from "../grid/query.ts";

export interface LostValues {
  table: string;
  field: string;
  /** Records that have a value; undefined if they could not be counted. */
  count: number | undefined;
}

/** Those of the fields that have values. @param table the table's saved name; empty for the only one */
export async function lostValues(
  code: string,
  removed: readonly { table: string; field: string }[],
): Promise<LostValues[]> {
  const found = await Promise.all(removed.map(async ({ table, field }) => {
    const query = {
      ...restQuery([{ field, operator: "filled", value: "" }], ""),
      ...table && { table_name: table },
      count: "true",
    };
    return { table, field, count: await totalOf(`/platform/dbs/${code}/records.json`, query).catch(() => undefined) };
  }));
  return found.filter(({ count }) => count !== 0);
}
