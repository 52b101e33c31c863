/** The types of every procedure's input and output, without the server's own types. */
import { z } from "zod";
import { declared, pascal, type Schema, typescriptOf, type Writing } from "../package/typescript_of.ts";
import { flowSchema } from "../../server/http/files/json_schemas.ts";
import type { Route } from "../../server/http/rest/routes.ts";

const HEAD = `/** Every procedure of the API with its input and its answer. Written by \`deno task pack\`. */
import type { CallOptions, List, Schema } from "./index.d.ts";

/** Any JSON. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
`;

export function procedureTypes(routes: readonly Route[]): string {
  const types = new Types();
  const tree: Branch = new Map();
  for (const route of routes) place(tree, route.name.split("."), signature(route, types));
  return [HEAD, stepTypes(), ...types.declarations, `export interface Procedures ${written(tree)}\n`].join("\n");
}

/** Declared types by their text, so that equal ones have one name. */
class Types {
  readonly declarations: string[] = [];
  readonly #names = new Map<string, string>();

  /** @returns the name of the type, or the type itself if it is short */
  nameOf(wanted: string, type: string): string {
    if (!type.includes("\n")) return type;
    if (/^\{\n {2}[^/\n]*;\n\}$/.test(type)) return type.replace(/;?\n\}$/, " }").replace(/\n {2}/, " ");
    const known = this.#names.get(type);
    if (known) return known;
    this.#names.set(type, wanted);
    this.declarations.push(declared(wanted, type));
    return wanted;
  }
}

function signature(route: Route, types: Types): string {
  const { name, meta, input, output } = route;
  const sent = input && typeOf(name, input, "input");
  const is_needed = input !== undefined && !input.safeParse({}).success;
  const named = sent === undefined ? "Record<string, never>" : types.nameOf(`${pascal(name)}Input`, sent);
  const answer = meta.status === 204 || output === undefined || output instanceof z.ZodVoid
    ? "void"
    : output instanceof z.ZodArray
    ? `List<${types.nameOf(`${pascal(name)}Row`, typeOf(name, output.element, "output"))}>`
    : types.nameOf(`${pascal(name)}Answer`, typeOf(name, output, "output"));
  const note = [meta.summary, meta.role && `Role: ${meta.role}.`].filter(Boolean).join(". ");
  return `/** ${note.replaceAll("*/", "* /")} */\n` +
    `(input${is_needed ? "" : "?"}: ${named}, call?: CallOptions): Promise<${answer}>;`;
}

function typeOf(name: string, schema: z.core.$ZodType, io: "input" | "output"): string {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema instanceof z.ZodFile) Object.assign(jsonSchema, { type: "string", format: "binary" });
    },
  });
  return typescriptOf(json as Schema, { ...WRITING, io, property: (key, schema) => special(name, key, schema, io) });
}

/** zod writes free JSON as a recursive schema without a name. */
const WRITING: Writing = { io: "input", named: (name) => name.startsWith("__schema") ? "Json" : name };

/** What the server checks further than its shape says. */
function special(procedure: string, key: string, { type }: Schema, io: "input" | "output"): string | undefined {
  if (key === "program" && type === "array") return io === "input" ? "readonly Step[]" : "Step[]";
  if (key === "schema" && procedure.startsWith("dbs.")) return "Schema";
}

/** The steps of flows' programs: one interface for each type of step. */
function stepTypes(): string {
  const { $defs = {} } = flowSchema() as { $defs?: Record<string, Schema> };
  const { Step, ...others } = $defs;
  const shapes = Step?.oneOf as Schema[];
  const names: string[] = [];
  const steps = shapes.map((shape) => {
    const name = `${pascal(String(shape.properties?.type?.const))}Step`;
    names.push(name);
    return declared(name, typescriptOf(shape, WRITING));
  });
  const rest = Object.entries(others).map(([name, schema]) => declared(name, typescriptOf(schema, WRITING)));
  return [...rest, ...steps, `export type Step = ${names.join(" | ")};\n`].join("\n");
}

type Branch = Map<string, string | Branch>;

function place(branch: Branch, [first = "", ...rest]: string[], leaf: string): void {
  if (rest.length === 0) return void branch.set(first, leaf);
  const known = branch.get(first);
  const next: Branch = known instanceof Map ? known : new Map();
  branch.set(first, next);
  place(next, rest, leaf);
}

function written(branch: Branch): string {
  const lines = [...branch].map(([name, inner]) => {
    if (inner instanceof Map) return `readonly ${name}: ${written(inner)};`;
    const [note = "", call = ""] = inner.split("\n");
    return `${note}\n${name}${call}`;
  });
  return `{\n${lines.join("\n").replace(/^/gm, "  ")}\n}`;
}
