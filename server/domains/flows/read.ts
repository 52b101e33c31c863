/** Reading one flow. */
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { notFound } from "../../errors.ts";
import { findFlow } from "./queries.ts";
import type { Flow } from "./schema.ts";
import { warningsOf, warningsOfFailure, warningsOfSecrets } from "./warnings.ts";

/** The flow with the warnings about its program. @throws {Refusal} 404 */
export async function readFlow(ctx: Context, id: number): Promise<Json<Flow>> {
  const flow = await findFlow(ctx.sql, ctx.viewer, id);
  if (!flow) throw notFound("Flow");
  const { fields, on_failure, department_id, input, secret_inputs } = flow.parse();
  const warnings = {
    ...await warningsOf(ctx, { program: fields.program, department_id }),
    ...on_failure !== null && await warningsOfFailure(ctx, on_failure),
    ...warningsOfSecrets(input, secret_inputs),
  };
  // Appends to the stored text: parsing and writing it again would move numeric keys of the program to the front.
  return new Json(`${flow.text.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`);
}
