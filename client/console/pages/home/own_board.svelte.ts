/**
 * The board of the person who is signed in. It outlives the page: a change stays until the server has it, so that neither
 * leaving the page nor a server that is away loses one.
 */
import { api, troubleOf } from "../../api.ts";
import { notify } from "../../notices.svelte.ts";
import { type Place, shownBoard } from "./board.ts";

export type Tile = Place & { title: string; url: string };
type Tiles = readonly Tile[];
type Change = (tiles: Tiles) => Tile[];

const SAVE_AFTER_MS = 400;
const RETRY_AFTER_MS = 5_000;
/** The status of a request that may be sent again later. */
const TOO_MANY = 429;
/** Another tab may save as often as this while this one does. */
const ATTEMPTS = 5;

let person: number | undefined;
let tiles = $state.raw<Tile[]>();
/** The board before the change that is tried now. */
let held: Tiles | undefined;
let is_default = $state(false);
/** Why it could not be read. */
let fault = $state("");
/** Why the changes could not be saved yet. */
let unsaved = $state("");
/** The `updated_at` of the person's own board as the server has it; null: there is none. */
let known: string | null = null;
/** What the server does not have yet. Where another tab has saved meanwhile, these are made again on its board. */
let changes: Change[] = [];
/** Counts them, so that an answer that is older than a change is recognized. */
let count = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let sending: Promise<void> | undefined;

export const board = {
  /** Undefined until it has been read. */
  get tiles(): Tiles | undefined {
    return tiles;
  },
  /** Whether it is the account's, because the person has none. */
  get is_default() {
    return is_default;
  },
  get fault() {
    return fault;
  },
  get unsaved() {
    return unsaved;
  },
};

/** Shows this person's board from here on. Changes of the one before, of whom this tab no longer has a session, go. */
export function openBoard(user_id: number | undefined): void {
  if (user_id === person) return;
  person = user_id;
  tiles = held = undefined;
  known = null;
  fault = "";
  forgetChanges();
}

function forgetChanges(): void {
  clearTimeout(timer);
  changes = [];
  count++;
  unsaved = "";
}

/** Reads it anew, or saves what is still to be saved. */
export async function readBoard(): Promise<void> {
  if (changes.length > 0) return await saveBoard();
  const known_count = count;
  try {
    const read = await api.dashboards.find.query();
    if (count === known_count) show(read);
    fault = "";
  } catch (error) {
    if (!tiles) fault = troubleOf(error).message;
  }
}

type Read = Awaited<ReturnType<typeof api.dashboards.find.query>>;

/** Shows what the server has, with the changes that it does not have. */
function show(read: Read): void {
  const next = changes.reduce((now, change) => change(now), shownBoard(read.tiles, tiles));
  // The same tiles stay: their frames would load anew.
  if (held) held = next;
  if (!isSame(next, tiles)) tiles = next;
  adopt(read);
}

function adopt(read: Read): void {
  is_default = read.is_default;
  known = read.is_default ? null : read.updated_at;
}

const isSame = (a: Tiles, b: Tiles | undefined) => JSON.stringify(a) === JSON.stringify(b);

/** Makes a change and saves it soon. @returns whether it changes anything */
export function changeBoard(change: Change): boolean {
  if (!tiles) return false;
  const next = change(tiles);
  if (isSame(next, tiles)) return false;
  tiles = next;
  changes.push(change);
  count++;
  clearTimeout(timer);
  timer = setTimeout(saveBoard, SAVE_AFTER_MS);
  return true;
}

/** A pointer holds a tile: until it is dropped, what is shown is a trial. @returns false where another one is held */
export function holdBoard(): boolean {
  if (held) return false;
  held = tiles;
  return true;
}

/** Shows the board as this change would make it. */
export function tryChange(change: Change): void {
  const next = change(held ?? []);
  if (!isSame(next, tiles)) tiles = next;
}

/** @param change undefined: everything is as before */
export function dropTile(change: Change | undefined): void {
  tiles = held && [...held];
  held = undefined;
  if (change) changeBoard(change);
}

/** Saves what is still to be saved. */
export function saveBoard(): Promise<void> {
  clearTimeout(timer);
  return sending ??= send().finally(() => sending = undefined);
}

async function send(): Promise<void> {
  for (let attempt = 1; changes.length > 0 && attempt <= ATTEMPTS;) {
    const sent = changes.length;
    const sender = person;
    try {
      const saved = await api.dashboards.put.mutate({ dashboard: { tiles: places(), if_updated_at: known } });
      if (sender !== person) return;
      changes = changes.slice(sent);
      count++;
      adopt(saved);
      unsaved = "";
    } catch (error) {
      if (sender !== person) return;
      const { status, message } = troubleOf(error);
      if (status === 409) {
        attempt++;
        await readAgain();
      } else if (status >= 400 && status < 500 && status !== TOO_MANY) {
        // It would be refused again.
        forgetChanges();
        notify(message, { kind: "failed" });
        return await readBoard();
      } else {
        unsaved = message;
        break;
      }
    }
  }
  if (changes.length > 0) timer = setTimeout(saveBoard, RETRY_AFTER_MS);
}

/** Another tab has saved. A failure is noticed by the next attempt. */
const readAgain = () => api.dashboards.find.query().then(show, () => {});

const places = () => (held ?? tiles ?? []).map(({ app_id, x, y, w, h }) => ({ app_id, x, y, w, h }));

/** Gives the person the account's board again. @returns the tiles until then, or undefined if it failed */
export async function leaveBoard(): Promise<Tiles | undefined> {
  await saveBoard();
  const before = tiles;
  try {
    await api.dashboards.delete.mutate();
  } catch (error) {
    notify(troubleOf(error).message, { kind: "failed" });
    return undefined;
  }
  forgetChanges();
  await readBoard();
  return before;
}

/** Makes it the board of everyone who has none. */
export async function shareBoard(): Promise<void> {
  await saveBoard();
  await api.dashboards.put_default.mutate({ dashboard: { tiles: places() } }).then(
    () => notify("This is now the board of everyone who has no board"),
    (error) => notify(troubleOf(error).message, { kind: "failed" }),
  );
}

// The last change before a tab is closed. Answers do not matter any more.
addEventListener("pagehide", () => {
  if (changes.length === 0) return;
  void fetch("/account/dashboard.json", {
    method: "PUT",
    keepalive: true,
    headers: { "content-type": "application/json" },
    // Where a save is on its way, the server's board is about to change.
    body: JSON.stringify({ dashboard: { tiles: places(), if_updated_at: sending ? undefined : known } }),
  }).catch(() => {});
});
