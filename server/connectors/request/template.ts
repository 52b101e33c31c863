/**
 * Templates of a connector's methods. `{name}` and `{a.b.0}` stand for what the caller gives, `{{` for the sign itself.
 * A text that is one placeholder and nothing else keeps its JSON type.
 */
import { ConnectorFault } from "../connectors.ts";
import type { JsonValue } from "../../input/json_value.ts";

export type Params = Readonly<Record<string, JsonValue>>;

/** A value that a template asks for and the caller has not given, or that does not fit its place. */
export class ParamFault extends ConnectorFault {
  /** @param param dotted, as the template has it */
  constructor(readonly param: string, readonly fault: string) {
    super("invalid", `the parameter ${param} ${fault}`);
  }
}

const NAME = String.raw`[A-Za-z_]\w*(?:\.\w+)*`;
const PART = new RegExp(String.raw`\{\{|\{(${NAME})\}|\{`, "g");
const WHOLE = new RegExp(String.raw`^\{(${NAME})\}$`);

/** @returns what is wrong with it, in Rails' words */
export function templateFault(template: string): string | undefined {
  for (const [part] of template.matchAll(PART)) {
    if (part === "{") return "has a { that begins no {name}; the sign itself is written {{";
  }
}

/** Which parameters the texts inside ask for. */
export function paramsIn(template: JsonValue | undefined): string[] {
  if (typeof template === "string") {
    return [...template.matchAll(PART)].flatMap(([, name]) => name?.split(".").slice(0, 1) ?? []);
  }
  return typeof template === "object" && template !== null ? Object.values(template).flatMap(paramsIn) : [];
}

/** Characters that may still come, in all of a request; more is none that anybody sends. */
export interface Room {
  left: number;
}

export const newRoom = (): Room => ({ left: 4 * 1024 * 1024 });

function take(room: Room, length: number): void {
  room.left -= length;
  if (room.left < 0) throw new ConnectorFault("invalid", "the parameters make a request that is too large");
}

/** Takes about what the value's JSON is long. @throws {ConnectorFault} before more than that has been looked at */
function takeValue(room: Room, value: JsonValue): void {
  take(room, typeof value === "string" ? value.length + 2 : 5);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) take(room, key.length);
    takeValue(room, inner);
  }
}

/** @throws {ParamFault} where a name has no value */
export const fillText = (template: string, params: Params, room = newRoom()): string =>
  fillWith(
    template,
    params,
    (value) => {
      if (typeof value !== "object" || value === null) return `${value ?? ""}`;
      // Whether it fits is known before it is written; what it takes is counted with the text.
      takeValue({ ...room }, value);
      return JSON.stringify(value);
    },
    room,
  );

/** @param shown how a value stands in the text; what is beside it stays as it is */
export function fillWith(
  template: string,
  params: Params,
  shown: (value: JsonValue, name: string) => string,
  room = newRoom(),
): string {
  return template.replace(PART, (part, name?: string) => {
    if (name === undefined) return part === "{{" ? "{" : part;
    const text = shown(valueAt(name, params), name);
    take(room, text.length);
    return text;
  });
}

/** Fills every text inside; keys stay. @throws {ParamFault} where a name has no value */
export function fillValue(template: JsonValue, params: Params, room = newRoom()): JsonValue {
  if (typeof template === "string") {
    const [, name] = WHOLE.exec(template) ?? [];
    if (name === undefined) return fillText(template, params, room);
    const value = valueAt(name, params);
    takeValue(room, value);
    return value;
  }
  if (Array.isArray(template)) return template.map((item) => fillValue(item, params, room));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillValue(value, params, room)]));
}

/** Own properties only: nothing of a prototype has a name here. */
function valueAt(name: string, params: Params): JsonValue {
  let value: unknown = params;
  for (const key of name.split(".")) value = ownValue(value, key);
  if (value === undefined) throw new ParamFault(name, "is missing");
  return value as JsonValue;
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Array.isArray(value) && !/^\d+$/.test(key) ? undefined : Reflect.get(value, key);
}
