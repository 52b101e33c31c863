/** The answers of people that a run has got, in words. */
import type { Step } from "./runs.ts";

export interface Answered {
  place: string;
  question: string;
  /** Undefined if nobody has answered in time. */
  choice: string | undefined;
  /** Undefined for an answer by the link. */
  by: { id: number; name: string } | undefined;
  at: string | undefined;
  values: { label: string; text: string }[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `not_now` → `Not now` */
export const worded = (choice: string): string => choice.charAt(0).toUpperCase() + choice.slice(1).replaceAll("_", " ");

/**
 * A number as people type it, with a point or a comma. `1,234` may be either in English or in German, so it is none.
 */
export function numberOf(text: string): number | undefined {
  if (/^\s*-?\d{1,3}(?:,\d{3})+\s*$/.test(text)) return undefined;
  const number = Number(text.replace(",", "."));
  return Number.isFinite(number) ? number : undefined;
}

/** The questions of a run that were answered or have expired, in the order of the steps. */
export function answersOf(steps: readonly Step[], program: readonly unknown[] = []): Answered[] {
  return steps.flatMap(({ type, status, place, id, input, output }): Answered[] => {
    if (type !== "approval" || status !== "finished" || !isObject(output)) return [];
    const { choice, values, answered_by: by, answered_at: at } = output;
    const question = isObject(input) && typeof input.question === "string" ? input.question : "";
    const form = formOf(program, id);
    return [{
      place,
      question: question || id,
      choice: typeof choice === "string" ? choice : undefined,
      by: isObject(by) && typeof by.id === "number" ? { id: by.id, name: String(by.name ?? "") } : undefined,
      at: typeof at === "string" ? at : undefined,
      values: Object.entries(isObject(values) ? values : {}).map(([name, value]) => ({
        label: labelIn(form, name),
        text: value === true
          ? "yes"
          : value === false
          ? "no"
          : typeof value === "string"
          ? value
          : JSON.stringify(value),
      })),
    }];
  });
}

/** The form of the question with this id, wherever it is in the program. */
function formOf(value: unknown, id: string): unknown {
  if (Array.isArray(value)) {
    for (const part of value) {
      const found = formOf(part, id);
      if (found !== undefined) return found;
    }
  } else if (isObject(value)) {
    return value.type === "approval" && value.id === id ? value.form : formOf(Object.values(value), id);
  }
  return undefined;
}

function labelIn(form: unknown, name: string): string {
  const field = isObject(form) && Object.hasOwn(form, name) ? form[name] : undefined;
  return isObject(field) && typeof field.label === "string" ? field.label : name;
}
