/** Renamed tables and fields: what a schema calls by another name keeps its records and values. */
import { type Fields, invalid } from "../../errors.ts";
import type { PublicMethods, Table } from "../../store/store.ts";
import type { Renames } from "./schema.ts";

type Tables = ReadonlyMap<string, Table>;
type Names = ReadonlyMap<string, string>;

export interface Renamed {
  /** The tables before the change, with the names after it. */
  before: Tables;
  /** Old name → new name. */
  tables: Names;
  /** By the table's new name: old name → new name. */
  fields: ReadonlyMap<string, Names>;
}

/** @throws {Refusal} 422 for names that the schemas do not have */
export function readRenames(
  before: Tables,
  after: Tables,
  { rename_tables = [], rename_fields = [] }: Renames,
): Renamed {
  const faults: Fields = {};
  const refuse = (path: string, message: string) => (faults[path] ??= []).push(message);
  const tables = readNames(
    rename_tables,
    before,
    after,
    (i, key, of) => refuse(`rename_tables.${i}.${key}`, of("table")),
  );
  const renamed = new Map([...before.values()].map((table): [string, Table] => {
    const name = tables.get(table.name) ?? table.name;
    return [name, { ...table, name }];
  }));
  const fields = new Map<string, Names>();
  for (const [table_name, group] of Map.groupBy(rename_fields.entries(), ([, { table_name }]) => table_name)) {
    const [was, is] = [renamed.get(table_name), after.get(table_name)];
    const indexes = group.map(([i]) => i);
    if (!was || !is) {
      indexes.forEach((i) => refuse(`rename_fields.${i}.table_name`, "is no table before and after the change"));
      continue;
    }
    const names = readNames(
      group.map(([, names]) => names),
      was.fields,
      is.fields,
      (i, key, of) => refuse(`rename_fields.${indexes[i]}.${key}`, of("field")),
    );
    fields.set(table_name, names);
    renamed.set(table_name, withNames(was, names));
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return { before: renamed, tables, fields };
}

type Refuse = (index: number, key: "from" | "to", message: (noun: string) => string) => void;

function readNames(
  renames: readonly { from: string; to: string }[],
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  refuse: Refuse,
): Names {
  const names = new Map<string, string>();
  for (const [i, { from, to }] of renames.entries()) {
    if (!before.has(from)) refuse(i, "from", (noun) => `is no ${noun} before the change`);
    else if (names.has(from)) refuse(i, "from", () => "is given twice");
    if (!after.has(to)) refuse(i, "to", () => "is not in the schema");
    else if ([...names.values()].includes(to)) refuse(i, "to", () => "is given twice");
    else if (before.has(to) && !renames.some((one) => one.from === to)) {
      refuse(i, "to", (noun) => `is another ${noun} before the change`);
    }
    names.set(from, to);
  }
  return names;
}

const withNames = (table: Table, names: Names): Table => ({
  ...table,
  fields: new Map([...table.fields].map(([name, field]) => [names.get(name) ?? name, field])),
  slots: new Map([...table.slots].map(([name, slot]) => [names.get(name) ?? name, slot])),
});

/** Public methods that name the fields by their new names. */
export function renamedMethods(methods: PublicMethods, names: Names = new Map()): PublicMethods {
  const of = (name: string) => names.get(name) ?? name;
  const keys = <T>(by_field: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(by_field).map(([name, value]) => [of(name), value]));
  const { list, create, update, delete: remove } = methods;
  const scoped = <T extends { scope_by?: string | undefined }>(method: T): T =>
    method.scope_by === undefined ? method : { ...method, scope_by: of(method.scope_by) };
  const allowed = <T extends { allowed_fields?: string[] | undefined }>(method: T): T =>
    method.allowed_fields === undefined ? method : { ...method, allowed_fields: method.allowed_fields.map(of) };
  return {
    ...list && { list: scoped(list) },
    ...create && {
      create: {
        ...allowed(create),
        ...create.required_fields && { required_fields: create.required_fields.map(of) },
        ...create.default_values && { default_values: keys(create.default_values) },
        ...create.auto_fields && { auto_fields: keys(create.auto_fields) },
      },
    },
    ...update && { update: scoped(allowed(update)) },
    ...remove && { delete: scoped(remove) },
  };
}

/** The positions of searched fields after a renaming. The position of a removed field with the new name is vacant. */
export function renamedSearch(searched: readonly string[], names: Names = new Map()): string[] {
  const taken = new Set(names.values());
  return searched.map((name) => names.get(name) ?? (taken.has(name) ? "" : name));
}
