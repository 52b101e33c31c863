/** Which columns a grid shows, how wide they are, and which stay while it scrolls. Kept in the browser for each table. */
import { type Field, OWN_FIELDS } from "../tables.ts";

export interface Column extends Field {
  width: number;
  frozen: boolean;
  /** Cannot be changed: the server writes it. */
  own: boolean;
}

export interface Layout {
  /** Names of fields; those that are missing come last. */
  order: string[];
  widths: Record<string, number>;
  hidden: readonly string[];
  /** Columns at the left that stay in place. */
  frozen: number;
}

const WIDTHS = {
  string: 200,
  text: 260,
  integer: 112,
  number: 120,
  boolean: 88,
  datetime: 176,
  date: 124,
  time: 96,
} as const;
export const LEAST_WIDTH = 64;
const MOST_WIDTH = 800;
export const HIDDEN: readonly string[] = ["id", "updated_at"];

const isLayout = (value: unknown): value is Layout =>
  typeof value === "object" && value !== null && "order" in value && Array.isArray(value.order) && "widths" in value &&
  typeof value.widths === "object" && value.widths !== null && "hidden" in value && Array.isArray(value.hidden) &&
  "frozen" in value && typeof value.frozen === "number";

export const FIRST_LAYOUT: Layout = { order: [], widths: {}, hidden: HIDDEN, frozen: 1 };

export class View {
  readonly #key: string;
  layout = $state.raw<Layout>(FIRST_LAYOUT);
  fields: readonly Field[] = $state.raw([]);

  /** While a named view is open, changes are not kept in the browser. */
  #is_named = false;

  readonly all = $derived(this.columnsIn(this.layout));

  /** All columns of a layout, in their order. */
  columnsIn({ order, widths }: Layout): Column[] {
    const own = new Set(OWN_FIELDS.map(({ name }) => name));
    const known = [...this.fields, ...OWN_FIELDS];
    const place = (name: string) => order.indexOf(name) >= 0 ? order.indexOf(name) : order.length + known.length;
    return known.toSorted((one, other) => place(one.name) - place(other.name)).map((field) => ({
      ...field,
      own: own.has(field.name),
      width: widths[field.name] ?? WIDTHS[field.type] + (field.slot ? 16 : 0),
      frozen: false,
    }));
  }

  readonly columns = $derived.by<Column[]>(() => {
    const { hidden, frozen } = this.layout;
    const shown = this.all.filter(({ name }) => !hidden.includes(name));
    return shown.map((column, i) => ({ ...column, frozen: i < frozen }));
  });

  constructor(key: string, fields: readonly Field[]) {
    this.#key = `data_columns:${key}`;
    this.fields = fields;
    this.open(undefined);
  }

  /** Shows the columns of a named view; undefined: those that this browser has kept. */
  open(named: Layout | undefined): void {
    this.#is_named = named !== undefined;
    this.layout = named ?? this.#kept();
  }

  #kept(): Layout {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "null");
      if (isLayout(kept)) return kept;
    } catch {
      // What cannot be read is replaced by the next change.
    }
    return FIRST_LAYOUT;
  }

  set(changes: Partial<Layout>): void {
    this.layout = { ...this.layout, ...changes };
    if (!this.#is_named) localStorage.setItem(this.#key, JSON.stringify(this.layout));
  }

  resize(name: string, width: number): void {
    const fitting = Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)));
    this.set({ widths: { ...this.layout.widths, [name]: fitting } });
  }

  hide(name: string): void {
    const index = this.columns.findIndex((column) => column.name === name);
    const { hidden, frozen } = this.layout;
    this.set({ hidden: [...hidden, name], frozen: index < frozen ? frozen - 1 : frozen });
  }

  show(name: string): void {
    this.set({ hidden: this.layout.hidden.filter((one) => one !== name) });
  }

  /** Puts a column in front of another one; undefined puts it last. */
  move(name: string, before: string | undefined): void {
    if (name === before) return;
    const order = this.all.map((column) => column.name).filter((one) => one !== name);
    order.splice(before === undefined ? order.length : order.indexOf(before), 0, name);
    this.set({ order });
  }

  /** Moves a shown column by one place. */
  step(name: string, by: 1 | -1): void {
    const names = this.columns.map((column) => column.name);
    const index = names.indexOf(name);
    if (by < 0 && index > 0) this.move(name, names[index - 1]);
    if (by > 0 && index < names.length - 1) this.move(name, names[index + 2]);
  }

  freeze(count: number): void {
    this.set({ frozen: count });
  }

  get isChanged(): boolean {
    return JSON.stringify(this.layout) !== JSON.stringify(FIRST_LAYOUT);
  }
}
