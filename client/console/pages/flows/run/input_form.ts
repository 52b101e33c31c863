/** The form of a run: from the flow's declared input, or from the names that its first mutation declares. */
import { isObject, type Json, type JsonObject } from "../program/json.ts";
import { textOfValue, valueOfText } from "../program/value_text.ts";

export interface InputField {
  name: string;
  kind: "text" | "number" | "boolean" | "choice" | "date" | "json" | "any";
  title: string;
  description: string;
  required: boolean;
  initial: string;
  options: string[];
  secret: boolean;
}

/** Undefined where the flow declares nothing: then its input is JSON. */
export function inputFields(flow: object, program: Json): InputField[] | undefined {
  const schema: unknown = Reflect.get(flow, "input");
  const secret: unknown = Reflect.get(flow, "secret_inputs");
  const secrets = Array.isArray(secret) ? secret.map(String) : [];
  if (isObject(schema) && isObject(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(schema.properties).map(([name, property]) =>
      declared(name, isObject(property) ? property : {}, required.includes(name), secrets.includes(name))
    );
  }
  if (isObject(schema)) return undefined;
  const first = Array.isArray(program)
    ? program.find((step) => isObject(step) && step.type === "mutation" && step.disabled !== true)
    : undefined;
  const set = isObject(first) ? first.set : undefined;
  if (!isObject(set) || Object.keys(set).length === 0) return undefined;
  return Object.entries(set).map(([name, value]) => ({
    name,
    kind: typeof value === "number" ? "number" : "any",
    title: name,
    description: "",
    required: false,
    // What is computed is left to the flow.
    initial: JSON.stringify(value).includes("{") ? "" : textOfValue(value),
    options: [],
    secret: secrets.includes(name),
  }));
}

function declared(name: string, property: JsonObject, required: boolean, secret: boolean): InputField {
  const { type, format, title, description } = property;
  const options = Array.isArray(property.enum) ? property.enum.map(textOfValue) : [];
  const kind = options.length > 0
    ? "choice"
    : type === "boolean"
    ? "boolean"
    : type === "number" || type === "integer"
    ? "number"
    : type === "string"
    ? format === "date" ? "date" : "text"
    : type === undefined
    ? "any"
    : "json";
  const initial = property.default;
  return {
    name,
    kind,
    title: typeof title === "string" ? title : name,
    description: typeof description === "string" ? description : "",
    required,
    initial: initial === undefined ? "" : kind === "text" || kind === "date" ? String(initial) : textOfValue(initial),
    options,
    secret,
  };
}

/** The input of the filled form. What is empty and not required is left out. */
export function inputOf(fields: readonly InputField[], texts: Readonly<Record<string, string>>): JsonObject {
  const input: JsonObject = {};
  for (const { name, kind, required } of fields) {
    const text = texts[name] ?? "";
    if (kind === "boolean") {
      if (text !== "") input[name] = text === "true";
    } else if (text === "") {
      if (required && kind === "text") input[name] = "";
    } else input[name] = kind === "text" || kind === "date" ? text : valueOfText(text);
  }
  return input;
}

/** What is wrong with the texts of the form, by field. The server checks the rest. */
export function faultsOf(
  fields: readonly InputField[],
  texts: Readonly<Record<string, string>>,
): Record<string, string[]> {
  const wrong = fields.filter(({ name, kind }) => {
    const text = (texts[name] ?? "").trim();
    return kind === "number" && text !== "" && typeof valueOfText(text) !== "number";
  });
  return Object.fromEntries(wrong.map(({ name }) => [name, ["must be a number"]]));
}
