/** A schema that is edited, and what saving it would do. */
import { counted } from "../../../format.ts";
import type { api } from "../../../api.ts";
import { type Field, type FieldType, kindOf, kindsFor, schemaOf, SLOTS, type Table, TYPE_WORDS } from "../tables.ts";

/** A field with the name that it has on the server; undefined for a new one. */
export interface Draft extends Field {
  key: number;
  was: Field | undefined;
  /** Slots that other types have made it leave. */
  left?: string[] | undefined;
}

export interface DraftTable {
  key: number;
  name: string;
  /** Its name on the server; undefined for a new one. Empty for the table of a database with one. */
  was: string | undefined;
  fields: Draft[];
  /** Names of fields that are taken out. */
  removed: Field[];
}

let last = 0;

export const draftOf = ({ name, fields }: Table): DraftTable => ({
  key: ++last,
  name,
  was: name,
  fields: fields.map((field) => ({ ...field, key: ++last, was: field })),
  removed: [],
});

export const newTable = (name: string): DraftTable => ({ key: ++last, name, was: undefined, fields: [], removed: [] });

export const newField = (name: string): Draft => ({
  name,
  type: "string",
  required: false,
  slot: undefined,
  key: ++last,
  was: undefined,
});

export const isChanged = ({ name, type, required, slot, was }: Draft): boolean =>
  !was || was.name !== name || was.type !== type || was.required !== required || was.slot !== slot;

export const countOf = ({ name, was, fields, removed }: DraftTable): number =>
  fields.filter(isChanged).length + removed.length + Number(name !== was);

/** `FIELD_NAME` of the server, for names of fields and of tables. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
const TAKEN = ["id", "created_at", "updated_at", "table_name"];

/** What is wrong with a new name of a field or a table. @param others the names beside it */
export function faultOf(name: string, others: readonly string[]): string | undefined {
  if (!NAME.test(name)) return `${name || "A blank name"}: a name is a letter and at most 62 letters, digits and _.`;
  if (TAKEN.includes(name)) return `${name} is a name of the record's own.`;
  return others.includes(name) ? `There is ${name} already.` : undefined;
}

const FIELD_PATH = /^schema\.(?:tables\.(\w+)\.)?fields\.(\w+)(?:\.|$)/;

/** The field of which a refusal speaks. @param path such as `schema.tables.orders.fields.price` */
export function fieldAt(
  tables: readonly DraftTable[],
  path: string,
): { table: DraftTable; field: Draft } | undefined {
  const [, table_name = "", name] = FIELD_PATH.exec(path) ?? [];
  const table = tables.find((one) => one.name === table_name);
  const field = table?.fields.find((one) => one.name === name);
  return table && field && { table, field };
}

type Changes = Parameters<typeof api.dbs.update.mutate>[0]["db"];

/** The draft as the API takes it. @param dropped tables that are taken out with their records */
export function changesOf(tables: readonly DraftTable[], dropped: readonly DraftTable[]): Changes {
  const as_tables: Table[] = tables.map(({ name, fields }) => ({
    name,
    fields: fields.map(({ name, type, required, slot }) => ({ name, type, required, slot })),
  }));
  return {
    schema: schemaOf(as_tables),
    rename_tables: tables.flatMap(({ was, name }) =>
      was !== undefined && was !== name ? [{ from: was, to: name }] : []
    ),
    rename_fields: tables.flatMap(({ name: table_name, fields }) =>
      fields.flatMap(({ was, name }) => was && was.name !== name ? [{ table_name, from: was.name, to: name }] : [])
    ),
    drop_tables: dropped.flatMap(({ was }) => was ?? []),
  };
}

/** Names that sources may use and that are gone after saving: of renamed and removed fields and tables. */
export const goneNames = (tables: readonly DraftTable[], dropped: readonly DraftTable[]): string[] => [
  ...new Set([
    ...tables.flatMap(({ was, name, fields, removed }) => [
      ...was && was !== name ? [was] : [],
      ...fields.flatMap((field) => field.was && field.was.name !== field.name ? [field.was.name] : []),
      ...removed.map((field) => field.name),
    ]),
    ...dropped.flatMap(({ was }) => was || []),
  ]),
];

/** Slots that a field of this type may take: its own, and free ones. */
export const slotsFor = (field: Draft, fields: readonly Draft[]): string[] => {
  const taken = new Set(fields.filter(({ key }) => key !== field.key).map(({ slot }) => slot));
  return kindsFor(field.type).flatMap((kind) => SLOTS.filter((slot) => kindOf(slot) === kind && !taken.has(slot)));
};

/** Gives a field a type. It leaves a slot that the type cannot have, and takes it again with the next type that can. */
export function setType(field: Draft, type: FieldType, fields: readonly Draft[]): void {
  const { slot, left = [] } = field;
  field.type = type;
  if (slot && kindsFor(type).includes(kindOf(slot))) return;
  const waiting = slot ? [slot, ...left] : left;
  field.slot = slotsFor(field, fields).find((one) => waiting.includes(one));
  field.left = waiting.filter((one) => one !== field.slot);
}

export interface Effect {
  text: string;
  kind: "plain" | "loss" | "check";
}

/** What saving does, a sentence each. @param total records of the table */
export function effectsOf(table: DraftTable, total: number | undefined): Effect[] {
  const { fields, removed } = table;
  const records = total === undefined ? "all records" : counted(total, "record");
  const effects: Effect[] = [];
  const say = (text: string, kind: Effect["kind"] = "plain") => effects.push({ text, kind });
  if (table.was === undefined) say(`The table ${table.name} is added.`);
  else if (table.was === "" && table.name !== "") {
    say(`The records stay, in the table ${table.name}: requests must name it in table_name from now on.`, "check");
  } else if (table.was !== table.name) {
    say(`The table ${table.was} is renamed to ${table.name}: its ${records} and its views stay.`);
  }
  for (const { name } of removed) say(`${name} is removed: its values in ${records} are lost.`, "loss");
  for (const field of fields) {
    const { was, name, type, required, slot } = field;
    if (!was) {
      if (required && total !== 0) {
        say(
          `${name} is new and required: saving is refused while there are records, because they have no value.`,
          "check",
        );
      } else say(`${name} is added, blank in ${records}.`);
    } else if (was.name !== name) {
      say(`${was.name} is renamed to ${name}: its values in ${records} stay. Public methods and views follow.`);
    }
    if (was && was.type !== type) {
      say(
        `${name} changes from ${TYPE_WORDS[was.type].name} to ${
          TYPE_WORDS[type].name
        }: every value is checked, and saving is refused if one does not fit.`,
        "check",
      );
    }
    if (was && required && !was.required) {
      say(`${name} becomes required: saving is refused if a record has no value.`, "check");
    }
    if (was?.required && !required) say(`${name} may be blank from now on.`);
    if (slot !== was?.slot) {
      if (slot) say(`${name} takes the index slot ${slot}: lists that filter or sort by it stay fast.`);
      else if (was?.slot) say(`${name} leaves its index slot: lists that filter or sort by it read the whole table.`);
    }
  }
  return effects;
}

/** Whether the records are read and written again, which takes a time that grows with their number. */
export const touchesRecords = ({ was, fields, removed }: DraftTable): boolean =>
  was !== undefined && (
    removed.length > 0 ||
    fields.some(({ was, name, type, required, slot }) =>
      was
        ? was.name !== name || was.type !== type || required && !was.required || slot !== was.slot
        : required || slot !== undefined
    )
  );
