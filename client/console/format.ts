/** Dates, numbers and names as people read them, in the browser's language. */

/**
 * How moments with a time of day are written: by the browser's language, with hours from 0 to 23 in every language, as
 * the server's sentences on schedules have them.
 */
export const timeFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(undefined, { ...options, hourCycle: "h23" });

const TIME = timeFormat({ hour: "2-digit", minute: "2-digit" });
const SECOND = timeFormat({ timeStyle: "medium" });
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const EXACT = timeFormat({ dateStyle: "full", timeStyle: "medium" });
const DAY_MS = 86_400_000;

/** The time of day, such as `18:30`. */
export const clock = (date: Date): string => TIME.format(date);

/** The time of day with seconds, such as `18:30:05`. */
export const exactClock = (date: Date): string => SECOND.format(date);

/** Of a moment in the past: today the time, this week the weekday, this year the day. @param moment ISO 8601 */
export function shortTime(moment: string, now = new Date()): string {
  const date = new Date(moment);
  const days = (midnight(now) - midnight(date)) / DAY_MS;
  if (days < 0.5) return TIME.format(date);
  if (days < 6.5) return WEEKDAY.format(date);
  return (date.getFullYear() === now.getFullYear() ? DAY : DATE).format(date);
}

const midnight = (date: Date) => new Date(date).setHours(0, 0, 0, 0);

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
/** Who was seen within this time is here. */
const HERE_MS = 3 * 60_000;

export const isHere = (moment: string | null, now = Date.now()): boolean =>
  moment !== null && now - Date.parse(moment) < HERE_MS;

/** `now`, `12 minutes ago`, `2 hours ago`, `yesterday`; before that as `shortTime`. */
export function ago(moment: string, now = new Date()): string {
  if (isHere(moment, now.getTime())) return "now";
  const date = new Date(moment);
  const minutes = (now.getTime() - date.getTime()) / 60_000;
  if (minutes < 60) return AGO.format(-Math.round(minutes), "minute");
  const days = Math.round((midnight(now) - midnight(date)) / DAY_MS);
  if (days === 0) return AGO.format(-Math.round(minutes / 60), "hour");
  return days === 1 ? AGO.format(-1, "day") : shortTime(moment, now);
}

/** `3 apps` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** `a, b and c` */
export const joined = (words: readonly string[]): string =>
  new Intl.ListFormat(undefined, { type: "conjunction" }).format(words);

export const exactTime = (moment: string): string => EXACT.format(new Date(moment));

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** `34.2 KiB`. The limits of the server are such multiples of 1,024. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 100 ? 1 : 0 })} ${UNITS[unit]}`;
}

export const ENGINE_NAMES = {
  svelte: "Svelte",
  vue: "Vue",
  react: "React",
  js: "JavaScript",
  html: "HTML",
  kaboom: "Kaboom",
  phaser: "Phaser",
} as const;

export const CSS_NAMES = {
  none: "No CSS engine",
  tailwind: "Tailwind",
  tailwind_all: "Tailwind, all classes",
} as const;

export const initials = (name: string): string =>
  name.split(/\s+/).filter(Boolean).map((word) => word[0]).join("").slice(0, 2).toUpperCase();

/** The hue of an avatar, the same for the same name. */
export const hueOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
