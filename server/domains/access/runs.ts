/** The runs that a user reaches: those in flight are in Deno KV, those that wait or have ended in PostgreSQL. */
import type { Context } from "../../context.ts";
import { visibleTo } from "../../visibility.ts";
import { byRule, hasRole, type Reached, ROLES_OF, told, type Wanted } from "./reached.ts";

/** Runs in flight that a list includes. The others appear in it once they have ended. */
const MOST_PENDING = 1_000;

/** The oldest first. */
export async function listRuns({ sql, flows }: Context, wanted: Wanted): Promise<Reached[]> {
  const { viewer, user, id, after, limit } = wanted;
  // Deno KV before PostgreSQL: a run that ends in between is found in PostgreSQL.
  const heads = id === undefined
    ? (await Promise.all([
      flows.pending(viewer.account_id, MOST_PENDING),
      flows.waiting(viewer.account_id, MOST_PENDING),
    ])).flat()
    : [(await flows.inspect(viewer.account_id, id))?.head].filter((head) => head !== undefined);
  const ended = await sql<Reached[]>`
    select
      id::text as id, id::text as key, flow_code as name, json_build_array(department_id) as departments,
      true as by_rule, null as seen_from, '{}'::json as open
    from flow_processes
    where account_id = ${viewer.account_id}
      and ${told(sql, wanted)}
      and ${byRule(sql, wanted, "run")}
      ${id === undefined ? sql`` : sql`and id = ${id}::uuid`}
      ${after === undefined ? sql`` : sql`and id > ${after}::uuid`}
    order by id
    limit ${limit}
  `;
  const ended_ids = new Set(ended.map(({ id }) => id));
  const seesRuns = (department: number | null) =>
    user === undefined || hasRole(user.role, ROLES_OF.run.sees) && visibleTo(user, department);
  const in_flight = [...new Map(heads.map((head) => [head.id, head])).values()];
  const pending = in_flight.filter((head) =>
    visibleTo(viewer, head.department_id) && seesRuns(head.department_id) && !ended_ids.has(head.id) &&
    (after === undefined || head.id > after)
  ).map(({ id, flow_code, department_id }): Reached => ({
    id,
    key: id,
    name: flow_code,
    departments: [department_id],
    by_rule: true,
    seen_from: null,
    open: {},
  }));
  return [...ended, ...pending].toSorted((a, b) => a.id < b.id ? -1 : 1).slice(0, limit);
}
