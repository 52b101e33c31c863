/** What pages say of triggers, their schedules and their ledgers. */
import type { api } from "../../api.ts";
import { timeFormat } from "../../format.ts";
import type { IconName } from "../../parts/icons.ts";

export type Trigger = Awaited<ReturnType<typeof api.crons.find.query>>;
export type ListedTrigger = Awaited<ReturnType<typeof api.crons.list.query>>[number];
export type LedgerRow = Awaited<ReturnType<typeof api.crons.runs.query>>[number];
export type Slots = Awaited<ReturnType<typeof api.crons.slots.query>>[number];
export type Day = Awaited<ReturnType<typeof api.crons.days.query>>[number];
export type SlotState = Slots["slots"][number]["state"];

interface Scheduled {
  kind: string;
  sentence: string;
  timezone: string;
  record: { db_code: string; table_name: string | null } | null;
}

/** `Europe/Warsaw` → `Warsaw` */
export const cityOf = (timezone: string): string => timezone.replace(/^.*\//, "").replaceAll("_", " ");

type NameOf = (db_code: string) => string;
const asCode: NameOf = (code) => code;

/** `At 09:00, Monday to Friday, Warsaw` */
export const wordsOf = (trigger: Scheduled, databaseOf = asCode): string =>
  trigger.kind === "flow" ? `${startOf(trigger)}, ${cityOf(trigger.timezone)}` : startOf(trigger, databaseOf);

/** `At 09:00, Monday to Friday`, `When a record of Orders is created`. The server's sentence has the database's code. */
export function startOf({ kind, sentence, record }: Scheduled, databaseOf = asCode): string {
  if (kind === "flow") return plainly(sentence);
  return record ? sentence.replace(`of ${record.db_code}`, () => `of ${databaseOf(record.db_code)}`) : sentence;
}

export const plainly = (sentence: string): string => sentence.replaceAll(" through ", " to ");

export const nameOf = (trigger: Scheduled & { name: string | null }, databaseOf = asCode): string =>
  trigger.name ?? wordsOf(trigger, databaseOf);

export const STATES: Record<
  SlotState,
  { name: string; icon: IconName; tone: "ok" | "bad" | "run" | "warn" | "muted" }
> = {
  ran: { name: "Ran", icon: "circle-check", tone: "ok" },
  late: { name: "Ran late", icon: "clock", tone: "warn" },
  queued: { name: "Queued", icon: "layers", tone: "run" },
  skipped: { name: "Skipped", icon: "ban", tone: "muted" },
  missed: { name: "Missed", icon: "minus", tone: "bad" },
  failed: { name: "Failed", icon: "circle-x", tone: "bad" },
};

/** A row of the ledger as strips and lists show it. */
export const stateOf = ({ state, outcome }: LedgerRow): SlotState =>
  outcome === "error" && (state === "ran" || state === "late") ? "failed" : state;

export const OVERLAPS = {
  skip: "The next one is skipped",
  allow: "The next one runs beside it",
  queue: "The next one waits",
} as const;

/** `1 hour`, `90 seconds`, `2 days` */
export function seconds(count: number): string {
  const units: [size: number, name: string][] = [[86_400, "day"], [3_600, "hour"], [60, "minute"], [1, "second"]];
  const [size, name] = units.find(([size]) => count >= size && count % size === 0) ?? [1, "second"];
  return `${(count / size).toLocaleString()} ${name}${count === size ? "" : "s"}`;
}

/** The zone of the browser. */
export const HERE: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const SHORT = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timezone} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    // A zone that this browser does not know is shown in UTC.
    try {
      format = timeFormat({ ...options, timeZone: timezone });
    } catch {
      format = timeFormat({ ...options, timeZone: "UTC" });
    }
    formats.set(key, format);
  }
  return format;
}

/** `09:00` */
export const timeIn = (moment: string, timezone: string): string =>
  formatOf(timezone, { hour: "2-digit", minute: "2-digit" }).format(new Date(moment));

/** `Mon 23 Nov` */
export const dayIn = (moment: string, timezone: string): string =>
  formatOf(timezone, { weekday: "short", day: "numeric", month: "short" }).format(new Date(moment));

/** `Mon` within a week, `23 Nov` otherwise */
export const shortDayIn = (moment: string, timezone: string, now = Date.now()): string =>
  Math.abs(Date.parse(moment) - now) < 6 * 86_400_000
    ? formatOf(timezone, { weekday: "short" }).format(new Date(moment))
    : formatOf(timezone, { weekday: "short", day: "numeric", month: "short" }).format(new Date(moment));

/** `today`, `tomorrow`, `Wed 25 Nov`, by the calendar of the browser */
export function whenHere(moment: string, now = Date.now()): string {
  const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(Date.parse(moment)) - midnight(now)) / 86_400_000);
  return days === 0 || days === 1 ? RELATIVE.format(days, "day") : dayIn(moment, HERE);
}

/** `Monday, 23 November 2026` */
export const longDayIn = (moment: string, timezone: string): string =>
  formatOf(timezone, { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(new Date(moment));

/** `GMT+1` */
export const offsetIn = (moment: string, timezone: string): string =>
  formatOf(timezone, { timeZoneName: "shortOffset" }).formatToParts(new Date(moment))
    .find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "UTC") ?? "";

/** `in 8 minutes`, `in 13 hours`, `in 12 days`; `now` when it is due */
export function until(moment: string, { short = false, now = Date.now() } = {}): string {
  const format = short ? SHORT : RELATIVE;
  const minutes = (Date.parse(moment) - now) / 60_000;
  if (minutes < 0.5) return "now";
  if (minutes < 60) return format.format(Math.round(minutes), "minute");
  if (minutes < 36 * 60) return format.format(Math.round(minutes / 60), "hour");
  return format.format(Math.round(minutes / 1_440), "day");
}

/** The values that differ from those that are saved. */
export const differing = <Values extends object>(values: Values, saved: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(Reflect.get(saved, name))
    ),
  ) as Partial<Values>;
