/** Schedules by fields: the common ones as a form has them. Others are written as text. */

export type Plan =
  | { every: "minutes"; step: number }
  | { every: "hour"; minute: number }
  | { every: "day"; time: string }
  | { every: "week"; time: string; days: number[] }
  | { every: "month"; time: string; day: number };

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const two = (number: number) => String(number).padStart(2, "0");
const hourAndMinute = (time: string): string => {
  const [hour = "0", minute = "0"] = time.split(":");
  return `${Number(minute)} ${Number(hour)}`;
};

/** A time of day as `09:30`, from `9:30`, `0930`, `9.30`, `9` or `9:30 pm`; undefined if the text is none. */
export function timeOfText(text: string): string | undefined {
  const found = /^(\d{1,2}?)[:. ]?(\d{2})?\s*([ap])?\.?(?:m\.?)?$/i.exec(text.trim());
  if (!found) return undefined;
  const [, hours = "", minutes = "0", half] = found;
  const hour = half ? Number(hours) % 12 + (half.toLowerCase() === "p" ? 12 : 0) : Number(hours);
  if (half && (Number(hours) < 1 || Number(hours) > 12) || hour > 23 || Number(minutes) > 59) return undefined;
  return `${two(hour)}:${two(Number(minutes))}`;
}

/** The five fields of a plan. */
export function written(plan: Plan): string {
  switch (plan.every) {
    case "minutes":
      return plan.step === 1 ? "* * * * *" : `*/${plan.step} * * * *`;
    case "hour":
      return `${plan.minute} * * * *`;
    case "day":
      return `${hourAndMinute(plan.time)} * * *`;
    case "week":
      return `${hourAndMinute(plan.time)} * * ${daysText(plan.days)}`;
    case "month":
      return `${hourAndMinute(plan.time)} ${plan.day} * *`;
  }
}

/** Days from 1, Monday, to 7, Sunday. Neighbours are written as a range. */
function daysText(days: readonly number[]): string {
  const sorted = days.toSorted((a, b) => a - b);
  const ranges: number[][] = [];
  for (const day of sorted) {
    const last = ranges.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else ranges.push([day]);
  }
  const name = (day: number) => NAMES[day % 7];
  return ranges.map((range) =>
    range.length > 2 ? `${name(range[0] ?? 1)}-${name(range.at(-1) ?? 1)}` : range.map(name).join(",")
  ).join(",");
}

/** @returns undefined for a schedule that the form cannot show */
export function planOf(schedule: string): Plan | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...rest] = schedule.trim().split(/\s+/);
  if (rest.length > 0 || month !== "*") return undefined;
  const step = /^\*\/(\d{1,2})$/.exec(minute)?.[1];
  const number = (text: string, most: number) =>
    /^\d{1,2}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
  const [at, hours] = [number(minute, 59), number(hour, 23)];
  if (hour === "*" && day === "*" && weekday === "*") {
    if (minute === "*") return { every: "minutes", step: 1 };
    if (step !== undefined && 60 % Number(step) === 0) return { every: "minutes", step: Number(step) };
    return at === undefined ? undefined : { every: "hour", minute: at };
  }
  if (at === undefined || hours === undefined) return undefined;
  const time = `${two(hours)}:${two(at)}`;
  if (day === "*" && weekday === "*") return { every: "day", time };
  if (day === "*") {
    const days = readDays(weekday);
    return days && { every: "week", time, days };
  }
  const of_month = number(day, 31);
  return weekday === "*" && of_month ? { every: "month", time, day: of_month } : undefined;
}

function readDays(text: string): number[] | undefined {
  const days = new Set<number>();
  for (const part of text.toUpperCase().split(",")) {
    const [from, to = from, ...rest] = part.split("-").map(dayOf);
    if (from === undefined || to === undefined || rest.length > 0 || to < from) return undefined;
    for (let day = from; day <= to; day++) days.add(day);
  }
  return [...days].toSorted((a, b) => a - b);
}

/** Sunday is 7. */
function dayOf(text: string): number | undefined {
  const named = NAMES.indexOf(text);
  const day = named >= 0 ? named : /^[0-7]$/.test(text) ? Number(text) : undefined;
  return day === 0 ? 7 : day;
}
