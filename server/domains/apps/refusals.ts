/** Saves of an app's source that did not compile, for `GET /account/problems.json`. */
import type { CompileFailure } from "../../compiler/compiler.ts";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";

/** Characters of the compiler's first message that are kept. */
const LONGEST_MESSAGE = 500;

/** Keeps the latest failure of an app, and how many there were since it compiled last. */
export async function noteRefusal(
  sql: Sql,
  viewer: Viewer,
  app_id: string,
  { messages }: CompileFailure,
): Promise<void> {
  const message = (messages[0] ?? "The source does not compile").split("\n", 1).join("").slice(0, LONGEST_MESSAGE);
  await sql`
    insert into app_refusals (app_id, account_id, author_id, message)
    select id, account_id, ${viewer.user_id}, ${message}
    from apps
    where id = ${app_id} and account_id = ${viewer.account_id}
    on conflict (app_id) do update
    set author_id = excluded.author_id, message = excluded.message, count = app_refusals.count + 1, at = now()
  `;
}

export const forgetRefusals = (sql: Sql, { account_id }: Viewer, app_id: string) =>
  sql`delete from app_refusals where app_id = ${app_id} and account_id = ${account_id}`;
