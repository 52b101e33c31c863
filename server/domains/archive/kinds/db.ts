/** Databases: schema and public methods. A push never loses records or values. */
import type { Sql } from "../../../database/pool.ts";
import { type Fields, invalid } from "../../../errors.ts";
import { PublicMethods, readSchema } from "../../../store/store.ts";
import { readMentions } from "../../dbs/mentions.ts";
import { NewDb, Renames } from "../../dbs/schema.ts";
import { changeDb, createDb, removeDb } from "../../dbs/write.ts";
import { DepartmentName, nameOfUse, sorted, type Stored, type ThingKind, type Value, type Writing } from "../thing.ts";

const definition = NewDb.omit({ code: true, department_id: true }).required().extend({ department: DepartmentName });
const shape = definition.extend(Renames.shape).strict();
const DEFAULTS = { schema: { fields: {} }, public_methods: {}, public_write_limit: 60, department: null };
/** A refusal counts records up to this number. */
const COUNTED = 1_000;

type Tables = ReturnType<typeof readSchema>;

export const db: ThingKind = {
  shape,
  defaults: () => DEFAULTS,
  hints: ["rename_tables", "rename_fields"],
  settle: (value) => ({ ...value, public_methods: sorted(PublicMethods.parse(value.public_methods)) }),
  list: async (sql, account) =>
    await sql<{ id: number; wanted: string }[]>`
      select id, code as wanted from dbs where account_id = ${account} order by created_at, id
    `,
  async read(sql, account, ids) {
    const rows = await sql<(Value & { id: number; lock_version: number })[]>`
      select b.id, b.lock_version, b.name, b.schema, b.public_methods, b.public_write_limit, d.name as department
      from dbs b
      left join departments d on d.id = b.department_id
      where b.account_id = ${account}
        and b.id = any(${ids.map(Number)}::int[])
      limit ${ids.length}
    `;
    return rows.map(({ id, lock_version, ...value }) => ({
      id,
      lock_version,
      value: { ...value, public_methods: sorted(PublicMethods.parse(value.public_methods)) },
    }));
  },
  async create({ ctx, departmentId }, code, value) {
    const { department, rename_tables: _, rename_fields: __, ...fields } = shape.parse(value);
    const { id } = (await createDb(ctx, { ...fields, code, department_id: await departmentId(department) })).parse();
    return { id };
  },
  async change({ ctx, departmentId }, stored, code, changes) {
    const { department, ...fields } = shape.partial().parse(changes);
    const renames = fields.schema ? renamesOf(stored.value, changes) : {};
    const removed = fields.schema ? await proveNoLoss(ctx.sql, ctx.viewer.account_id, stored, changes, renames) : [];
    const before = await codeOf(ctx.sql, ctx.viewer.account_id, stored.id);
    const { warnings } = (await changeDb(ctx, before, {
      ...fields,
      rename_tables: renames.rename_tables,
      rename_fields: renames.rename_fields,
      code,
      lock_version: stored.lock_version,
      ...department !== undefined && { department_id: await departmentId(department) },
    })).parse();
    return { id: stored.id, warnings: { ...warnings, ...await mentionsOf({ ctx }, code, removed) } };
  },
  async remove(ctx, { id }, code) {
    const count = await countRecords(ctx.sql, ctx.viewer.account_id, id);
    if (count > 0) {
      throw invalid({ base: [`has ${records(count)}: a push deletes none. Delete the database in the console`] });
    }
    await removeDb(ctx, { db_code: code, force: false });
  },
};

/** The renames that are still to be made: a hint stays in its file while other servers have the old name. */
function renamesOf(before: Value, changes: Value): Pick<Renames, "rename_tables" | "rename_fields"> {
  const { rename_tables = [], rename_fields = [], schema } = shape.pick({
    rename_tables: true,
    rename_fields: true,
    schema: true,
  }).parse({ rename_tables: changes.rename_tables, rename_fields: changes.rename_fields, schema: changes.schema });
  const [was, is] = [readSchema(before.schema), readSchema(schema)];
  const isDue = ({ from, to }: { from: string; to: string }, old: Has, present: Has) =>
    old.has(from) && !present.has(from) && present.has(to) && !old.has(to);
  const tables = rename_tables.filter((rename) => isDue(rename, was, is));
  const oldName = (name: string) => tables.find(({ to }) => to === name)?.from ?? name;
  const fields = rename_fields.filter(({ table_name = "", ...rename }) => {
    const [old, present] = [was.get(oldName(table_name)), is.get(table_name)];
    return old && present && isDue(rename, old.fields, present.fields);
  });
  return { rename_tables: tables, rename_fields: fields };
}
type Has = ReadonlyMap<string, unknown>;

/** @returns the names that the change removes. @throws {Refusal} 422 if records have values in a removed field */
async function proveNoLoss(
  sql: Sql,
  account: number,
  { id, value }: Stored,
  changes: Value,
  { rename_tables = [], rename_fields = [] }: Renames,
): Promise<string[]> {
  const [was, is]: Tables[] = [readSchema(value.schema), readSchema(changes.schema)];
  const removed: string[] = [];
  const faults: string[] = [];
  for (const [name, { fields }] of was ?? []) {
    const new_name = rename_tables.find(({ from }) => from === name)?.to ?? name;
    const left = is?.get(new_name);
    // A table that is left out with records is refused by the database's own change.
    if (!left) {
      removed.push(name);
      continue;
    }
    for (const field of fields.keys()) {
      const is_renamed = rename_fields.some(({ table_name = "", from }) => table_name === new_name && from === field);
      if (left.fields.has(field) || is_renamed) continue;
      removed.push(field);
      const count = await countValues(sql, account, id, name, field);
      if (count > 0) faults.push(`leaves out ${name && `${name}.`}${field}, which ${records(count)} use`);
    }
  }
  if (faults.length > 0) {
    faults.push("a push loses no values: use rename_fields, or remove the field in the console");
    throw invalid({ schema: faults } satisfies Fields);
  }
  return removed.filter((name) => name !== "");
}

const records = (count: number) =>
  `${count > COUNTED ? `more than ${COUNTED}` : count} ${count === 1 ? "record" : "records"}`;

async function countValues(
  sql: Sql,
  account: number,
  id: string | number,
  table: string,
  field: string,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (
      select
      from records
      where table_id = (
        select t.id
        from db_tables t
        join dbs b on b.id = t.db_id
        where b.id = ${Number(id)}
          and b.account_id = ${account}
          and t.name = ${table}
      )
        and data ->> ${field} is not null
      limit ${COUNTED + 1}
    ) r
  `;
  return row?.count ?? 0;
}

async function countRecords(sql: Sql, account: number, id: string | number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (
      select
      from dbs b
      join db_tables t on t.db_id = b.id
      join records r on r.table_id = t.id
      where b.id = ${Number(id)}
        and b.account_id = ${account}
      limit ${COUNTED + 1}
    ) r
  `;
  return row?.count ?? 0;
}

async function codeOf(sql: Sql, account: number, id: string | number): Promise<string> {
  const [row] = await sql<{ code: string }[]>`
    select code from dbs where id = ${Number(id)} and account_id = ${account}
  `;
  return row?.code ?? "";
}

/** What names a table or field that is gone. */
async function mentionsOf({ ctx }: Pick<Writing, "ctx">, db_code: string, removed: readonly string[]): Promise<Fields> {
  const warnings: string[] = [];
  for (const name of removed) {
    const mentions = (await readMentions(ctx, { db_code, name })).parse();
    warnings.push(
      ...mentions.map((use) => `no longer has ${name}, which ${nameOfUse(use)} mentions`),
    );
  }
  return warnings.length > 0 ? { schema: warnings } : {};
}
