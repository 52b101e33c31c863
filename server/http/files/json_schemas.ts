/** `GET /schemas/flow.json`: the JSON Schema of a flow's program, for editors. What is checked at save is the same zod schema. */
import type { Hono } from "hono";
import { z } from "zod";
import { StepList } from "../../flow/flow.ts";
import { FOR_EVERYONE } from "./assets.ts";
import { type Env, mountOthers } from "../rest/rest.ts";
import { respond, type Variants, variantsOf } from "./variants.ts";

export function mountSchemas(app: Hono<Env>): void {
  let flow: Variants | undefined;
  app.get("/schemas/flow.json", (c) => {
    flow ??= variantsOf(JSON.stringify(flowSchema()), "application/json; charset=utf-8");
    return respond(c.req.raw, flow, "public, no-cache", FOR_EVERYONE);
  });
  mountOthers(app, "/schemas/flow.json", ["GET"]);
}

/** JSON Schema 2020-12. Templates may be any JSON. */
export function flowSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(StepList, { io: "input", unrepresentable: "any" });
  return { $schema, title: "Program of a flow", ...schema };
}
