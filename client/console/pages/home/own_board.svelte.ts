/**
 * The board of the person who is signed in. It outlives the page: a change stays until the server has it, so that neither
 * leaving the page nor a server that is away loses one. Another person's session begins with another document.
 */
import { api, troubleOf } from "../../api.ts";
import { notify } from "../../notices.svelte.ts";
import { changedApps, type Place, remove, shownBoard, turned } from "./board.ts";

export type Tile = Place & { title: string; url: string };
type Tiles = readonly Tile[];
type Change = (tiles: Tiles) => Tile[];

const SAVE_AFTER_MS = 400;
const RETRY_AFTER_MS = 5_000;
/** Statuses of requests that may be sent again later. */
const [CHANGED, TOO_MANY] = [409, 429];
/** Another tab may save as often as this while this one does. */
const ATTEMPTS = 5;

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
/**
 * What the server does not have yet. Where another tab has saved meanwhile, these are made again on its board, and so they
 * are where the answer to a save was lost: each names places, not steps.
 */
let changes: Change[] = [];
/** Counts them, so that an answer that is older than a change is recognized. */
let count = 0;
/** The arrangements before and after a change. */
interface Step {
  from: Tiles;
  to: Tiles;
}
/** Since arranging began. */
let undo_steps = $state.raw<readonly Step[]>([]);
let redo_steps = $state.raw<readonly Step[]>([]);
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
  get can_undo() {
    return undo_steps.length > 0;
  },
  get can_redo() {
    return redo_steps.length > 0;
  },
};

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

/** Makes a change and saves it soon. @returns whether it changes anything: never while a pointer holds a tile */
export function changeBoard(change: Change): boolean {
  const from = tiles;
  if (!apply(change) || !from || !tiles) return false;
  undo_steps = [...undo_steps, { from, to: tiles }];
  redo_steps = [];
  return true;
}

/** Takes back the last change. @returns the apps whose tiles have changed */
export function undoChange(): string[] {
  const step = undo_steps.at(-1);
  if (!step || held) return [];
  undo_steps = undo_steps.slice(0, -1);
  redo_steps = [...redo_steps, step];
  return turn(step.to, step.from);
}

/** Makes the change again that was taken back last. @returns the apps whose tiles have changed */
export function redoChange(): string[] {
  const step = redo_steps.at(-1);
  if (!step || held) return [];
  redo_steps = redo_steps.slice(0, -1);
  undo_steps = [...undo_steps, step];
  return turn(step.from, step.to);
}

const turn = (from: Tiles, to: Tiles) => apply((now) => turned(now, from, to)) ? changedApps(from, to) : [];

/** Arranging begins: what was changed before it is not taken back. */
export function forgetSteps(): void {
  undo_steps = redo_steps = [];
}

/** @returns whether it changes anything */
function apply(change: Change): boolean {
  if (!tiles || held) return false;
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
  let attempt = 1;
  while (changes.length > 0) {
    const sent = changes.length;
    const sent_tiles = held ?? tiles ?? [];
    try {
      const saved = await api.dashboards.put.mutate({ dashboard: { tiles: places(), if_updated_at: known } });
      changes = changes.slice(sent);
      count++;
      adopt(saved);
      unsaved = "";
      attempt = 1;
    } catch (error) {
      const { status, message, fields } = troubleOf(error);
      const refused = sent_tiles.filter((_, index) => fields[`tiles.${index}.app_id`]);
      if (status === 409 && attempt < ATTEMPTS) await readAgain();
      else if (refused.length > 0 && attempt < ATTEMPTS) withoutApps(refused);
      else if (status >= 400 && status < 500 && status !== CHANGED && status !== TOO_MANY) {
        // It would be refused again.
        forgetChanges();
        notify(message, { kind: "failed" });
        return await readBoard();
      } else {
        unsaved = message;
        break;
      }
      attempt++;
    }
  }
  if (changes.length > 0) timer = setTimeout(saveBoard, RETRY_AFTER_MS);
}

/** Their apps have meanwhile gone, or may not be on boards any more. */
function withoutApps(refused: Tiles): void {
  for (const { app_id, title } of refused) {
    const change: Change = (now) => remove(now, app_id);
    changes.push(change);
    tiles = tiles && change(tiles);
    held = held && change(held);
    notify(`${title} cannot be on a board any more`, { kind: "failed" });
  }
}

/** Another tab has saved. A failure is noticed by the next attempt. */
const readAgain = () => api.dashboards.find.query().then(show, () => {});

const placesOf = (tiles: Tiles) => tiles.map(({ app_id, x, y, w, h }) => ({ app_id, x, y, w, h }));
const places = () => placesOf(held ?? tiles ?? []);

/** Gives the person the account's board again. @returns the tiles until then, or undefined if it failed */
export async function leaveBoard(): Promise<Tiles | undefined> {
  await saveBoard();
  const before = tiles;
  try {
    await api.dashboards.delete.mutate();
  } catch (error) {
    sayFailure(error);
    return undefined;
  }
  forgetChanges();
  forgetSteps();
  await readBoard();
  return before;
}

/** Makes it the board of everyone who has none. */
export async function shareBoard(): Promise<void> {
  await saveBoard();
  const { find_default, put_default } = api.dashboards;
  try {
    const before = await find_default.query();
    const { updated_at } = await put_default.mutate({ dashboard: { tiles: places() } });
    // What another administrator changes before the undo stays.
    const dashboard = { tiles: placesOf(before.tiles), if_updated_at: updated_at };
    notify("This is now the board of everyone who has no board", {
      undo: () => void put_default.mutate({ dashboard }).catch(sayFailure),
    });
  } catch (error) {
    sayFailure(error);
  }
}

const sayFailure = (error: unknown) => notify(troubleOf(error).message, { kind: "failed" });

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
