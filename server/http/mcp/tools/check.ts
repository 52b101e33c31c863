import { z } from "zod";
import { warningsOf } from "../../../domains/flows/warnings.ts";
import { Refusal } from "../../../errors.ts";
import { visibleTo } from "../../../visibility.ts";
import { rehearse } from "../changes.ts";
import { readObject } from "../procedures.ts";
import { AnyId, keyOf, needed, tool, untrusted, type Use } from "../tool.ts";

const input = z.object({
  kind: z.enum(["app", "flow"]),
  id: AnyId.optional(),
  source_code: z.string().optional(),
  app_engine: z.string().optional(),
  program: z.array(z.unknown()).optional(),
  run_id: z.string().optional(),
});
type Input = z.output<typeof input>;

export const check = tool({
  name: "check",
  description: "Compile an app's saved or given source, or check a flow's saved or given program with the values of " +
    "its latest run; without id, one that is not saved yet. Answers errors, warnings, sizes, filled templates. Saves " +
    "nothing.",
  input,
  readOnly: true,
  destructive: false,
  async run(use, args) {
    return untrusted(args.kind === "app" ? await checkApp(use, args) : await checkFlow(use, args));
  },
});

async function checkApp(use: Use, { id, source_code, app_engine }: Input) {
  const saved = id === undefined ? undefined : await readObject(use.ctx, "apps.find", { id });
  const source = source_code ?? needed(saved?.source_code, "id");
  const change = {
    procedure: "apps.preview",
    input: { app: { id: id ?? null, source_code: source, app_engine } },
    keep: () => [],
  };
  try {
    const { warnings, sizes } = await rehearse(use, change) ?? {};
    return { compiles: true, warnings, sizes };
  } catch (error) {
    if (!(error instanceof Refusal) || !error.fields) throw error;
    return { compiles: false, errors: error.fields };
  }
}

async function checkFlow(use: Use, { id, program, run_id }: Input) {
  if (id !== undefined) return await readObject(use.ctx, "flows.check", { ...keyOf("flow", id), program, run_id });
  const code = `check_${crypto.randomUUID().replaceAll("-", "")}`;
  const { viewer } = use.ctx;
  const department_id = visibleTo(viewer, null) ? null : viewer.department_ids[0] ?? null;
  const flow = { code, name: code, department_id, fields: { program: needed(program, "program") } };
  try {
    await rehearse(use, { procedure: "flows.create", input: { flow }, keep: () => [] });
  } catch (error) {
    if (!(error instanceof Refusal) || !error.fields) throw error;
    return { errors: error.fields, warnings: {} };
  }
  return { errors: {}, warnings: await warningsOf(use.ctx, { program, department_id }) };
}
