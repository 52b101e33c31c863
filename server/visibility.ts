/**
 * What a restricted account hides (decisions, "What a restricted account hides"): the one place of the rule. Every
 * list, read, search, count and update of what carries a `department_id` uses it; a hidden object is a 404.
 */
import type { Viewer } from "./context.ts";

type Restriction = Pick<Viewer, "role" | "restricted" | "department_ids" | "without_department">;

export const seesAll = ({ role, restricted }: Restriction) => role === "admin" || !restricted;

/** What makes a piece of SQL of a template: the driver, or the record store's `part`. */
type Tag<Piece> = (text: TemplateStringsArray, ...values: (Piece | readonly number[])[]) => Piece;

/** A condition on the row's own `department_id`. */
export function visible<Piece>(sql: Tag<Piece>, viewer: Restriction): Piece {
  if (seesAll(viewer)) return sql`true`;
  const own = sql`department_id = any(${[...viewer.department_ids]}::int[])`;
  return viewer.without_department ? sql`(department_id is null or ${own})` : own;
}

/** The same rule for one value, where no query is asked: a page in memory, or what is about to be written. */
export function visibleTo(viewer: Restriction, department: number | null): boolean {
  if (seesAll(viewer)) return true;
  return department === null ? viewer.without_department : viewer.department_ids.includes(department);
}
