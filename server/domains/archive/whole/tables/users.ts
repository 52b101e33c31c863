/**
 * Users, without passwords and whatever else proves who they are. A user whose login or e-mail address the account has
 * already is that user, who keeps its role, its password and its name.
 */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import type { Sql } from "../../../../database/pool.ts";
import { invalid } from "../../../../errors.ts";
import { fold, Id, LockVersion } from "../../../../input/shapes.ts";
import { NewUserSetting } from "../../../user_settings/schema.ts";
import { twice } from "../ids.ts";
import { byId, Moment, type MovedTable, type Restoring, type Row } from "../moved.ts";

const Numbers = z.array(Id).max(10_000);
const MEMBERSHIPS = [
  ["team_ids", "team"],
  ["group_ids", "group"],
  ["department_ids", "department"],
] as const;

export const users: MovedTable = {
  name: "users",
  with: "account",
  table: part`users`,
  columns: part`id, login, email, name, role, without_department, active, lock_version, created_at, updated_at`,
  made: part`login_folded, email_folded`,
  selected: part`
    id, login, email, name, role, without_department, active, lock_version, created_at, updated_at,
    array(select team_id from team_users m where m.user_id = users.id order by 1) as team_ids,
    array(select group_id from group_users m where m.user_id = users.id order by 1) as group_ids,
    array(select department_id from department_users m where m.user_id = users.id order by 1) as department_ids
  `,
  ...byId,
  at_once: 500,
  references: {},
  shape: NewUserSetting.omit({ password: true }).required()
    .extend({ id: Id, lock_version: LockVersion, created_at: Moment, updated_at: Moment }),
  async settle({ id, login, email, ...row }, { ctx: { sql }, account, ids, matched, result }) {
    const names = { login_folded: fold(String(login)), email_folded: fold(String(email)) };
    const known = await findUser(sql, account, names);
    if (known === undefined) {
      if (ids.find("user", id) !== undefined) throw twice("user", id);
      await ids.reserve(sql, "user", [id]);
      result.users.push(String(login));
      return { ...row, id: ids.find("user", id), login, email, ...names };
    }
    if (matched.has(known)) throw invalid({ login: [`${login} and another user are the same user of this account`] });
    matched.add(known);
    ids.set("user", Number(id), known);
    await join({ ctx: { sql }, ids }, [{ ...row, id: known }]);
    return undefined;
  },
  follow: (rows, restoring) => join(restoring, rows),
};

async function findUser(
  sql: Sql,
  account: number,
  { login_folded, email_folded }: { login_folded: string; email_folded: string },
): Promise<number | undefined> {
  const [user] = await sql<{ id: number }[]>`
    select id
    from users
    where account_id = ${account}
      and (login_folded = ${login_folded} or email_folded = ${email_folded})
    order by login_folded = ${login_folded} desc
    limit 1
  `;
  return user?.id;
}

async function join(
  { ctx: { sql }, ids }: { ctx: Pick<Restoring["ctx"], "sql">; ids: Restoring["ids"] },
  rows: readonly Row[],
): Promise<void> {
  const memberships = rows.flatMap((row) =>
    MEMBERSHIPS.flatMap(([column, kind]) =>
      Numbers.parse(row[column]).flatMap((old) => {
        const of_id = ids.find(kind, old);
        return of_id === undefined ? [] : [{ user_id: row.id, kind, of_id }];
      })
    )
  );
  const json = JSON.stringify(memberships);
  await sql`
    insert into team_users (user_id, team_id)
    select user_id, of_id
    from json_to_recordset(${json}::text::json) as m (user_id int, kind text, of_id int)
    where kind = 'team'
    on conflict do nothing
  `;
  await sql`
    insert into group_users (user_id, group_id)
    select user_id, of_id
    from json_to_recordset(${json}::text::json) as m (user_id int, kind text, of_id int)
    where kind = 'group'
    on conflict do nothing
  `;
  await sql`
    insert into department_users (user_id, department_id)
    select user_id, of_id
    from json_to_recordset(${json}::text::json) as m (user_id int, kind text, of_id int)
    where kind = 'department'
    on conflict do nothing
  `;
}
