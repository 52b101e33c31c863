/** A schema that is edited, and what saving it would do. */
import { counted } from "../../../format.ts";
import { type Field, kindOf, kindsFor, SLOTS, type Table, TYPE_WORDS } from "../tables.ts";

/** A field with the name that it has on the server; undefined for a new one. */
export interface Draft extends Field {
  key: number;
  was: Field | undefined;
}

export interface DraftTable {
  name: string;
  fields: Draft[];
  /** Names of fields that are taken out. */
  removed: Field[];
}

let last = 0;

export const draftOf = ({ name, fields }: Table): DraftTable => ({
  name,
  fields: fields.map((field) => ({ ...field, key: ++last, was: field })),
  removed: [],
});

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

export const countOf = ({ fields, removed }: DraftTable): number => fields.filter(isChanged).length + removed.length;

/** Slots that a field of this type may take: its own, and free ones. */
export const slotsFor = (field: Draft, fields: readonly Draft[]): string[] => {
  const taken = new Set(fields.filter(({ key }) => key !== field.key).map(({ slot }) => slot));
  return kindsFor(field.type).flatMap((kind) => SLOTS.filter((slot) => kindOf(slot) === kind && !taken.has(slot)));
};

export interface Effect {
  text: string;
  kind: "plain" | "loss" | "check";
}

/** What saving does, a sentence each. @param total records of the table */
export function effectsOf({ fields, removed }: DraftTable, total: number | undefined): Effect[] {
  const records = total === undefined ? "all records" : counted(total, "record");
  const effects: Effect[] = [];
  const say = (text: string, kind: Effect["kind"] = "plain") => effects.push({ text, kind });
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
    } else if (was.type !== type) {
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
export const touchesRecords = ({ fields, removed }: DraftTable): boolean =>
  removed.length > 0 ||
  fields.some(({ was, type, required, slot }) =>
    was ? was.type !== type || required && !was.required || slot !== was.slot : required || slot !== undefined
  );
