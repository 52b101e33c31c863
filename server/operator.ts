/**
 * Who may see figures of the whole server: the admins of the account that owns it. That is the oldest account, which
 * cannot be removed; `ADMIN_TOKEN` is a token of its first admin. Admins of other accounts see their own accounts only.
 */
import type { Sql } from "./database/pool.ts";
import { forbidden } from "./errors.ts";
import type { Viewer } from "./viewer.ts";

export async function isOperator(sql: Sql, { role, account_id, grant }: Viewer): Promise<boolean> {
  if (role !== "admin" || grant) return false;
  const [owner] = await sql<{ id: number | null }[]>`select min(id) as id from accounts`;
  return owner?.id === account_id;
}

/** @throws {Refusal} 403 */
export async function proveOperator({ sql, viewer }: { sql: Sql; viewer: Viewer }): Promise<void> {
  if (!await isOperator(sql, viewer)) throw forbidden("This is for admins of the account that owns the server");
}
