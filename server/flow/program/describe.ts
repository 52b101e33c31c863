/**
 * Descriptions of the step types for editors, made from the shapes that check programs. An editor that follows them needs
 * no code of its own for a new type.
 */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { STEP_TYPES, StepShape } from "../steps/registry.ts";
import type { About, StepType } from "../steps/step_type.ts";

/** What a key holds. `values` are templates by name, `cases` lists of steps by name, `json` is any JSON. */
export const FIELD_KINDS = [
  "text",
  "number",
  "boolean",
  "choice",
  "choices",
  "texts",
  "numbers",
  "values",
  "condition",
  "code",
  "connector",
  "method",
  "database",
  "table",
  "flow",
  "object",
  "steps",
  "cases",
  "json",
] as const;
type FieldKind = (typeof FIELD_KINDS)[number];

/** What a step names, and whose own names belong into a key: a method's parameters, a database's fields, a flow's inputs. */
export const NAMES_OF = ["method", "database", "flow"] as const;
type NamesOf = (typeof NAMES_OF)[number];

export interface StepField {
  key: string;
  kind: FieldKind;
  required: boolean;
  /** Whether strings in it are templates. */
  template: boolean;
  /** Whether steps of every type have the key. */
  common: boolean;
  description: string | null;
  default?: JsonValue | undefined;
  /** Of `choice` and `choices`. */
  options?: string[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  /** Of values by name. */
  names_of?: NamesOf | undefined;
  /** The values of the step's `action` that use the key; undefined if all do. */
  actions?: string[] | undefined;
  /** Of `object`. */
  fields?: StepField[] | undefined;
}

export interface DescribedType extends About {
  type: string;
  fields: StepField[];
  /** Whether the run ends with such a step. */
  ends_run: boolean;
  /** Whether such a step asks or changes something outside of the run. */
  asks_outside: boolean;
  /** Whether a run may wait for long at such a step. */
  waits: boolean;
}

/** The part of JSON Schema that shapes of steps become. */
interface Schema {
  $ref?: string;
  type?: string;
  const?: string;
  enum?: string[];
  default?: JsonValue;
  description?: string;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
  "x-kind"?: FieldKind;
  "x-names-of"?: NamesOf;
  "x-actions"?: string[];
}

/** Keys that make sense for steps with attempts only. */
const OF_ATTEMPTS = ["timeout", "retry"];
const COMMON = ["id", "name", "timeout", "retry", "on_error", "catch", "disabled"];

/** In the order of the registry. */
export function describeSteps(): DescribedType[] {
  const root: { $defs?: Record<string, Schema> } = JSON.parse(
    JSON.stringify(z.toJSONSchema(StepShape, { io: "input", unrepresentable: "any" })),
  );
  const defs = root.$defs ?? {};
  const schemas = new Map(defs.Step?.oneOf?.map((schema) => [schema.properties?.type?.const, schema]));
  return STEP_TYPES.map((type) => {
    const { properties = {}, required = [] } = schemas.get(type.type) ?? {};
    const fields = Object.entries(properties)
      .filter(([key]) => key !== "type" && (type.effect !== undefined || !OF_ATTEMPTS.includes(key)))
      .map(([key, schema]) => fieldOf(key, schema, required.includes(key), type, defs));
    return {
      type: type.type,
      ...type.about,
      fields,
      ends_run: type.ends_run ?? false,
      asks_outside: type.pause !== undefined || type.effect !== undefined && !type.effect.computes,
      waits: type.pause !== undefined,
    };
  });
}

function fieldOf(
  key: string,
  written: Schema,
  required: boolean,
  type: StepType | undefined,
  defs: Record<string, Schema>,
): StepField {
  const { $ref = "", ...own } = written;
  const schema: Schema = { ...defs[$ref.replace("#/$defs/", "")], ...own };
  const template = type?.templates.includes(key) ?? false;
  const kind = kindOf(schema, $ref, template, defs);
  const options = schema.enum ?? schema.items?.enum;
  return {
    key,
    kind,
    required,
    template,
    common: COMMON.includes(key),
    description: schema.description ?? null,
    ...schema.default !== undefined && { default: schema.default },
    ...options && { options },
    ...schema["x-names-of"] && { names_of: schema["x-names-of"] },
    ...schema["x-actions"] && { actions: schema["x-actions"] },
    ...kind === "number" && { minimum: schema.minimum, maximum: schema.maximum },
    ...kind === "object" && {
      fields: Object.entries(schema.properties ?? {}).map(([key, field]) =>
        fieldOf(key, field, schema.required?.includes(key) ?? false, undefined, defs)
      ),
    },
  };
}

function kindOf(schema: Schema, $ref: string, template: boolean, defs: Record<string, Schema>): FieldKind {
  const { type, items, additionalProperties, properties } = schema;
  if (schema["x-kind"]) return schema["x-kind"];
  if ($ref.endsWith("/Condition")) return "condition";
  if (isStepList(schema, defs)) return "steps";
  if (schema.enum) return "choice";
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return "number";
  if (type === "string") return "text";
  if (type === "array") {
    if (items?.enum) return "choices";
    if (items?.type === "string") return "texts";
    return items?.type === "integer" ? "numbers" : "json";
  }
  if (type === "object" && properties) return "object";
  if (type === "object" && typeof additionalProperties === "object") {
    if (isStepList(additionalProperties, defs)) return "cases";
    return template ? "values" : "json";
  }
  return "json";
}

function isStepList({ $ref, type, items }: Schema, defs: Record<string, Schema>): boolean {
  const found = $ref === undefined ? undefined : defs[$ref.replace("#/$defs/", "")];
  if (found) return isStepList(found, defs);
  return type === "array" && items?.$ref === "#/$defs/Step";
}
