/** How many objects of each kind the viewer sees, for the side bar. */
import { api } from "../api.ts";
import { hasRole } from "../session.svelte.ts";

export type Counts = Awaited<ReturnType<typeof api.overview.counts.query>>;

/** The server counts at most this many. */
const MOST = 1_000;
/** Milliseconds between two readings. */
const PAUSE_MS = 3_000;

let known = $state.raw<Counts>();
let asked_at = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** `24`, `1,000+`; nothing for none, and where the viewer may not list the kind. */
export function countText(kind: keyof Counts): string {
  const count = known?.[kind] ?? 0;
  if (count === 0) return "";
  return count < MOST ? count.toLocaleString() : `${MOST.toLocaleString()}+`;
}

export const runsInProgress = (): number => known?.runs_in_progress ?? 0;

/** Reads them now, or at the end of the pause after the last reading. Without them the side bar has names alone. */
export function readCounts(): void {
  if (timer !== undefined || !hasRole("user")) return;
  timer = setTimeout(async () => {
    timer = undefined;
    asked_at = Date.now();
    known = await api.overview.counts.query().catch(() => known);
  }, Math.max(0, asked_at + PAUSE_MS - Date.now()));
}
