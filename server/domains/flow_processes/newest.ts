/** The newest runs of one flow, user, trigger or kind of start. */
import type { Sql } from "../../database/pool.ts";

export type Owner = "flow_code" | "cron_id" | "user_id" | "trigger";

const LOWEST = "00000000-0000-0000-0000-000000000000";
const HIGHEST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * A condition and an order that only the index of this column answers.
 *
 * Statements are planned without their values, and PostgreSQL expects as many runs of a rare flow as of any other. With
 * `flow_code = …` and `order by id desc` it therefore reads the newest runs of all flows until it has found enough of
 * this one, which may be all runs: 1,400 ms instead of 0.1 ms with 1.2 million runs.
 *
 * @param value of the column: a parameter, or a column of an outer query
 * @param low the lowest id
 * @param high an id that is too high
 */
export function newest(
  sql: Sql,
  column: Owner,
  value: string | number | ReturnType<Sql>,
  { low = LOWEST, high = HIGHEST }: { low?: string | undefined; high?: string | undefined } = {},
) {
  const name = sql(column);
  return {
    // The indexes of users and triggers have no rows without one.
    where: sql`${name} is not null and (${name}, id) >= (${value}, ${low}) and (${name}, id) < (${value}, ${high})`,
    order: sql`order by ${name} desc, id desc`,
  };
}
