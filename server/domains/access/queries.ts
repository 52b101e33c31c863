/** SQL of the users who see an object. */
import type { Sql } from "../../database/pool.ts";
import type { KnownUser } from "../../reach.ts";
import type { Role } from "../../viewer.ts";
import { visibleToUser } from "../../visibility.ts";

export interface AccessUser extends KnownUser {
  role: Role;
  login: string;
  name: string;
}

const users = (sql: Sql, account: number) =>
  sql`
    select
      u.account_id, u.id as user_id, u.login, u.name, u.role, u.active, u.without_department,
      a.departments_mode = 'restricted' as restricted,
      array(select d.department_id from department_users d where d.user_id = u.id) as department_ids
    from users u
    join accounts a on a.id = u.account_id
    where u.account_id = ${account}
  `;

export async function findAccessUser(sql: Sql, account: number, id: number): Promise<AccessUser | undefined> {
  const [user] = await sql<AccessUser[]>`${users(sql, account)} and u.id = ${id}`;
  return user;
}

interface Seen {
  /** Each must be visible to the user. */
  departments: readonly (number | null)[];
  roles: readonly Role[];
  /** Only this user. */
  user_id: number | undefined;
  /** The id of the user before the page. */
  after: number;
  limit: number;
}

/** Active users with one of the roles who see all of the departments, by id. */
export const listSeers = (
  sql: Sql,
  account: number,
  { departments, roles, user_id, after, limit }: Seen,
): Promise<AccessUser[]> =>
  sql<AccessUser[]>`
    select u.*
    from (
      ${users(sql, account)}
        and u.active
        and u.role = any(${[...roles]}::text[])
        and u.id > ${after}
        ${user_id === undefined ? sql`` : sql`and u.id = ${user_id}`}
    ) u
    where ${
    departments.reduce(
      (all, id) => sql`${all} and (select ${visibleToUser(sql)} from (select ${id}::int as department_id) o)`,
      sql`true`,
    )
  }
    order by u.user_id
    limit ${limit}
  `;

/** The names of departments, by id. */
export async function namesOfDepartments(
  sql: Sql,
  account: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`
    select id, name from departments where account_id = ${account} and id = any(${[...ids]}::int[])
  `;
  return new Map(rows.map(({ id, name }) => [id, name]));
}
