/** Describes an expression in English with cronstrue, which gets an equivalent expression where it would be wrong. */
import cronstrue from "cronstrue";
import { type Field, type Fields, type Item, valuesOf } from "./fields.ts";

/** The number of values of a field. A step that does not divide it is shorter at the wrap-around. */
const RANGE = { minute: 60, hour: 24, day: 31, month: 12, weekday: 7 };

export function sentenceOf(fields: Fields): string {
  const minute = simplified(fields.minute, RANGE.minute);
  const hour = simplified(fields.hour, RANGE.hour);
  const month = simplified(fields.month, RANGE.month);
  const say = (day: string, month: string, weekday: string) =>
    cronstrue.toString([minute, hour, day, month, weekday].join(" "), { use24HourTimeFormat: true });
  // If one of the day fields lists every day, the other one restricts nothing, because either is enough.
  if (isWhole(fields.day, RANGE.day) || isWhole(fields.weekday, RANGE.weekday)) return say("*", month, "*");
  const day = fields.day.every ? "*" : named(fields.day, String);
  const weekday = fields.weekday.every ? "*" : named(fields.weekday, (day) => `${day % 7}`);
  if (day === "*" || weekday === "*") return say(day, month, weekday);
  // With two restricted day fields cronstrue says "and", but either is enough: the sentence is put together with "or".
  const base = say("*", "*", "*");
  const tail = (sentence: string) => sentence.slice(base.length);
  const on = tail(say("*", "*", weekday)).replace(/^, (only )?/, "");
  return `${base}${tail(say(day, "*", "*"))}, or ${on}${tail(say("*", month, "*"))}`;
}

const isWhole = ({ every, values }: Field, range: number) => !every && values.size === range;

/** Writes a step that does not divide the range as a list: a step of 59 means minutes 0 and 59, not "every 59 minutes". */
function simplified({ items, values }: Field, range: number): string {
  if (values.size === range) return "*";
  return inOrder(items.flatMap((item) => {
    const own = valuesOf(item);
    const is_regular = item.step === 1 || !item.star || range % item.step === 0;
    return own.length > 1 && is_regular ? [ranged(item)] : own.map(String);
  }));
}

/** Lists single days by name; ranges of days stay ranges. */
const named = ({ items }: Field, name: (value: number) => string): string =>
  inOrder(items.flatMap((item) => {
    const own = valuesOf(item);
    return own.length > 1 && item.step === 1 ? [ranged(item)] : own.map(name);
  }));

function ranged({ from, to, step, star }: Item): string {
  const range = star ? "*" : `${from}-${to}`;
  return step === 1 ? range : `${range}/${step}`;
}

function inOrder(items: string[]): string {
  const unique = [...new Set(items)];
  const isNumber = (item: string) => /^\d+$/.test(item);
  return (unique.every(isNumber) ? unique.toSorted((a, b) => Number(a) - Number(b)) : unique).join(",");
}
