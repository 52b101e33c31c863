import type { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import { containing, within } from "../../database/like.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Department, DepartmentPage } from "./schema.ts";

/** The columns that a write changes, with their values. */
export type Values = Record<string, string | null>;

/** The columns that `Values` may hold. */
const stored = (sql: Sql) =>
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
const columns = (sql: Sql, site: string) =>
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

export const findDepartment = (sql: Sql, account: number, site: string, id: number) =>
  oneJson<Department>(
    sql,
    sql`
      select ${columns(sql, site)}
      from departments d
      join accounts a on a.id = d.account_id
      where d.id = ${id}
        and d.account_id = ${account}
    `,
  );

/** @throws {Refusal} 404 */
export async function readDepartment(
  sql: Sql,
  account: number,
  site: string,
  id: number,
): Promise<Json<Department>> {
  const department = await findDepartment(sql, account, site, id);
  if (!department) throw notFound("Department");
  return department;
}

/**
 * Inserts a department that neither becomes the main one nor changes the mode, in one statement. Most inserts are of
 * this kind. The `for key share` lock makes the check safe: changes of the main department and of the mode lock the
 * account's row `for update`, and PostgreSQL evaluates the conditions again after it has waited for such a lock.
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
        for key share
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

/**
 * Deletes a department. If it was the main one, the oldest remaining one becomes the main one. Sets `department_id` to
 * null on its records without bumping their `updated_at`. Needs the account's lock (`lockAccount`).
 *
 * @returns false if the account has no such department
 */
export async function deleteDepartment(sql: Sql, account: number, id: number): Promise<boolean> {
  // The foreign key would do this while the department is locked, and writers of these records would wait for that
  // lock.
  await sql`
    update records r
    set department_id = null
    from departments d
    where d.id = ${id}
      and d.account_id = ${account}
      and r.department_id = d.id
  `;
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
