/** What a change or a deletion loses, in sentences with counts, for the person who confirms it. */
import { countAll } from "../../domains/agents/table_records.ts";
import { readSchema } from "../../store/store.ts";
import { readList } from "./procedures.ts";
import type { Kind, Use } from "./tool.ts";

type Fields = Record<string, unknown>;

const counted = (count: number, one: string) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
export const records = (count: number) => counted(count, "record");
const ONE = records(1);

export async function countRecords({ ctx }: Use, db_code: unknown, table_name: string): Promise<number> {
  const table = table_name === "" ? {} : { table_name };
  const { total = 0 } = await readList(ctx, "records.list", { db_code, ...table, per_page: 1, count: true });
  return total;
}

/** The number of the records that the caller sees, and whether there are others; undefined for an empty table. */
async function foundRecords(use: Use, { id, code }: Fields, table_name: string): Promise<string | undefined> {
  const count = await countRecords(use, code, table_name);
  const has_others = await countAll(use.ctx.sql, use.session.account_id, Number(id), table_name) > count;
  const found = [...count > 0 ? [records(count)] : [], ...has_others ? ["records that the caller does not see"] : []];
  return found.length === 0 ? undefined : found.join(" and ");
}

/** The number of records of each table, so that a confirmation is for these only. The caller never sees it. */
export async function stateOfRecords({ ctx, session }: Use, { id, schema }: Fields): Promise<string> {
  const counts: number[] = [];
  for (const table of namesOf(schema).keys()) {
    counts.push(await countAll(ctx.sql, session.account_id, Number(id), table));
  }
  return counts.join();
}

const namesOf = (schema: unknown) =>
  new Map([...readSchema(Object(schema))].map(([name, { fields }]) => [name, [...fields.keys()]]));

const objectsIn = (list: unknown): Fields[] => Array.isArray(list) ? list.map(Object) : [];

/** Tables and fields with records that a change of a schema leaves out. The schema has passed a rehearsal. */
export async function schemaLosses(use: Use, db: Fields, changes: Fields): Promise<string[]> {
  if (changes.schema === undefined) return [];
  const [before, after] = [namesOf(db.schema), namesOf(changes.schema)];
  const tables = new Map(objectsIn(changes.rename_tables).map(({ from, to }) => [from, to]));
  const fields = objectsIn(changes.rename_fields);
  const effects: string[] = [];
  for (const [table, names] of before) {
    const now = String(tables.get(table) ?? table);
    const kept = after.get(now);
    const isRenamed = (name: string) => fields.some(({ table_name = "", from }) => table_name === now && from === name);
    const lost = kept && names.filter((name) => !kept.includes(name) && !isRenamed(name));
    if (lost?.length === 0) continue;
    const found = await foundRecords(use, db, table);
    if (found === undefined) continue;
    const of_table = table === "" ? "" : ` of the table ${table}`;
    effects.push(
      lost
        ? `${found}${of_table} ${found === ONE ? "loses" : "lose"} ${lost.join(", ")}`
        : `${table === "" ? "The table" : `The table ${table}`} is dropped with ${found}`,
    );
  }
  return effects;
}

/** What goes with an object, and what uses it. */
export async function deletionEffects(use: Use, kind: Kind, object: Fields): Promise<string[]> {
  const { ctx } = use;
  const used = objectsIn(object.used_by).slice(0, 20).map(({ kind, name }) => `The ${kind} ${name} uses it`);
  switch (kind) {
    case "app": {
      const { total = 0 } = await readList(ctx, "apps.versions", { id: object.id, per_page: 1 });
      return [
        `Its page /a/${object.url_code ?? object.id} no longer opens`,
        `Deleted with it: ${counted(total, "earlier version")}`,
      ];
    }
    case "db": {
      const effects: string[] = [];
      for (const table of namesOf(object.schema).keys()) {
        const of_table = table === "" ? "" : ` of the table ${table}`;
        const found = await foundRecords(use, object, table) ?? records(0);
        effects.push(`${found}${of_table} ${found === ONE ? "is" : "are"} deleted`);
      }
      return [...effects, ...used].slice(0, 50);
    }
    case "flow":
      return ["It can no longer be started", ...used];
    case "trigger": {
      const { total = 0 } = await readList(ctx, "crons.runs", { id: object.id, per_page: 1 });
      return [`Deleted with it: ${counted(total, "row")} of its ledger`];
    }
  }
}
