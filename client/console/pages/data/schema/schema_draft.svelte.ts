/** A schema that is edited: its tables and fields, and what a save answered. */
import { untrack } from "svelte";
import { totalOf } from "../../../api.ts";
import { counted } from "../../../format.ts";
import { type Db, type Field, tablesOf, TYPES } from "../tables.ts";
import { keepUnsaved, unsavedOf } from "../unsaved.ts";
import {
  changesOf,
  countOf,
  type Draft,
  draftOf,
  type DraftTable,
  type Effect,
  effectsOf,
  faultOf,
  fieldAt,
  goneNames,
  newField,
  newTable,
  setType,
  touchesRecords,
} from "./changes.ts";

interface Unsaved {
  tables: DraftTable[];
  dropped: DraftTable[];
  lock_version: number;
  began: string;
}

/** A message at a field. It goes as soon as the field is changed. */
interface FieldFault {
  field: string;
  messages: string[];
}

export class SchemaDraft {
  tables = $state<DraftTable[]>([]);
  /** Tables that are taken out, with the numbers of their records in `lost` once they are known. */
  dropped = $state<DraftTable[]>([]);
  lost = $state<Record<string, number>>({});
  /** The name of the table that is shown. */
  chosen = $state("");
  /** Messages that concern no field. */
  errors = $state.raw<string[]>([]);
  #faults = $state.raw<ReadonlyMap<number, FieldFault>>(new Map());
  /** Of the database that the draft began with. */
  #lock_version: number;
  #began: string;
  readonly #db: () => Db;

  /** @param db the database as it is saved */
  constructor(db: () => Db, chosen: string) {
    const key = untrack(() => `schema/${db().code}`);
    const before = unsavedOf<Unsaved>(key);
    this.#db = db;
    this.chosen = chosen;
    this.tables = before?.tables ?? untrack(() => tablesOf(db().schema).map(draftOf));
    this.dropped = before?.dropped ?? [];
    this.#lock_version = before?.lock_version ?? untrack(() => db().lock_version);
    this.#began = before?.began ?? untrack(() => JSON.stringify(db().schema));
    $effect(() => {
      const { tables, dropped } = $state.snapshot({ tables: this.tables, dropped: this.dropped });
      const began = { lock_version: this.#lock_version, began: this.#began };
      keepUnsaved(key, this.changes > 0 ? { tables, dropped, ...began } : undefined);
    });
  }

  table = $derived(this.tables.find(({ name }) => name === this.chosen) ?? this.tables[0]);
  changes = $derived.by(() =>
    this.tables.reduce((sum, one) => sum + countOf(one), 0) + this.dropped.length + (this.#isReordered() ? 1 : 0)
  );
  rewrites = $derived(this.tables.some(touchesRecords));
  /** Names that sources may use and that are gone after saving. */
  gone = $derived.by(() => goneNames(this.tables, this.dropped));

  /** @param total records of the shown table */
  effects(total: number | undefined): Effect[] {
    return [
      ...this.dropped.map(({ was = "" }): Effect => ({
        text: `The table ${was} is removed with ${
          this.lost[was] === undefined ? "its records" : counted(this.lost[was], "record")
        }.`,
        kind: this.lost[was] === 0 ? "check" : "loss",
      })),
      ...this.tables.flatMap((one) => effectsOf(one, one.key === this.table?.key ? total : undefined)),
    ];
  }

  /** Whether saving deletes records. */
  get loses_records(): boolean {
    return this.dropped.some(({ was = "" }) => this.lost[was] !== 0);
  }

  /** Fields that are taken out of tables that stay. */
  get removed(): { table: string; field: string }[] {
    return this.tables.flatMap(({ was = "", removed }) => removed.map(({ name }) => ({ table: was, field: name })));
  }

  get sent() {
    return { ...changesOf(this.tables, this.dropped), lock_version: this.#lock_version };
  }

  /** The order of fields is kept, so that moving one is a change. */
  #isReordered(): boolean {
    return this.tables.some((table) => {
      const saved = tablesOf(this.#db().schema).find(({ name }) => name === table.was);
      const before = saved?.fields.map(({ name }) => name) ?? [];
      const kept = table.fields.filter(({ was }) => was).map(({ was }) => was?.name);
      return kept.join() !== before.filter((name) => kept.includes(name)).join();
    });
  }

  /** Another person's change is shown where this page has none. */
  follow(saving: boolean): void {
    const { schema, lock_version } = this.#db();
    if (lock_version === this.#lock_version) return;
    if (JSON.stringify(schema) === this.#began) this.#lock_version = lock_version;
    else if (!saving && this.changes === 0) this.discard();
  }

  discard(): void {
    const { schema, lock_version } = this.#db();
    this.tables = tablesOf(schema).map(draftOf);
    [this.#lock_version, this.#began] = [lock_version, JSON.stringify(schema)];
    [this.dropped, this.lost] = [[], {}];
    this.forgive();
  }

  forgive(): void {
    [this.errors, this.#faults] = [[], new Map()];
  }

  /** @param fields messages by path, such as `schema.fields.price` */
  refuse(fields: Record<string, string[]>): void {
    const errors: string[] = [];
    const faults = new Map<number, FieldFault>();
    let first: DraftTable | undefined;
    for (const [path, messages] of Object.entries(fields)) {
      const { table, field } = fieldAt(this.tables, path) ?? {};
      if (!table || !field) errors.push(`${path} ${messages.join(", ")}`);
      else {
        first ??= table;
        faults.set(field.key, { field: told(field), messages });
      }
    }
    [this.errors, this.#faults] = [errors, faults];
    const is_shown = this.table?.fields.some(({ key }) => faults.has(key));
    if (first && !is_shown) this.chosen = first.name;
  }

  faultOf(field: Draft): string[] {
    const fault = this.#faults.get(field.key);
    return fault?.field === told(field) ? fault.messages : [];
  }

  has_faults = (table: DraftTable): boolean => table.fields.some((field) => this.faultOf(field).length > 0);

  /** @returns the name that stays, which is the old one if the new one is refused */
  rename(field: Draft, to: string): string {
    const name = to.trim();
    const others = this.table?.fields.filter(({ key }) => key !== field.key).map(({ name }) => name) ?? [];
    const fault = name === field.name ? undefined : faultOf(name, others);
    const faults = new Map(this.#faults);
    if (fault) faults.set(field.key, { field: told(field), messages: [fault] });
    else faults.delete(field.key);
    this.#faults = faults;
    if (!fault) field.name = name;
    return field.name;
  }

  setType(field: Draft, type: string): void {
    const found = TYPES.find((one) => one === type);
    if (found) setType(field, found, this.table?.fields ?? []);
  }

  /** @returns whether the name may be taken */
  add(to: string): boolean {
    const name = to.trim();
    if (!name || !this.table) return false;
    const fault = faultOf(name, this.table.fields.map((field) => field.name));
    this.errors = fault ? [fault] : [];
    if (fault) return false;
    this.table.fields.push(newField(name));
    return true;
  }

  remove(field: Draft): void {
    const { table } = this;
    if (!table) return;
    table.fields = table.fields.filter(({ key }) => key !== field.key);
    if (field.was) table.removed = [...table.removed, field.was];
  }

  restore(was: Field): void {
    const { table } = this;
    if (!table) return;
    table.removed = table.removed.filter(({ name }) => name !== was.name);
    const slot = table.fields.some(({ slot }) => slot === was.slot) ? undefined : was.slot;
    table.fields.push({ ...newField(was.name), ...was, slot, was });
  }

  move(from: number, to: number): void {
    const { table } = this;
    if (!table || to < 0 || to >= table.fields.length) return;
    const [moved] = table.fields.splice(from, 1);
    if (moved) table.fields.splice(to, 0, moved);
  }

  addTable(name: string): void {
    const alone = this.#db().code.replace(/^[^a-z]+/, "").slice(0, 63) || "records";
    // A table without a name stands alone.
    for (const one of this.tables) if (one.name === "") one.name = alone;
    const taken = this.tables.some((one) => one.name === name);
    this.tables.push(newTable(taken ? `${name}_2` : name));
    this.chosen = this.tables.at(-1)?.name ?? "";
  }

  removeTable(gone: DraftTable): void {
    this.tables = this.tables.filter(({ key }) => key !== gone.key);
    const { was } = gone;
    if (was === undefined) return;
    this.dropped.push(gone);
    totalOf(`/platform/dbs/${this.#db().code}/records.json`, { count: "true", ...was && { table_name: was } }).then(
      (found) => (this.lost[was] = found),
      () => {},
    );
  }

  restoreTable(kept: DraftTable): void {
    this.dropped = this.dropped.filter(({ key }) => key !== kept.key);
    this.tables.push(kept);
  }
}

/** What a fault was told of. */
const told = ({ name, type, required, slot }: Draft): string => JSON.stringify([name, type, required, slot]);
