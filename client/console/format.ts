/** Dates, numbers and names as people read them, in the browser's language. */

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const DAY_MS = 86_400_000;

/** Today the time, this week the weekday, this year the day. @param moment ISO 8601 */
export function shortTime(moment: string, now = new Date()): string {
  const date = new Date(moment);
  const days = (midnight(now) - midnight(date)) / DAY_MS;
  if (days < 0.5) return TIME.format(date);
  if (days < 6.5) return WEEKDAY.format(date);
  return (date.getFullYear() === now.getFullYear() ? DAY : DATE).format(date);
}

const midnight = (date: Date) => new Date(date).setHours(0, 0, 0, 0);

export const exactTime = (moment: string): string => EXACT.format(new Date(moment));

/** `34.2 KB` */
export const bytes = (count: number): string =>
  count < 1000 ? `${count} B` : `${(count / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} KB`;

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
