/** The records of a list, live and optimistic: what the bindings of React, Vue and Svelte share. */
import type { AnyFields, AtriumError, Change, Database, ListOptions, RecordOf } from "../types/index.d.ts";
import type { RecordsMethods, RecordsState } from "../types/live.d.ts";
import { createStore, type Store } from "./store.ts";

export type LiveRecords<Fields> = Store<RecordsState<Fields>> & RecordsMethods<Fields>;

type Row = RecordOf<AnyFields>;
type Rows = readonly Row[];

/** Records of a list whose options name no other number. Source: `per_page` of `ListOptions`. */
const PAGE = 100;

const upsert = (rows: Rows, row: Row): Rows =>
  rows.some(({ id }) => id === row.id) ? rows.map((one) => one.id === row.id ? row : one) : [row, ...rows];
const without = (rows: Rows, id: string): Rows => rows.filter((row) => row.id !== id);

export function liveRecords<Fields>(db: Database<Fields>, options: ListOptions<Fields> = {}): LiveRecords<Fields> {
  return liveRows(db as unknown as Database<AnyFields>, options as ListOptions<AnyFields>) as unknown as LiveRecords<
    Fields
  >;
}

function liveRows(db: Database<AnyFields>, options: ListOptions<AnyFields>): LiveRecords<AnyFields> {
  const has_options = Object.keys(options).length > 0;
  const shown = createStore<RecordsState<AnyFields>>(
    { records: [], total: undefined, loading: true, state: "connecting", error: undefined },
    open,
  );
  /** As the server has told. */
  let rows: Rows = [];
  /**
   * Whether the list has every record of the table. Otherwise only the server knows which records belong to it: there is
   * a condition, an order or a number of rows, or there are more pages.
   */
  let is_whole = false;
  /** Changes on their way to the server, by a number of their own. */
  const ahead = new Map<number, (rows: Rows) => Rows>();
  let count = 0;
  let creating = 0;
  /** Changes that came while the list was read, or while a record of this caller may be among them. */
  let held: Change<AnyFields>[] = [];
  let reading = false;
  let again = false;
  let is_open = false;

  const show = (more: Partial<RecordsState<AnyFields>> = {}) =>
    shown.set({ ...more, records: [...ahead.values()].reduce<Rows>((rows, change) => change(rows), rows) });

  function open(): () => void {
    is_open = true;
    const stop = db.subscribe(hear, { onState: (state) => shown.set({ state }) });
    return () => {
      is_open = false;
      stop();
    };
  }

  function hear(change: Change<AnyFields>): void {
    if (change.kind === "error") return shown.set({ error: change.error, loading: false });
    if (change.kind === "ready" || change.kind === "reset") return void read();
    if (reading || creating > 0) return void held.push(change);
    apply(change);
    show();
  }

  function apply(change: Change<AnyFields>): void {
    if (change.kind === "delete") rows = without(rows, change.record.id);
    else if (change.kind === "create" || change.kind === "update") {
      const { record } = change;
      if (is_whole || rows.some(({ id }) => id === record.id)) rows = upsert(rows, record);
    } else return;
    if (is_whole) is_whole = rows.length < PAGE;
    else void read();
  }

  function release(): void {
    if (reading || creating > 0) return;
    const changes = held;
    held = [];
    changes.forEach(apply);
  }

  /** One at a time; what changes meanwhile is read again. */
  async function read(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again && is_open) {
        again = false;
        const list = await db.list(options);
        rows = list;
        is_whole = !has_options && list.length < PAGE;
        // Changes that came meanwhile may be newer than the list, and it may have to leave them out.
        if (!is_whole && held.length > 0) {
          held = [];
          again = true;
        }
        show({ total: list.total, loading: false, error: undefined });
      }
    } catch (error) {
      shown.set({ error: error as AtriumError, loading: false });
    } finally {
      reading = false;
      release();
      show();
    }
  }

  /** Shows a change before the server has answered, and takes it back if it refuses. */
  async function optimistic<Result>(
    change: (rows: Rows) => Rows,
    send: () => Promise<Result>,
    take: (r: Result) => void,
  ) {
    const number = count++;
    ahead.set(number, change);
    show();
    try {
      const result = await send();
      take(result);
      return result;
    } finally {
      ahead.delete(number);
      show();
    }
  }

  return {
    get: shown.get,
    set: shown.set,
    subscribe: shown.subscribe,
    async create(data) {
      const now = new Date().toISOString();
      const draft = { ...data, id: `new-${count}`, created_at: now, updated_at: now };
      creating++;
      try {
        return await optimistic((rows) => [draft, ...rows], () => db.create(data), (row) => rows = upsert(rows, row));
      } finally {
        creating--;
        release();
        show();
      }
    },
    update: (id, data) =>
      optimistic(
        (rows) => rows.map((row) => row.id === id ? { ...row, ...data } : row),
        () => db.update(id, data),
        (row) => rows = rows.map((one) => one.id === id ? row : one),
      ),
    remove: (id) => optimistic((rows) => without(rows, id), () => db.delete(id), () => rows = without(rows, id)),
  };
}
