/** Departments, with their letterhead. Users and logos are not part of a definition. */
import { z } from "zod";
import type { Sql } from "../../../database/pool.ts";
import { invalid } from "../../../errors.ts";
import { COLUMNS, NewDepartment } from "../../departments/schema.ts";
import { changeDepartment, chooseMainDepartment, createDepartment, removeDepartment } from "../../departments/write.ts";
import { keyOfName, nameOfUse, type Stored, type ThingKind, type Value, type Writing } from "../thing.ts";

const shape = NewDepartment.omit({ user_setting_ids: true, mailbox_ids: true, logo: true, logo_remove: true })
  .required().extend({ main: z.boolean() }).strict();
const DEFAULTS = {
  ...Object.fromEntries(COLUMNS.filter((name) => name !== "name").map((name) => [name, null])),
  main: false,
};

const fieldsOf = (value: Value) =>
  shape.omit({ main: true }).partial().parse(
    Object.fromEntries(Object.entries(value).filter(([name]) => name !== "main")),
  );

async function chooseMain({ ctx }: Writing, id: number, { main }: Value): Promise<void> {
  if (main) await chooseMainDepartment(ctx, id);
}

/** A refusal names so many. */
const MOST_NAMED = 10;

/**
 * What is in the department when everything else of the push is written. Without it, it would be seen by others, and
 * would not be as the push says.
 *
 * @throws {Refusal} 422
 */
async function proveEmpty(sql: Sql, account: number, id: number): Promise<void> {
  const found = await sql<{ kind: string; name: string; id: string }[]>`
    select kind, name, id
    from (
      select 'app' as kind, name, id::text, account_id, department_id from apps
      union all
      select 'connector', name, id::text, account_id, department_id from connectors
      union all
      select 'database', name, id::text, account_id, department_id from dbs
      union all
      select 'flow', name, id::text, account_id, department_id from flows
      union all
      select 'trigger', coalesce(name, target_code), id::text, account_id, department_id from crons
    ) o
    where account_id = ${account}
      and department_id = ${id}
    order by kind, name, id
    limit ${MOST_NAMED + 1}
  `;
  if (found.length === 0) return;
  const names = found.slice(0, MOST_NAMED).map(nameOfUse);
  if (found.length > MOST_NAMED) names.push("others");
  throw invalid({ base: [`is the department of ${names.join(", ")}: name another department or none there`] });
}

export const department: ThingKind = {
  shape,
  defaults: () => DEFAULTS,
  keyOf: ({ name }) => keyOfName(String(name), "department"),
  // Another department takes the place of the main one, so a department never loses it by itself.
  settle: (value, stored) => ({ ...value, main: value.main || stored?.main === true }),
  list: async (sql, account) =>
    (await sql<{ id: number; name: string }[]>`
      select id, name from departments where account_id = ${account} order by created_at, id
    `).map(({ id, name }) => ({ id, wanted: keyOfName(name, "department") })),
  async read(sql, account, ids) {
    const rows = await sql<(Value & { id: number; lock_version: number })[]>`
      select d.id, d.lock_version, d.name, d.shortcut, d.description, d.phone, d.email,
        d.company_name, d.company_tax_no, d.company_street, d.company_street_number, d.company_post_code,
        d.company_city, d.company_country, d.company_email, d.company_phone, d.company_website,
        d.company_bank, d.company_bank_account, d.company_logo, d.id = a.main_department_id is true as main
      from departments d
      join accounts a on a.id = d.account_id
      where d.account_id = ${account}
        and d.id = any(${ids.map(Number)}::int[])
      limit ${ids.length}
    `;
    return rows.map(({ id, lock_version, ...value }): Stored => ({ id, lock_version, value }));
  },
  async create(writing, _key, value) {
    const { id } = (await createDepartment(writing.ctx, { ...fieldsOf(value), name: String(value.name) })).parse();
    await chooseMain(writing, id, value);
    return { id };
  },
  async change(writing, { id, lock_version }, _key, changes) {
    await changeDepartment(writing.ctx, Number(id), { ...fieldsOf(changes), lock_version });
    await chooseMain(writing, Number(id), changes);
    return { id };
  },
  async remove(ctx, { id }) {
    await proveEmpty(ctx.sql, ctx.viewer.account_id, Number(id));
    await removeDepartment(ctx, Number(id));
  },
};
