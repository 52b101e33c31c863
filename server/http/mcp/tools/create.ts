import { z } from "zod";
import { invalid } from "../../../errors.ts";
import type { Plan } from "../../../domains/agents/schema.ts";
import { warningsOf } from "../../../domains/flows/warnings.ts";
import { type Change, execute, executeConfirmed, keepOne, rehearse, writtenOf } from "../changes.ts";
import { planOfApp, planOfFlow, planOfTrigger } from "../deleting_runs.ts";
import { recordChange } from "../record_changes.ts";
import { JsonMap, KINDS, needed, ObjectKind, tool, trusted, type Use } from "../tool.ts";

const input = z.object({
  kind: ObjectKind,
  value: JsonMap.optional(),
  db_code: z.string().optional(),
  table_name: z.string().optional(),
  records: z.array(JsonMap).min(1).max(50).optional().describe("fields of each"),
  dry_run: z.boolean().default(false),
  confirmation: z.string().optional(),
});

export const create = tool({
  name: "create",
  description: "Create an app, db, flow or trigger from value (its fields: doc app-schema, db-schema, flow-schema, " +
    "trigger-schema), or records in db_code, all or none. dry_run: every check, nothing saved. A confirmation " +
    "is needed where a trigger or a public action would start a flow that deletes records.",
  input,
  readOnly: false,
  destructive: false,
  async run(use, args) {
    const change = await changeOf(use, args);
    if (args.dry_run) await rehearse(use, change);
    const plan = await planOf(use, args);
    if (args.dry_run) {
      const warnings = args.kind === "flow" ? { warnings: await warningsOfFlow(use, args.value) } : {};
      return trusted({ dry_run: true, passes: true, ...warnings, ...plan && { needs_confirmation: plan.effects } });
    }
    const { confirmation, ...call } = args;
    if (plan) return await executeConfirmed(use, { tool: "create", args: call, plan, confirmation }, change);
    const made = await execute(use, change);
    return trusted(
      Array.isArray(made) ? { ids: made.map(({ id }) => id) } : { created: args.kind, ...writtenOf(made) },
    );
  },
});

const warningsOfFlow = ({ ctx }: Use, { fields, department_id }: Record<string, unknown> = {}) =>
  warningsOf(ctx, {
    program: Object(fields ?? { program: [] }).program,
    department_id: typeof department_id === "number" ? department_id : null,
  });

/** @returns undefined where no trigger would delete records that none deletes now */
async function planOf(use: Use, { kind, value = {} }: z.output<typeof input>): Promise<Plan | undefined> {
  if (kind === "flow") return await planOfFlow(use, undefined, value);
  if (kind === "app") return await planOfApp(use, undefined, value);
  if (kind !== "trigger" || value.active === false || typeof value.target_code !== "string") return undefined;
  return await planOfTrigger(use, value.target_code);
}

async function changeOf(
  use: Use,
  { kind, value, db_code, table_name, records }: z.output<typeof input>,
): Promise<Change> {
  if (kind === "record") {
    const list = records ?? [needed(value, "records")];
    const operations = list.map((data) => ({ action: "create" as const, record: { data, table_name } }));
    return await recordChange(use, needed(db_code, "db_code"), operations);
  }
  if (records) throw invalid({ records: ["are for kind record"] });
  const { domain, wrapper } = KINDS[kind];
  return {
    procedure: `${domain}.create`,
    input: { [wrapper]: needed(value, "value") },
    keep: keepOne(kind, null),
  };
}
