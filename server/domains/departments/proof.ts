/** The department that an object is about to carry. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database.ts";
import { invalid } from "../../errors.ts";
import { visibleTo } from "../../visibility.ts";

/** @throws {Refusal} 422 where it is not the account's, or would hide the object from the viewer */
export async function proveDepartment({ sql, viewer }: Context, department: number | null): Promise<void> {
  if (!visibleTo(viewer, department)) throw invalid({ department_id: ["is not one of your departments"] });
  if (department !== null && !await hasDepartment(sql, viewer.account_id, department)) {
    throw invalid({ department_id: ["must exist"] });
  }
}

async function hasDepartment(sql: Sql, account: number, id: number): Promise<boolean> {
  const rows = await sql`select 1 from departments where id = ${id} and account_id = ${account}`;
  return rows.length > 0;
}
