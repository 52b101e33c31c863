/** Changes by others, in the rows that are shown. */
import { api } from "../../../api.ts";
import { whileVisible } from "../../../sse.ts";
import { sortText } from "./query.ts";
import type { Rec, Rows } from "./rows.svelte.ts";
import type { Selection } from "./selection.svelte.ts";
import { faultKey, type Writes } from "./writes.svelte.ts";

interface Shown {
  rows(): Rows | undefined;
  selection: Selection;
  writes: Writes;
  /** Values that have just been changed by others, by `faultKey`. */
  flash(keys: string[]): void;
  /** Changes are missing. */
  reset(): void;
  state(live: boolean): void;
}

/** Before the stream is opened again. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 15_000;
/** How long changes are collected: an import has hundreds at once. */
const WAIT_MS = 100;
/** More new records than this at once are not put into the list one by one. */
const MOST_CREATED = 50;

type Change = { event: "create" | "update"; data: Rec } | { event: "delete"; data: { id: string } };

/**
 * Follows the feed while the page is visible. A page that is visible again reads what it missed once it follows: no
 * change falls between.
 *
 * @returns what ends it
 */
export const follow = (db_code: string, table_name: string | undefined, shown: Shown): () => void =>
  whileVisible((again) => listen(db_code, table_name, shown, again));

/**
 * Follows the feed until it is ended. A server that stops ends the stream, as one does that loses its database.
 *
 * @param missed whether changes were missed before
 * @returns what ends it
 */
function listen(db_code: string, table_name: string | undefined, shown: Shown, missed: boolean): () => void {
  let waiting: Change[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_PAUSE_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe = () => {};
  let is_left = false;
  const show = async () => {
    // What this page has sent is answered before it is compared with the feed.
    await shown.writes.idle;
    const changes = waiting;
    [waiting, timer] = [[], undefined];
    const rows = shown.rows();
    if (rows) apply(rows, shown, changes);
  };
  const again = () => {
    // To unsubscribe completes the stream, too.
    if (is_left) return;
    shown.state(false);
    missed = true;
    clearTimeout(retry);
    retry = setTimeout(subscribe, pause);
    pause = Math.min(pause * 2, LAST_PAUSE_MS);
  };
  const subscribe = () => {
    ({ unsubscribe } = api.records.changes.subscribe({ db_code, ...table_name && { table_name } }, {
      onStarted() {
        pause = FIRST_PAUSE_MS;
        shown.state(true);
        if (missed) shown.reset();
        missed = false;
      },
      onData({ data: change }) {
        if (change.event === "reset") shown.reset();
        if (change.event !== "create" && change.event !== "update" && change.event !== "delete") return;
        waiting.push(change);
        timer ??= setTimeout(() => void show(), WAIT_MS);
      },
      onConnectionStateChange: ({ state }) => shown.state(state === "pending"),
      onError({ data }) {
        // What is not there, or not for this person, does not come by asking again.
        if (data?.httpStatus === 403 || data?.httpStatus === 404) shown.state(false);
        else again();
      },
      onComplete: again,
    }));
  };
  subscribe();
  return () => {
    is_left = true;
    clearTimeout(timer);
    clearTimeout(retry);
    unsubscribe();
  };
}

function apply(rows: Rows, shown: Shown, changes: readonly Change[]): void {
  const { conditions, keys, q } = rows.asked;
  const created = changes.filter(({ event, data }) => event === "create" && !rows.records.has(data.id)).length;
  // Whether a record fits a filter, and where it stands in another order, is only known to the server.
  const inserts = created <= MOST_CREATED && conditions.length === 0 && !q && sortText(keys) === "-created_at";
  const flashed: string[] = [];
  for (const { event, data } of changes) {
    if (event === "delete") {
      if (rows.records.has(data.id)) rows.gone.add(data.id);
    } else if (rows.records.has(data.id)) flashed.push(...updated(rows, data));
    else if (event === "create" && inserts) {
      rows.insert(0, data);
      shown.selection.shift(0, 1);
      flashed.push(...Object.keys(data.data).map((field) => faultKey(data.id, field)));
    } else if (event === "create") rows.unseen.add(data.id);
  }
  shown.flash(flashed);
  rows.changed();
}

/** @returns what has changed */
function updated(rows: Rows, record: Rec): string[] {
  const before = rows.records.get(record.id);
  rows.records.set(record.id, record);
  return Object.keys(record.data).filter((field) => record.data[field] !== before?.data[field])
    .map((field) => faultKey(record.id, field));
}
