/** Checks the department that a caller wants to give to an object. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { visibleTo } from "../../visibility.ts";

/** @throws {Refusal} 422 if the department is not in the account, or would hide the object from the viewer */
export async function proveDepartment(ctx: Context, department: number | null): Promise<void> {
  const fault = await faultOfDepartment(ctx, department);
  if (fault) throw invalid({ department_id: [fault] });
}

/** @returns why the department is not allowed; undefined if it is */
export async function faultOfDepartment(
  { sql, viewer }: Context,
  department: number | null,
): Promise<string | undefined> {
  if (!visibleTo(viewer, department)) {
    return department === null ? "can't be blank: name one of your departments" : "is not one of your departments";
  }
  if (department !== null && !await hasDepartment(sql, viewer.account_id, department)) return "must exist";
}

async function hasDepartment(sql: Sql, account: number, id: number): Promise<boolean> {
  const rows = await sql`select 1 from departments where id = ${id} and account_id = ${account}`;
  return rows.length > 0;
}
