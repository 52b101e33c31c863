/**
 * Templates of connector methods: `{name}` and `{a.b.0}` are replaced by parameters of the call, `{{` is a literal `{`.
 * A text that consists of one placeholder keeps the JSON type of its value.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { ConnectorFault } from "../call/fault.ts";

export type Params = Readonly<Record<string, JsonValue>>;

/** A parameter that a template needs is missing or does not fit its position. */
export class ParamFault extends ConnectorFault {
  /** @param param dotted, as written in the template */
  constructor(readonly param: string, readonly fault: string) {
    super("invalid", `the parameter ${param} ${fault}`);
  }
}

const NAME = String.raw`[A-Za-z_]\w*(?:\.\w+)*`;
const PART = new RegExp(String.raw`\{\{|\{(${NAME})\}|\{`, "g");
const WHOLE = new RegExp(String.raw`^\{(${NAME})\}$`);

/** @returns the reason why the template is refused, in Rails' wording */
export function templateFault(template: string): string | undefined {
  for (const [part] of template.matchAll(PART)) {
    if (part === "{") return "has a { that begins no {name}; the sign itself is written {{";
  }
}

/** Names of the parameters that the texts inside `template` use. Repeated names are kept. */
export function paramsIn(template: JsonValue | undefined): string[] {
  if (typeof template === "string") {
    return [...template.matchAll(PART)].flatMap(([, name]) => name?.split(".").slice(0, 1) ?? []);
  }
  return typeof template === "object" && template !== null ? Object.values(template).flatMap(paramsIn) : [];
}

/** Characters that may still be added to one request. Bounds what a small template makes of large parameters. */
export interface Room {
  left: number;
}

export const newRoom = (): Room => ({ left: 4 * 1024 * 1024 });

function take(room: Room, length: number): void {
  room.left -= length;
  if (room.left < 0) throw new ConnectorFault("invalid", "the parameters make a request that is too large");
}

/** Takes about the length of the value's JSON. @throws {ConnectorFault} as soon as the room is used up */
function takeValue(room: Room, value: JsonValue): void {
  take(room, typeof value === "string" ? value.length + 2 : 5);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) take(room, key.length);
    takeValue(room, inner);
  }
}

/** @throws {ParamFault} if a parameter is missing */
export const fillText = (template: string, params: Params, room = newRoom()): string =>
  fillWith(
    template,
    params,
    (value) => {
      if (typeof value !== "object" || value === null) return `${value ?? ""}`;
      // Checks the size before JSON.stringify, on a copy: `fillWith` takes the text's length itself.
      takeValue({ ...room }, value);
      return JSON.stringify(value);
    },
    room,
  );

/**
 * @param format writes a value for its place in the text; the text around placeholders is not changed
 * @throws {ParamFault} if a parameter is missing
 */
export function fillWith(
  template: string,
  params: Params,
  format: (value: JsonValue, name: string) => string,
  room = newRoom(),
): string {
  return template.replace(PART, (part, name?: string) => {
    if (name === undefined) return part === "{{" ? "{" : part;
    const text = format(valueAt(name, params), name);
    take(room, text.length);
    return text;
  });
}

/** Fills every text inside `template`; keys are not filled. @throws {ParamFault} if a parameter is missing */
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

function valueAt(name: string, params: Params): JsonValue {
  let value: JsonValue | undefined = params;
  for (const key of name.split(".")) value = ownValue(value, key);
  if (value === undefined) throw new ParamFault(name, "is missing");
  return value;
}

/** Own properties only: a template must not reach prototypes. */
function ownValue(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return value[key];
}
