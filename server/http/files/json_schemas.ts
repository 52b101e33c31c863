/** The JSON Schema of a flow's program, for editors. It is made from the zod schema that checks programs at save. */
import { z } from "zod";
import { describeSteps, StepList } from "../../flow/flow.ts";
import { JSON_TYPE, type PlainRoute, UNCHANGED } from "../plain_route.ts";
import { FOR_EVERYONE } from "./assets.ts";
import { respond, variantsOf } from "./variants.ts";

export const FLOW_SCHEMA: PlainRoute = {
  method: "GET",
  path: "/schemas/flow.json",
  name: "read_flow_schema",
  tag: "files",
  summary: "Read the JSON Schema of a flow's program",
  description:
    "JSON Schema 2020-12, for editors. Rules that it cannot express, such as unique ids, are checked at save.",
  callers: "everyone",
  replies: {
    200: { description: "The schema", content: { [JSON_TYPE]: { shape: { type: "object" } } } },
    304: UNCHANGED,
  },
  async answer({ documents, call }) {
    const schema = await documents.find(
      "flow schema",
      () => variantsOf(JSON.stringify(flowSchema()), "application/json; charset=utf-8"),
    );
    return respond(call.request, schema, "public, no-cache", FOR_EVERYONE);
  },
};

/** JSON Schema 2020-12. Templates may be any JSON. */
export function flowSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(StepList, { io: "input", unrepresentable: "any" });
  const types = new Map(describeSteps().map((described) => [described.type, described]));
  const step = schema.$defs?.Step;
  const named = step?.oneOf?.map((shape) => {
    const { title, summary } = types.get(typeOf(shape)) ?? {};
    return { title, description: summary, ...Object(shape) };
  });
  const $defs = { ...schema.$defs, ...named && { Step: { ...step, oneOf: named } } };
  return { $schema, title: "Program of a flow", ...schema, $defs };
}

/** The literal of a step's `type`. */
const typeOf = (shape: unknown): string => Object(Object(Object(shape).properties).type).const;
