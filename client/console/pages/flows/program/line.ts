/** A step in one line, as its type describes it. */
import { isObject, type Json, type JsonObject } from "./json.ts";
import { textOfValue } from "./value_text.ts";
import type { Field, StepType } from "./types.ts";

export interface Part {
  text: string;
  /** `tpl`: a placeholder, without its braces; `strong`: the name of something. */
  kind: "word" | "tpl" | "strong";
}

const MOST_TEXT = 60;
const MOST_PAIRS = 3;
const NAMES_SOMETHING = ["connector", "method", "database", "table", "flow"];

const cut = (text: string): string => text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;

/** @param nameOf what a code stands for */
export function lineOf(
  step: JsonObject,
  type: (Pick<StepType, "line" | "title"> & { fields: readonly Field[] }) | undefined,
  nameOf: (kind: string, code: string) => string = (_kind, code) => code,
): Part[] {
  if (!type) {
    return [{ text: typeof step.type === "string" && step.type ? step.type : "A step without a type", kind: "word" }];
  }
  if (typeof step.name === "string" && step.name) return [{ text: step.name, kind: "word" }];
  const parts: Part[] = [];
  for (const [piece, optional] of type.line.matchAll(/\[([^\]]*)\]|[^[]+/g)) {
    const pattern = optional ?? piece;
    const keys = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key);
    if (optional !== undefined && keys.some((key) => isBlank(step[key]))) continue;
    for (const [, word, key] of pattern.matchAll(/([^{}]+)|\{(\w+)\}/g)) {
      if (key === undefined) parts.push({ text: word ?? "", kind: "word" });
      else parts.push(...valueParts(step[key] ?? defaultOf(type, key), kindOf(type, key), nameOf));
    }
  }
  const [first] = parts;
  if (first) parts[0] = { ...first, text: first.text.trimStart() };
  if (first?.kind === "word" && first.text) {
    parts[0] = {
      kind: "word",
      text: first.text.trimStart().replace(/^./, (letter) => letter.toUpperCase()),
    };
  }
  return parts.length > 0 ? parts : [{ text: type.title, kind: "word" }];
}

const fieldOf = ({ fields }: { fields: readonly Field[] }, key: string) => fields.find((field) => field.key === key);
const kindOf = (type: { fields: readonly Field[] }, key: string): string => fieldOf(type, key)?.kind ?? "json";
const defaultOf = (type: { fields: readonly Field[] }, key: string): Json | undefined => fieldOf(type, key)?.default;

const isBlank = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === "" || typeof value === "object" && Object.keys(value).length === 0;

function valueParts(value: Json | undefined, kind: string, nameOf: (kind: string, code: string) => string): Part[] {
  if (value === undefined || value === "") return [{ text: "…", kind: "word" }];
  if (NAMES_SOMETHING.includes(kind)) return [{ text: nameOf(kind, String(value)), kind: "strong" }];
  if (typeof value === "string") return templateParts(value);
  if (!isObject(value)) return [{ text: cut(textOfValue(value)), kind: "word" }];
  const pairs = Object.entries(value);
  const shown = pairs.slice(0, MOST_PAIRS).flatMap(([name, part], index): Part[] => [
    ...index > 0 ? [{ text: ", ", kind: "word" as const }] : [],
    { text: name, kind: "strong" },
    { text: " ", kind: "word" },
    ...typeof part === "string" ? templateParts(part) : [{ text: cut(textOfValue(part)), kind: "word" as const }],
  ]);
  return pairs.length > MOST_PAIRS
    ? [...shown, { text: ` and ${pairs.length - MOST_PAIRS} more`, kind: "word" }]
    : shown;
}

/** The placeholders of a text, without their braces, and what stands between them. */
export function templateParts(text: string): Part[] {
  const parts: Part[] = [];
  let between = "";
  const flush = () => {
    if (between) parts.push({ text: cut(between), kind: "word" });
    between = "";
  };
  for (
    const [found, double, inner, rest] of text.matchAll(
      /(\{\{|\}\})|\{((?:[^{}"]|"[^"]*"|\{[^{}]*\})+)\}|([^{}]+|[{}])/g,
    )
  ) {
    if (inner === undefined) between += double ? found[0] : rest ?? "";
    else {
      flush();
      parts.push({ text: cut(inner), kind: "tpl" });
    }
  }
  flush();
  return parts;
}
