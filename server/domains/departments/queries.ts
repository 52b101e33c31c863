import type { Actor } from "../../actor.ts";
import type { RowReads } from "../../database/groups/reads.ts";
import type { Rows } from "../../database/groups/group.ts";
import type { RowWrites } from "../../database/groups/writes.ts";
import { Json } from "../../database/json.ts";
import { part, type Tag } from "../../database/part.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import { containing, within } from "../../database/like.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Department, DepartmentPage } from "./schema.ts";

/** The columns that a write changes, with their values. */
export type Values = Record<string, string | null>;

/** The columns that `Values` may hold. */
const stored = <Piece>(sql: Tag<Piece>): Piece =>
  sql`
    name, name_folded, shortcut, description, phone, email,
    company_name, company_tax_no, company_street, company_street_number, company_post_code,
    company_city, company_country, company_email, company_phone, company_website,
    company_bank, company_bank_account, company_logo, logo_file
  `;

/**
 * The columns of a department in answers. The query must name the department `d` and its account `a`.
 *
 * @param site the base URL; the logo's address begins with it
 */
const columns = <Piece>(sql: Tag<Piece>, site: string): Piece =>
  sql`
    d.id, d.name, d.shortcut, d.description, d.phone, d.email,
    d.company_name, d.company_tax_no, d.company_street, d.company_street_number, d.company_post_code,
    d.company_city, d.company_country, d.company_email, d.company_phone, d.company_website,
    d.company_bank, d.company_bank_account, d.company_logo,
    array(select u.user_id from department_users u where u.department_id = d.id order by 1) as user_setting_ids,
    array(select m.mailbox_id from department_mailboxes m where m.department_id = d.id order by 1) as mailbox_ids,
    ${site}::text || '/logos/' || d.logo_file as logo_url,
    d.id = a.main_department_id is true as main,
    d.lock_version, iso(d.created_at) as created_at, iso(d.updated_at) as updated_at
  `;

const orders = (sql: Sql) => ({
  name: sql`d.name_folded`,
  "-name": sql`d.name_folded desc`,
  id: sql`d.id`,
  "-id": sql`d.id desc`,
  created_at: sql`d.created_at, d.id`,
  "-created_at": sql`d.created_at desc, d.id desc`,
});

/** One page of an account's departments, by name unless `page.sort` says otherwise. */
export function listDepartments(sql: Sql, account: number, site: string, page: DepartmentPage) {
  const { q, sort = "name" } = page;
  const chosen = q === undefined ? sql`d.account_id = ${account}` : sql`
    d.account_id = ${account}
    and (
      d.name_folded like ${containing(q)}
      or d.shortcut ilike ${within(q)}
      or d.email ilike ${within(q)}
    )
  `;
  return listJson<Department>(
    sql,
    sql`
      select ${columns(sql, site)}
      from departments d
      join accounts a on a.id = d.account_id
      where ${chosen}
      order by ${orders(sql)[sort]}
      ${slice(sql, page)}
    `,
    sql`select count(*) from departments d where ${chosen}`,
  );
}

/** @throws {Refusal} 404 */
export async function readDepartment(
  reads: RowReads,
  account: number,
  site: string,
  id: number,
): Promise<Json<Department>> {
  const select = (ids: readonly number[]) =>
    part`
      select r.id, row_to_json(r)::text as json
      from (
        select ${columns(part, site)}
        from departments d
        join accounts a on a.id = d.account_id
        where d.id = any(${ids}::int[])
          and d.account_id = ${account}
      ) r
    `;
  const department = (await reads.read(select, id)).get(id);
  if (!department) throw notFound("Department");
  return new Json(department);
}

/**
 * Inserts a department that neither becomes the main one nor changes the mode, in one statement. Most inserts are of
 * this kind. The `for share` lock makes the check safe: changes of the main department and of the mode lock the
 * account's row `for no key update`, and PostgreSQL evaluates the conditions again after it has waited for such a lock.
 *
 * @returns undefined if the department would become the main one or might change the mode; then use `insertDepartment`
 */
export const insertFurtherDepartment = (sql: Sql, account: number, site: string, values: Values) =>
  oneJson<Department>(
    sql,
    sql`
      select ${columns(sql, site)}
      from inserted d
      cross join a
    `,
    sql`
      with a as materialized (
        select id, main_department_id
        from accounts
        where id = ${account}
          and main_department_id is not null
          and (departments_mode = 'restricted' or departments_mode_chosen)
        for share
      ),
      inserted as (
        insert into departments (account_id, ${stored(sql)})
        select a.id, ${stored(sql)}
        from a
        cross join jsonb_populate_record(null::departments, ${sql.json(values)})
        returning *
      )
    `,
  );

/**
 * Inserts a department. The first one becomes the main one. The second one sets the mode to `restricted`, unless an
 * admin chose the mode. Needs the account's lock (`lockAccount`).
 */
export async function insertDepartment(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with inserted as (
      insert into departments (account_id, ${stored(sql)})
      select ${account}, ${stored(sql)}
      from jsonb_populate_record(null::departments, ${sql.json(values)})
      returning id
    ),
    settled as (
      update accounts a
      set
        main_department_id = coalesce(a.main_department_id, inserted.id),
        departments_mode = case
          when not a.departments_mode_chosen and (select count(*) from departments where account_id = a.id) = 1
          then 'restricted'
          else a.departments_mode
        end
      from inserted
      where a.id = ${account}
    )
    select id from inserted
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/**
 * @param lock_version the version that the caller has read; undefined skips the check
 * @returns undefined if there is no such department, or if its version is another one
 */
export const updateDepartment = (
  sql: Sql,
  account: number,
  site: string,
  id: number,
  values: Values,
  lock_version: number | undefined,
) =>
  oneJson<Department>(
    sql,
    sql`
      select ${columns(sql, site)}
      from updated d
      join accounts a on a.id = d.account_id
    `,
    sql`
      with updated as (
        update departments d
        set
          (${stored(sql)}) = (select ${stored(sql)} from jsonb_populate_record(d, ${sql.json(values)})),
          lock_version = d.lock_version + 1,
          updated_at = now()
        where d.id = ${id}
          and d.account_id = ${account}
          ${lock_version === undefined ? sql`` : sql`and d.lock_version = ${lock_version}`}
        returning *
      )
    `,
  );

/** An update of a department, for `updateInGroup`. */
export interface DepartmentUpdate {
  id: number;
  values: Values;
  lock_version: number | undefined;
  actor: Actor;
}

/**
 * Like `updateDepartment`, in one statement with the account's other updates of the moment.
 *
 * @returns undefined also if another transaction holds the department's lock: then use `updateDepartment`
 */
export async function updateInGroup(
  writes: RowWrites,
  account: number,
  site: string,
  update: DepartmentUpdate,
): Promise<Json<Department> | undefined> {
  const write = (rows: Rows) =>
    part`
      with sent as materialized (
        select
          (row ->> 'id')::int as id, row -> 'values' as sent_values, (row ->> 'lock_version')::int as sent_version,
          row -> 'actor' as actor
        from jsonb_array_elements(${rows}::text::jsonb) row
      ),
      held as materialized (
        select id
        from departments
        where id = any(array(select id from sent))
          and account_id = ${account}
        for no key update skip locked
      ),
      updated as (
        update departments d
        set
          (${stored(part)}) = (select ${stored(part)} from jsonb_populate_record(d, s.sent_values)),
          lock_version = d.lock_version + 1,
          updated_at = now()
        from sent s
        join held h on h.id = s.id
        where d.id = s.id
          and d.lock_version = coalesce(s.sent_version, d.lock_version)
        returning d.*
      )
      select
        r.id, row_to_json(r)::text as json,
        set_config('atrium.actor', (select jsonb_build_object('each', jsonb_object_agg(id, actor)) from sent)::text, true)
      from (
        select ${columns(part, site)}
        from updated d
        join accounts a on a.id = d.account_id
      ) r
    `;
  const json = await writes.write(write, update);
  return json === undefined ? undefined : new Json(json);
}

/** Of a department with many records, one statement for all would exceed the time limit of statements. */
const RECORDS_AT_ONCE = 10_000;

/**
 * The foreign key would do this while the department is locked, and writers of these records would wait for that lock.
 * Each record's history says that it was in the department, because it hides that time from some viewers.
 *
 * @returns how many records are in no department now, at most `at_once`
 */
async function clearRecords(sql: Sql, account: number, id: number, at_once: number): Promise<number> {
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    with chosen as (
      select r.id
      from records r
      join departments d on d.id = r.department_id
      where d.id = ${id}
        and d.account_id = ${account}
      limit ${at_once}
    ),
    moved as (
      update records r
      set department_id = null
      from chosen
      where r.id = chosen.id
        and r.department_id = ${id}
      returning r.id, r.table_id
    ),
    noted as (
      insert into audit_entries (account_id, action, object, object_id, db_id, user_id, actor, before, after)
      select
        ${account}, 'update', 'record', m.id::text, t.db_id, (a.actor ->> 'user_id')::integer, a.actor - 'user_id',
        jsonb_build_object('department_id', ${id}::integer), jsonb_build_object('department_id', null)
      from moved m
      join db_tables t on t.id = m.table_id
      cross join (
        select coalesce(nullif(current_setting('atrium.actor', true), ''), '{"via": "server"}')::jsonb as actor
      ) a
      where t.db_id is not null
    )
    select count(*)::int as count from chosen
  `;
  return count;
}

/**
 * Deletes a department. If it was the main one, the oldest remaining one becomes the main one. Sets `department_id` to
 * null on its records without bumping their `updated_at`. Needs the account's lock (`lockAccount`).
 *
 * @returns false if the account has no such department
 */
export async function deleteDepartment(
  sql: Sql,
  account: number,
  id: number,
  at_once = RECORDS_AT_ONCE,
): Promise<boolean> {
  while (await clearRecords(sql, account, id, at_once) === at_once);
  const { count } = await sql`
    delete from departments
    where id = ${id}
      and account_id = ${account}
  `;
  if (count === 0) return false;
  await sql`
    update accounts
    set main_department_id = (
      select id
      from departments
      where account_id = ${account}
      order by created_at, id
      limit 1
    )
    where id = ${account}
      and main_department_id is null
  `;
  return true;
}

/** @returns false if the account has no such department */
export async function updateMainDepartment(sql: Sql, account: number, id: number): Promise<boolean> {
  const { count } = await sql`
    update accounts a
    set main_department_id = d.id
    from departments d
    where a.id = ${account}
      and d.id = ${id}
      and d.account_id = a.id
  `;
  return count > 0;
}
