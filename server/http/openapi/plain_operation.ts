/** A route that is no procedure as an OpenAPI operation. */
import { z } from "zod";
import type { Content, Parameter, PlainRoute, Reply, Shape } from "../plain_route.ts";
import { exampleOf } from "./examples.ts";
import { headersOf, referencesTo } from "./refusals.ts";
import { type JsonSchema, schemaOf } from "./schemas.ts";
import { SECURITY } from "./security.ts";

export function plainOperation({ name, tag, callers, refuses = [], ...route }: PlainRoute) {
  const { summary, description, parameters, body, replies } = route;
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    security: SECURITY[callers],
    ...(parameters && { parameters: parameters.map(parameterOf) }),
    ...(body && { requestBody: { required: true, content: contentOf(body, "input") } }),
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, responseOf(reply)])),
      ...referencesTo(refuses),
    },
  };
}

function parameterOf({ in: place, name, required, shape, ...parameter }: Parameter) {
  const { description, ...schema } = shape ? asSchema(shape, "input") : { type: typeof parameter.example };
  return {
    name,
    in: place,
    required: required ?? place === "path",
    description: parameter.description ?? description,
    ...(schema.type === "object" && { style: "deepObject", explode: true }),
    schema,
    ...(parameter.example !== undefined && { example: parameter.example }),
  };
}

const responseOf = ({ description, content }: Reply) => ({
  description,
  headers: headersOf("X-Request-Id"),
  ...(content && { content: contentOf(content, "output") }),
});

const contentOf = (content: Record<string, Content>, io: "input" | "output") =>
  Object.fromEntries(
    Object.entries(content).map(([type, { shape = { type: "string" }, example }]) => {
      const schema = asSchema(shape, io);
      const shown = example ?? (shape instanceof z.ZodType ? exampleOf(schema) : undefined);
      return [type, { schema, ...(shown !== undefined && { example: shown }) }];
    }),
  );

const asSchema = (shape: Shape, io: "input" | "output"): JsonSchema =>
  shape instanceof z.ZodType ? schemaOf(shape, io) : shape;
