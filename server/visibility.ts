/**
 * The visibility rule of a restricted account, by department. Every list, read, search, count and update of rows with a
 * `department_id` uses it. A hidden object is answered with 404.
 */
import type { Tag } from "./database/part.ts";

/** The part of a viewer that the rule reads. */
export interface Restriction {
  role: string;
  /** Visibility by department is restricted in the account. */
  restricted: boolean;
  department_ids: readonly number[];
  /** Sees objects without a department, too. */
  without_department: boolean;
}

export const seesAll = ({ role, restricted }: Restriction) => role === "admin" || !restricted;

/** `seesAll` for the users `u` of a query, whose columns are named like the fields of a `Restriction`. */
const allSeenByUser = <Piece>(sql: Tag<Piece>): Piece => sql`(u.role = 'admin' or not u.restricted)`;

/** A condition on the row's own `department_id`. */
export function visible<Piece>(sql: Tag<Piece>, viewer: Restriction): Piece {
  if (seesAll(viewer)) return sql`true`;
  return within(sql, sql`${[...viewer.department_ids]}::int[]`, viewer.without_department);
}

/** The same condition on the row's own `department_id`, for each of the users `u` of a query instead of one viewer. */
export const visibleToUser = <Piece>(sql: Tag<Piece>): Piece =>
  sql`case
    when ${allSeenByUser(sql)} then true
    when u.without_department then ${within(sql, sql`u.department_ids`, true)}
    else ${within(sql, sql`u.department_ids`, false)}
  end`;

function within<Piece>(sql: Tag<Piece>, department_ids: Piece, without_department: boolean): Piece {
  const own = sql`department_id = any(${department_ids})`;
  return without_department ? sql`(department_id is null or ${own})` : own;
}

/**
 * A condition on the row's own `department_id` for lists of one department, beside `visible`.
 *
 * @param department undefined: any; null: none
 */
export function inDepartment<Piece>(sql: Tag<Piece>, department: number | null | undefined): Piece {
  if (department === undefined) return sql`true`;
  return department === null ? sql`department_id is null` : sql`department_id = ${department}`;
}

/** The same rule for one value without a query: a cached page, or a row before it is written. */
export function visibleTo(viewer: Restriction, department: number | null): boolean {
  if (seesAll(viewer)) return true;
  return department === null ? viewer.without_department : viewer.department_ids.includes(department);
}

/** The department of a record whose creator names none: a restricted user's only department, otherwise null. */
export function departmentOfRecord(creator: Restriction): number | null {
  const { department_ids: [only = null, ...more] } = creator;
  return seesAll(creator) || more.length > 0 ? null : only;
}

/** What both may see. */
export function commonReach(one: Restriction, other: Restriction): Restriction {
  if (seesAll(one)) return other;
  if (seesAll(other)) return one;
  return {
    ...one,
    department_ids: one.department_ids.filter((id) => other.department_ids.includes(id)),
    without_department: one.without_department && other.without_department,
  };
}
