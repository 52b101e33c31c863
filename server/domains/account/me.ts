import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { oneJson } from "../../database/lists.ts";
import { unauthorized } from "../../errors.ts";
import { accountColumns } from "./queries.ts";
import { isOperator } from "../../operator.ts";
import type { Viewer } from "../../viewer.ts";
import type { Me } from "./schema.ts";

/** @param viewer the context's, or one who has just signed in @throws {Refusal} 401 if the user was deleted after the caller was proven */
export async function readMe({ sql, model, release }: Context, viewer: Viewer): Promise<Json<Me>> {
  const { account_id, user_id, scopes, session_id } = viewer;
  const me = await oneJson<Me>(
    sql,
    sql`
      select
        jsonb_build_object(
          'id', u.id, 'login', u.login, 'email', u.email, 'name', u.name, 'role', u.role,
          'without_department', u.without_department
        ) as user,
        coalesce(
          (
            select jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name) order by d.name, d.id)
            from department_users m
            join departments d on d.id = m.department_id
            where m.user_id = u.id
          ),
          '[]'
        ) as departments,
        ${scopes === null ? null : [...scopes]}::text[] as scopes,
        ${session_id}::int as session_id,
        ${model !== undefined}::boolean as assistant,
        ${await isOperator(sql, viewer)}::boolean as operator,
        (select row_to_json(a) from (select ${accountColumns(sql)} from accounts where id = u.account_id) a) as account,
        ${await release.id()}::text as release
      from users u
      where u.id = ${user_id}
        and u.account_id = ${account_id}
    `,
  );
  if (!me) throw unauthorized();
  return me;
}
