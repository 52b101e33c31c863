/** Figures of the server in words. */
import type { Client } from "../../../mod.ts";

export type Operations = Awaited<ReturnType<Client["operations"]["find"]["query"]>>;
export type Process = Operations["processes"][number];

/** `12 s`, `3 min`, `5 h`, `2 d` */
export function span(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  return s < 86_400 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} d`;
}

/** Milliseconds from a moment to that of the figures. */
export const since = (moment: string, { at }: Pick<Operations, "at">): number => Date.parse(at) - Date.parse(moment);

/** A pass that has not begun for so long is late: both begin once a minute. */
const LATE_MS = 130_000;

/** What an admin should look at, a sentence each; empty where all is well. */
export function concerns(operations: Operations): string[] {
  const { processes, queues } = operations;
  const found: string[] = [];
  for (const { number, sweep, tick } of processes) {
    for (const [name, pass] of Object.entries({ clean_up: sweep, scheduler: tick })) {
      const what = `${name === "clean_up" ? "The clean-up" : "The scheduler"} of process ${number}`;
      if (pass?.fault) found.push(`${what} failed: ${pass.fault}`);
      else if (pass && since(pass.at, operations) > LATE_MS) {
        found.push(`${what} has not begun for ${span(since(pass.at, operations))}.`);
      }
    }
  }
  if (queues.triggers_overdue > 0) {
    found.push(
      queues.triggers_overdue === 1
        ? "A trigger has been due for more than two minutes."
        : `${queues.triggers_overdue.toLocaleString()} triggers have been due for more than two minutes.`,
    );
  }
  if (new Set(processes.map(({ release }) => release)).size > 1) {
    found.push("The processes run different releases: restart the older ones.");
  }
  return found;
}
