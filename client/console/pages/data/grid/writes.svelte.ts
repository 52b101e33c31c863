/**
 * Changes of records from the grid and the side panel: shown at once, sent one after the other, taken back where the
 * server refuses, and undone and redone as steps.
 */
import { api, NO_ANSWER, troubleOf } from "../../../api.ts";
import { beforeRepeating } from "../../../connection.svelte.ts";
import { counted } from "../../../format.ts";
import { notify } from "../../../notices.svelte.ts";
import type { Value } from "./cells.ts";
import type { Rec, Rows } from "./rows.svelte.ts";

export type Data = Record<string, Value>;

export type Change =
  | { kind: "set"; id: string; before: Data; after: Data }
  | { kind: "create"; id: string; data: Data; position: number; department_id?: number | null }
  | { kind: "delete"; id: string; data: Data; position: number; department_id?: number | null };

interface Step {
  /** Such as `Paste`. */
  name: string;
  changes: Change[];
}

export interface Fault {
  message: string;
  /** What was typed. */
  value: Value;
}

/** Operations of one request; the server takes no more. */
const AT_ONCE = 1_000;
const MOST_STEPS = 100;
/** Before a change is sent again that the server did not take. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 15_000;

export const faultKey = (id: string, field: string): string => `${id} ${field}`;

/** Requests of all lists. */
let unanswered = 0;
addEventListener("beforeunload", (event) => {
  if (unanswered > 0) event.preventDefault();
});

export class Writes {
  readonly #rows: () => Rows;
  readonly #db_code: string;
  readonly #table_name: string | undefined;
  /** A record that was created or restored here has another id than its row had before. */
  readonly #renamed = new Map<string, string>();
  #done: Step[] = [];
  #undone: Step[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  /** Whether the server did not answer to what failed last, which may be tried again. */
  #is_away = false;
  /** Refused values by `faultKey`. */
  faults = $state.raw<ReadonlyMap<string, Fault>>(new Map());
  /** The last refusal that a cell shows, for those who do not see the cell. */
  refused = $state.raw<{ key: string; text: string }>();
  /** Requests that have not been answered. */
  pending = $state(0);
  /** Why the first of them is sent again until it is answered. */
  waiting_for = $state("");
  can_undo = $state(false);
  can_redo = $state(false);

  constructor(rows: () => Rows, db_code: string, table_name: string | undefined) {
    this.#rows = rows;
    this.#db_code = db_code;
    this.#table_name = table_name;
  }

  /** Resolves when everything so far has been answered. */
  get idle(): Promise<unknown> {
    return this.#queue;
  }

  idOf(id: string): string {
    let now = id;
    for (let next = this.#renamed.get(now); next !== undefined; next = this.#renamed.get(now)) now = next;
    return now;
  }

  /** @returns whether the server took it */
  async run(name: string, changes: Change[]): Promise<boolean> {
    if (changes.length === 0) return true;
    const step = { name, changes };
    this.#done = [...this.#done.slice(1 - MOST_STEPS), step];
    this.#undone = [];
    this.#tell();
    const count = await this.#apply(changes);
    // What a refusal has left out cannot be undone.
    step.changes = changes.slice(0, count);
    if (count === 0) this.#done = this.#done.filter((one) => one !== step);
    this.#tell();
    return count === changes.length;
  }

  /** Takes a step that was done elsewhere into the list of what can be undone. */
  remember(name: string, changes: Change[]): void {
    this.#done = [...this.#done.slice(1 - MOST_STEPS), { name, changes }];
    this.#undone = [];
    this.#tell();
  }

  async undo(): Promise<void> {
    const step = this.#done.pop();
    if (!step) return;
    this.#undone.push(step);
    this.#tell();
    const count = await this.#apply(step.changes.toReversed().map(inverse));
    if (count === step.changes.length) {
      notify(`Undone: ${step.name}`, { undo: () => void this.redo(), verb: "Redo" });
    } else {
      this.#undone = this.#undone.filter((one) => one !== step);
      if (count === 0 && this.#is_away) this.#done.push(step);
    }
    this.#tell();
  }

  async redo(): Promise<void> {
    const step = this.#undone.pop();
    if (!step) return;
    this.#done.push(step);
    this.#tell();
    const count = await this.#apply(step.changes);
    if (count === 0) this.#done = this.#done.filter((one) => one !== step);
    if (count === 0 && this.#is_away) this.#undone.push(step);
    this.#tell();
  }

  #tell(): void {
    this.can_undo = this.#done.length > 0;
    this.can_redo = this.#undone.length > 0;
  }

  dropFault(id: string, field: string): void {
    if (!this.faults.has(faultKey(id, field))) return;
    const left = new Map(this.faults);
    left.delete(faultKey(id, field));
    this.faults = left;
  }

  /** Shows the changes, and sends them behind the earlier ones. @returns how many the server has taken */
  #apply(changes: Change[]): Promise<number> {
    for (const change of changes) this.#show(change);
    this.#rows().changed();
    this.pending++;
    unanswered++;
    const sent = this.#queue.then(() => this.#send(changes)).finally(() => {
      this.pending--;
      unanswered--;
    });
    this.#queue = sent.catch(() => {});
    return sent;
  }

  #show(change: Change): void {
    const rows = this.#rows();
    const id = this.idOf(change.id);
    if (change.kind === "set") {
      const record = rows.records.get(id);
      if (record) rows.records.set(id, { ...record, data: { ...record.data, ...change.after } });
      for (const field of Object.keys(change.after)) this.dropFault(id, field);
    } else if (change.kind === "create") {
      const now = new Date().toISOString();
      rows.insert(Math.min(change.position, rows.total), {
        id,
        table_name: this.#table_name ?? null,
        data: change.data,
        department_id: change.department_id ?? null,
        created_by_id: null,
        created_at: now,
        updated_at: now,
      });
    } else rows.remove(id);
  }

  async #send(changes: Change[]): Promise<number> {
    for (let from = 0; from < changes.length; from += AT_ONCE) {
      const part = changes.slice(from, from + AT_ONCE);
      try {
        await this.#sendUntilTaken(part);
      } catch (error) {
        this.#is_away = troubleOf(error).message === NO_ANSWER;
        for (const change of changes.slice(from).toReversed()) this.#show(inverse(change));
        this.#refused(part, error, from);
        this.#rows().changed();
        return from;
      }
    }
    this.#rows().changed();
    return changes.length;
  }

  /**
   * Sends the changes again while the server is away. A new record is sent once: an answer that was lost would make a
   * second one.
   */
  async #sendUntilTaken(part: Change[]): Promise<void> {
    const [only] = part;
    for (let pause = FIRST_PAUSE_MS;; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      try {
        await (part.length === 1 && only ? this.#sendOne(only) : this.#sendMany(part));
        this.waiting_for = "";
        return;
      } catch (error) {
        const { message, status } = troubleOf(error);
        const is_away = message === NO_ANSWER || status === 503;
        const is_repeated = this.waiting_for !== "";
        this.waiting_for = is_away && part.every(({ kind }) => kind !== "create") ? message : "";
        if (this.waiting_for === "") {
          // The request whose answer was lost has deleted it.
          if (is_repeated && status === 404 && part.length === 1 && only?.kind === "delete") return;
          throw error;
        }
      }
      await beforeRepeating(pause);
    }
  }

  /** A single change has an entry of its own in the record's history. */
  async #sendOne(change: Change): Promise<void> {
    const db_code = this.#db_code;
    const id = this.idOf(change.id);
    if (change.kind === "set") {
      const record = await api.records.update.mutate({ db_code, id, record: { data: change.after, ...this.#table() } });
      this.#rows().records.set(id, record);
    } else if (change.kind === "delete") {
      await api.records.delete.mutate({ db_code, id, ...this.#table() });
    } else this.#stored(id, await api.records.create.mutate({ db_code, record: this.#newRecord(change) }));
  }

  async #sendMany(part: Change[]): Promise<void> {
    const results = await api.records.batch.mutate({
      db_code: this.#db_code,
      operations: part.map((change) => {
        const id = this.idOf(change.id);
        if (change.kind === "create") return { action: "create" as const, record: this.#newRecord(change) };
        if (change.kind === "delete") return { action: "delete" as const, id, ...this.#table() };
        return { action: "update" as const, id, record: { data: change.after, ...this.#table() } };
      }),
    });
    for (const [i, result] of results.entries()) {
      const change = part[i];
      if (!change || !("data" in result)) continue;
      if (change.kind === "create") this.#stored(this.idOf(change.id), result);
      else this.#rows().records.set(result.id, result);
    }
  }

  #table() {
    return this.#table_name === undefined ? {} : { table_name: this.#table_name };
  }

  #newRecord({ data, department_id }: Change & { kind: "create" }) {
    // A blank is left out, so that the server says which required fields are missing.
    const filled = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
    return { data: filled, ...this.#table(), ...department_id !== undefined && { department_id } };
  }

  #stored(id: string, record: Rec): void {
    this.#renamed.set(id, record.id);
    this.#rows().rename(id, record);
  }

  /** Puts the server's words at the cells. */
  #refused(part: readonly Change[], error: unknown, done: number): void {
    const trouble = troubleOf(error);
    const faults = new Map(this.faults);
    const told: string[] = [];
    for (const [path, messages] of Object.entries(trouble.fields)) {
      const [, index = "0", field = ""] = /^(?:operations\.(\d+)\.record\.data\.)?(.*)$/.exec(path) ?? [];
      const change = part[Number(index)];
      const name = field.replace(/^data\./, "");
      if (!change) continue;
      const message = messages.join(", ");
      told.push(`${name} ${message}`);
      if (change.kind === "set" && name in change.after) {
        faults.set(faultKey(this.idOf(change.id), name), { message, value: change.after[name] ?? null });
      }
    }
    const is_shown = part.length === 1 && faults.size > this.faults.size;
    this.faults = faults;
    // The cell says it.
    if (is_shown) return void (this.refused = { key: [...faults.keys()].at(-1) ?? "", text: told.join("; ") });
    const message = trouble.message === NO_ANSWER ? "The server does not answer." : trouble.message;
    const reason = told.length > 0 ? told.slice(0, 3).join("; ") : message;
    const changed = done > 0 ? `Only ${counted(done, "record")} changed.` : "Nothing was changed.";
    const refused = counted(Math.max(1, told.length), "value was", "values were");
    notify(part.length === 1 ? `Not saved: ${reason}` : `${changed} ${refused} refused: ${reason}`, { kind: "failed" });
  }
}

function inverse(change: Change): Change {
  if (change.kind === "set") return { ...change, before: change.after, after: change.before };
  return { ...change, kind: change.kind === "create" ? "delete" : "create" };
}

let last = 0;
/** The id of a row whose record has not been stored. */
export const newId = (): string => `new-${++last}`;
