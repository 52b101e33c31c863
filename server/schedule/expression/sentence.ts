/** An expression in words. cronstrue makes the words; what it would get wrong is told to it in another way. */
import cronstrue from "cronstrue";
import { type Field, type Fields, type Item, valuesOf } from "./fields.ts";

/** How many values a field has: a step that does not divide them starts anew before it comes round. */
const AROUND = { minute: 60, hour: 24, day: 31, month: 12, weekday: 7 };

export function sentenceOf(fields: Fields): string {
  const minute = plain(fields.minute, AROUND.minute);
  const hour = plain(fields.hour, AROUND.hour);
  const month = plain(fields.month, AROUND.month);
  const say = (day: string, month: string, weekday: string) =>
    cronstrue.toString([minute, hour, day, month, weekday].join(" "), { use24HourTimeFormat: true });
  // A day that is every day, though restricted by the letter, leaves the other one nothing to say: either is enough.
  if (isWhole(fields.day, AROUND.day) || isWhole(fields.weekday, AROUND.weekday)) return say("*", month, "*");
  const day = fields.day.every ? "*" : named(fields.day, String);
  const weekday = fields.weekday.every ? "*" : named(fields.weekday, (day) => `${day % 7}`);
  if (day === "*" || weekday === "*") return say(day, month, weekday);
  // cronstrue says "and" here.
  const base = say("*", "*", "*");
  const tail = (sentence: string) => sentence.slice(base.length);
  const on = tail(say("*", "*", weekday)).replace(/^, (only )?/, "");
  return `${base}${tail(say(day, "*", "*"))}, or ${on}${tail(say("*", month, "*"))}`;
}

const isWhole = ({ every, values }: Field, around: number) => !every && values.size === around;

/** Every 59 minutes is not what a step of 59 does, which runs at 0 and 59: such a step is written out. */
function plain({ items, values }: Field, around: number): string {
  if (values.size === around) return "*";
  return inOrder(items.flatMap((item) => {
    const own = valuesOf(item);
    const goes_round = item.step === 1 || !item.star || around % item.step === 0;
    return own.length > 1 && goes_round ? [ranged(item)] : own.map(String);
  }));
}

/** Days by their names, but for those that follow each other. */
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
