/** What pages say of runs and their steps. */
import type { api } from "../../api.ts";
import { timeFormat } from "../../format.ts";
import type { IconName } from "../../parts/icons.ts";

export type Run = Awaited<ReturnType<typeof api.flow_processes.list.query>>[number];
export type WholeRun = Awaited<ReturnType<typeof api.flow_processes.find.query>>;
export type Step = WholeRun["steps"][number];
export type Status = Run["status"];

export const STATUSES: Record<Status, { name: string; icon: IconName; tone: "ok" | "bad" | "run" | "warn" | "muted" }> =
  {
    pending: { name: "Running", icon: "loader-circle", tone: "run" },
    waiting: { name: "Waiting", icon: "clock", tone: "warn" },
    finished: { name: "Finished", icon: "circle-check", tone: "ok" },
    error: { name: "Failed", icon: "circle-x", tone: "bad" },
    cancelled: { name: "Cancelled", icon: "ban", tone: "muted" },
  };

export const TRIGGERS: Record<Run["trigger"], { name: string; icon: IconName }> = {
  manual: { name: "By hand", icon: "play" },
  action: { name: "Action", icon: "layout-grid" },
  cron: { name: "Trigger", icon: "calendar-clock" },
};

export const hasEnded = (status: Status): boolean => status !== "pending" && status !== "waiting";

const STEP_ICONS: Record<string, IconName> = {
  transform: "list-checks",
  mutation: "braces",
  connector: "plug",
  record: "database",
  code: "code",
  if: "split",
  switch: "split",
  for_each: "repeat",
  repeat: "repeat",
  wait: "clock",
  approval: "user",
  flow: "workflow",
  return: "corner-down-left",
  fail: "circle-x",
};
export const iconOf = (type: string): IconName => STEP_ICONS[type] ?? "square-dashed";

const number = (value: number, digits = 0) => value.toLocaleString(undefined, { maximumFractionDigits: digits });

/** `14 ms`, `2.6 s`, `3 min 20 s`, `5 h 2 min`, `3 d 4 h` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${number(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${number(seconds, seconds < 10 ? 2 : 1)} s`;
  const units: [size: number, name: string][] = [[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]];
  const whole = Math.round(seconds);
  const first = units.findIndex(([size]) => whole >= size);
  const [size, name] = units[first] ?? [1, "s"];
  const [small, small_name] = units[first + 1] ?? [1, ""];
  const rest = Math.floor((whole % size) / small);
  return `${number(Math.floor(whole / size))} ${name}${rest > 0 && small_name ? ` ${rest} ${small_name}` : ""}`;
}

/** The part of an id that people compare. Ids begin with the time, so their ends differ. */
export const shortId = (id: string): string => id.slice(-8);

export const json = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null";

/** Filters of the list, as the address has them. */
export interface RunFilter {
  status?: Status | undefined;
  flow_code?: string | undefined;
  trigger?: Run["trigger"] | undefined;
  cron_id?: number | undefined;
  user_id?: number | undefined;
  input?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** When a run was created: its id begins with that time. */
export const createdAt = (id: string): number => Number.parseInt(id.slice(0, 13).replace("-", ""), 16);

/** Whether a run that has just changed belongs to a list. Its input is not known. */
export function fits(run: Run, filter: RunFilter): boolean {
  const { status, flow_code, trigger, cron_id, user_id, input, from, to } = filter;
  const made = createdAt(run.id);
  return input === undefined &&
    (status === undefined || run.status === status) &&
    (flow_code === undefined || run.flow_code === flow_code) &&
    (trigger === undefined || run.trigger === trigger) &&
    (cron_id === undefined || run.cron_id === cron_id) &&
    (user_id === undefined || run.user_id === user_id) &&
    (from === undefined || made >= Date.parse(from)) &&
    (to === undefined || made < Date.parse(to));
}

/** Puts changed runs into a list that is sorted by id, newest first. */
export function merged(runs: readonly Run[], changes: readonly Run[], filter: RunFilter): Run[] {
  const known = new Map(runs.map((run) => [run.id, run]));
  for (const run of changes) {
    // A row that does not fit any more stays until the list is read again.
    if (known.has(run.id) || fits(run, filter)) known.set(run.id, run);
  }
  return [...known.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** A moment to the second. */
export const EXACT = timeFormat({
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
