/** How many objects a user's lists show, and which rules hide the others. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import type { Role, Viewer } from "../../viewer.ts";
import { seesAll, visible, visibleTo } from "../../visibility.ts";
import { type AccessUser, findAccessUser, namesOfDepartments } from "./queries.ts";
import { hasRole, ROLES_OF } from "./reached.ts";
import { type AccessCounts, COUNTED, type Counted, type CountsQuery } from "./schema.ts";

/** Objects that the rules treat alike. */
interface Group {
  count: number;
  department_id: number | null;
  /** Of an app. */
  active?: boolean;
  /** Of records: the department of their database. */
  of_db?: number | null;
}

/** Runs and records that are counted. */
const MOST = 10_000;

/** @throws {Refusal} 404 */
export async function countAccess(ctx: Context, query: CountsQuery): Promise<AccessCounts[]> {
  const { sql, viewer } = ctx;
  const user = query.role === undefined
    ? await findAccessUser(sql, viewer.account_id, query.user_id ?? viewer.user_id)
    : invited(viewer, query, query.role);
  if (!user) throw notFound("User");
  const { db_code } = query;
  const types = COUNTED.filter((type) => type !== "record" || db_code !== undefined);
  const found = await Promise.all(
    types.map(async (type) => ({ type, groups: await groupsOf(sql, viewer, type, db_code ?? "") })),
  );
  const ids = found.flatMap(({ groups }) =>
    groups.flatMap(({ department_id, of_db = null }) => [department_id, of_db])
  );
  const names = await namesOfDepartments(sql, viewer.account_id, [...new Set(ids)].filter((id) => id !== null));
  return found.map(({ type, groups }) => countsOf(user, type, groups, names));
}

/** The part of a user that the rules read. */
type Reader = Pick<AccessUser, "role" | "active" | "restricted" | "department_ids" | "without_department">;

/** The user whom an invitation by the viewer would create. */
const invited = (viewer: Viewer, { department_ids, without_department }: CountsQuery, role: Role): Reader => ({
  role,
  active: true,
  restricted: viewer.restricted,
  department_ids: department_ids ? department_ids.split(",").map(Number) : [],
  without_department: without_department ?? (seesAll(viewer) || viewer.without_department),
});

function countsOf(user: Reader, type: Counted, groups: readonly Group[], names: ReadonlyMap<number, string>) {
  const hidden = new Map<string, number>();
  let [visible, all, without_department] = [0, 0, 0];
  for (const group of groups) {
    const rule = ruleThatHides(user, type, group, names);
    all += group.count;
    if (group.department_id === null) without_department += group.count;
    if (rule === undefined) visible += group.count;
    else hidden.set(rule, (hidden.get(rule) ?? 0) + group.count);
  }
  const hidden_by = [...hidden].map(([rule, count]) => ({ rule, count }))
    .toSorted((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));
  return { type, visible, without_department, hidden_by, complete: type !== "run" && type !== "record" || all < MOST };
}

/** The first rule that hides the group from the user; undefined where none does. */
function ruleThatHides(
  user: Reader,
  type: Counted,
  { department_id, of_db, active }: Group,
  names: ReadonlyMap<number, string>,
): string | undefined {
  const least = ROLES_OF[type].sees;
  if (!user.active) return "the user is switched off";
  if (!hasRole(user.role, least)) return `needs the role ${least}`;
  if (of_db !== undefined && !visibleTo(user, of_db)) return `database: ${lacking(of_db, names)}`;
  if (!visibleTo(user, department_id)) return lacking(department_id, names);
  return active === false && user.role === "guest" ? "not active: needs the role user" : undefined;
}

const lacking = (department: number | null, names: ReadonlyMap<number, string>): string =>
  department === null
    ? "has no department: needs without_department"
    : `not a member of department ${names.get(department) ?? department}`;

/** What the viewer may be told of, in groups. */
function groupsOf(sql: Sql, viewer: Viewer, type: Counted, db_code: string): Promise<Group[]> {
  const own = sql`account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;
  const grouped = (table: string) =>
    sql<Group[]>`select department_id, count(*)::int as count from ${sql(table)} where ${own} group by 1`;
  switch (type) {
    case "app":
      return sql<Group[]>`
        select department_id, active, count(*)::int as count from apps where ${own} group by 1, 2
      `;
    case "run":
      return sql<Group[]>`
        select department_id, count(*)::int as count
        from (select department_id from flow_processes where ${own} order by id desc limit ${MOST}) newest
        group by 1
      `;
    case "record":
      return sql<Group[]>`
        select r.department_id, d.department_id as of_db, count(*)::int as count
        from (select id, department_id from dbs where ${own} and code = ${db_code}) d
        cross join lateral (
          select department_id
          from records
          where table_id = any(array(select t.id from db_tables t where t.db_id = d.id))
            and ${visible(sql, viewer)}
          limit ${MOST}
        ) r
        group by 1, 2
      `;
    default:
      return grouped(`${type}s`);
  }
}
