import type { Viewer } from "../../viewer.ts";
import type { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { KnownUser } from "../../reach.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import { containing, within } from "../../database/like.ts";
import { fold } from "../../input/shapes.ts";
import type { ListedUser, UserSetting, UserSettingPage } from "./schema.ts";

export interface Values {
  login?: string;
  login_folded?: string;
  email?: string;
  email_folded?: string;
  name?: string;
  role?: string;
  without_department?: boolean;
  active?: boolean;
  password_hash?: string;
}

/**
 * Where the memberships of a user are stored: the table, its second column, and the table that this column refers to.
 */
export const MEMBERSHIPS = {
  team_ids: { table: "team_users", column: "team_id", target: "teams" },
  group_ids: { table: "group_users", column: "group_id", target: "groups" },
  department_ids: { table: "department_users", column: "department_id", target: "departments" },
} as const;
export type Membership = keyof typeof MEMBERSHIPS;

const columns = (sql: Sql) =>
  sql`
    u.id, u.login, u.email, u.name, u.role,
    array(select t.team_id from team_users t where t.user_id = u.id order by 1) as team_ids,
    array(select g.group_id from group_users g where g.user_id = u.id order by 1) as group_ids,
    array(select d.department_id from department_users d where d.user_id = u.id order by 1) as department_ids,
    u.without_department, u.active, u.lock_version, iso(u.created_at) as created_at, iso(u.updated_at) as updated_at
  `;

const listed = (sql: Sql) =>
  sql`
    ${columns(sql)},
    coalesce(
      (
        select json_agg(json_build_object('id', d.id, 'name', d.name) order by d.name_folded)
        from department_users m
        join departments d on d.id = m.department_id
        where m.user_id = u.id
      ),
      '[]'
    ) as departments,
    iso(a.last_seen_at) as last_seen_at, iso(a.last_sign_in_at) as last_sign_in_at
  `;

const orders = (sql: Sql) => ({
  id: sql`u.id`,
  "-id": sql`u.id desc`,
  login: sql`u.login_folded`,
  "-login": sql`u.login_folded desc`,
  email: sql`u.email_folded`,
  "-email": sql`u.email_folded desc`,
  name: sql`lower(u.name), u.id`,
  "-name": sql`lower(u.name) desc, u.id desc`,
  created_at: sql`u.created_at, u.id`,
  "-created_at": sql`u.created_at desc, u.id desc`,
  last_seen_at: sql`a.last_seen_at nulls first, u.id`,
  "-last_seen_at": sql`a.last_seen_at desc nulls last, u.id desc`,
});

export function listUserSettings(sql: Sql, account: number, page: UserSettingPage) {
  const { q, id, role, active, department_id, team_id, group_id } = page;
  const found = q === undefined ? undefined : { text: within(q), folded: containing(q) };
  const chosen = sql`
    from users u
    left join user_activity a on a.user_id = u.id
    where u.account_id = ${account}
      ${id === undefined ? sql`` : sql`and u.id = ${id}`}
      ${role === undefined ? sql`` : sql`and u.role = ${role}`}
      ${active === undefined ? sql`` : sql`and u.active = ${active}`}
      ${isMember(sql, "department_ids", department_id)}
      ${isMember(sql, "team_ids", team_id)}
      ${isMember(sql, "group_ids", group_id)}
      ${
    found === undefined ? sql`` : sql`and (
        u.name ilike ${found.text} or u.login_folded like ${found.folded} or u.email_folded like ${found.folded}
      )`
  }
  `;
  return listJson<ListedUser>(
    sql,
    sql`select ${listed(sql)} ${chosen} order by ${orders(sql)[page.sort ?? "id"]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

/** A condition on the user `u`. @param owner undefined: any; null: the user is a member of none */
function isMember(sql: Sql, membership: Membership, owner: number | null | undefined) {
  if (owner === undefined) return sql``;
  const { table, column } = MEMBERSHIPS[membership];
  return owner === null
    ? sql`and not exists (select from ${sql(table)} m where m.user_id = u.id)`
    : sql`and exists (select from ${sql(table)} m where m.user_id = u.id and m.${sql(column)} = ${owner})`;
}

export const findUserSetting = (sql: Sql, account: number, id: number) =>
  oneJson<UserSetting>(
    sql,
    sql`
      select ${columns(sql)}
      from users u
      where u.id = ${id}
        and u.account_id = ${account}
    `,
  );

/**
 * Reads a user for the viewer. Every user may read itself; managers and admins may read everyone.
 *
 * @throws {Refusal} 403, 404
 */
export async function readUserSetting(
  sql: Sql,
  viewer: Pick<Viewer, "account_id" | "user_id" | "role">,
  id: number,
): Promise<Json<UserSetting>> {
  const reads_all = viewer.role === "admin" || viewer.role === "manager";
  if (!reads_all && id !== viewer.user_id) throw forbidden("This needs the role manager");
  const user = await findUserSetting(sql, viewer.account_id, id);
  if (!user) throw notFound("User");
  return user;
}

const stored = (sql: Sql) =>
  sql`login, login_folded, email, email_folded, name, role, without_department, active, password_hash`;

export async function insertUserSetting(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into users (account_id, ${stored(sql)})
    select ${account}, ${stored(sql)}
    from jsonb_populate_record(null::users, ${sql.json({ ...values })})
    returning id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/**
 * @param lock_version the version that the caller has read; undefined skips the check
 * @returns whether there is such a user in this version
 */
export async function updateUserSetting(
  sql: Sql,
  account: number,
  id: number,
  values: Values,
  lock_version?: number,
): Promise<boolean> {
  const { count } = await sql`
    update users u
    set
      (${stored(sql)}) = (select ${stored(sql)} from jsonb_populate_record(u, ${sql.json({ ...values })})),
      lock_version = u.lock_version + 1,
      updated_at = now()
    where u.id = ${id}
      and u.account_id = ${account}
      ${lock_version === undefined ? sql`` : sql`and u.lock_version = ${lock_version}`}
  `;
  return count > 0;
}

export async function deleteUserSetting(sql: Sql, account: number, id: number): Promise<boolean> {
  const { count } = await sql`delete from users where id = ${id} and account_id = ${account}`;
  return count > 0;
}

/** Whether the account has an active admin. */
export async function hasActiveAdmin(sql: Sql, account: number): Promise<boolean> {
  const rows = await sql`
    select 1
    from users
    where account_id = ${account}
      and role = 'admin'
      and active
    limit 1
  `;
  return rows.length > 0;
}

/**
 * Replaces a user's teams, groups or departments.
 *
 * @returns ids that the account does not have; then nothing is changed
 */
export async function replaceMembership(
  sql: Sql,
  account: number,
  user: number,
  membership: Membership,
  ids: number[],
): Promise<number[]> {
  const { table, column, target } = MEMBERSHIPS[membership];
  const known = await sql<{ id: number }[]>`
    select id from ${sql(target)} where account_id = ${account} and id = any(${ids}::int[])
  `;
  const found = new Set(known.map(({ id }) => id));
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length > 0) return unknown;
  const own = sql`select id from users where id = ${user} and account_id = ${account}`;
  await sql`delete from ${sql(table)} where user_id = (${own}) and ${sql(column)} <> all(${ids}::int[])`;
  await sql`
    insert into ${sql(table)} (user_id, ${sql(column)})
    select (${own}), unnest(${ids}::int[])
    on conflict do nothing
  `;
  return [];
}

/** The viewer as apps see it (`context.user`), as JSON. Source: spec, "App context for embedded apps". */
export async function findAppUser(sql: Sql, viewer: Viewer): Promise<string | undefined> {
  const { account_id: account, user_id: user, role, grant } = viewer;
  const within = sql`${grant?.department_ids ? [...viewer.department_ids] : null}::int[]`;
  const [row] = await sql<{ json: string }[]>`
    select row_to_json(c)::text as json
    from (
      select
        u.login, u.email, u.name, ${role}::text as role,
        array(select t.id from team_users m join teams t on t.id = m.team_id where m.user_id = u.id order by t.id)
          as team_ids,
        array(select t.name from team_users m join teams t on t.id = m.team_id where m.user_id = u.id order by t.id)
          as team_names,
        array(select g.id from group_users m join groups g on g.id = m.group_id where m.user_id = u.id order by g.id)
          as group_ids,
        array(select g.name from group_users m join groups g on g.id = m.group_id where m.user_id = u.id order by g.id)
          as group_names,
        array(
          select d.id from department_users m join departments d on d.id = m.department_id
          where m.user_id = u.id and (${within} is null or d.id = any(${within})) order by d.id
        ) as department_ids,
        array(
          select d.name from department_users m join departments d on d.id = m.department_id
          where m.user_id = u.id and (${within} is null or d.id = any(${within})) order by d.id
        ) as department_names
      from users u
      where u.id = ${user}
        and u.account_id = ${account}
    ) c
  `;
  return row?.json;
}

/** Finds a user of the default account, which is the oldest one. */
export async function findUserByEmail(sql: Sql, email: string) {
  const [user] = await sql<{ id: number; account_id: number; email: string }[]>`
    select id, account_id, email
    from users
    where account_id = (select min(id) from accounts)
      and email_folded = ${fold(email)}
  `;
  return user;
}

export async function findUserName(sql: Sql, account: number, user: number): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`select name from users where id = ${user} and account_id = ${account}`;
  return row?.name;
}

/** What a user may see, without a token. */
export async function findKnownUser(sql: Sql, account: number, id: number): Promise<KnownUser | undefined> {
  const [row] = await sql<KnownUser[]>`
    select
      u.account_id, u.id as user_id, u.role, u.active, a.departments_mode = 'restricted' as restricted,
      u.without_department,
      array(select d.department_id from department_users d where d.user_id = u.id) as department_ids
    from users u
    join accounts a on a.id = u.account_id
    where u.id = ${id}
      and u.account_id = ${account}
  `;
  return row;
}
