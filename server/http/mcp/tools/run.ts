import { z } from "zod";
import { findCallable } from "../../../domains/apps/actions.ts";
import { invalid } from "../../../errors.ts";
import { startConfirmed } from "../changes.ts";
import { planOfStart, type Start } from "../deleting_runs.ts";
import { readObject } from "../procedures.ts";
import { AnyId, JsonMap, keyOf, needed, tool, type ToolAnswer, untrusted, type Use } from "../tool.ts";

const input = z.object({
  what: z.enum(["flow", "action", "trigger", "retry", "cancel"]),
  id: AnyId,
  action: z.string().optional(),
  input: JsonMap.optional(),
  dry_run: z.boolean().default(false),
  confirmation: z.string().optional(),
});
type Input = z.output<typeof input>;

export const run = tool({
  name: "run",
  description:
    "Run a flow (id: number), call an app's action, fire a trigger, retry or cancel a run. dry_run (flows): " +
    "calls get recorded answers, nothing is stored; answers the steps. Flows that delete records need a confirmation.",
  input,
  readOnly: false,
  destructive: true,
  openWorld: true,
  async run(use, { confirmation, ...args }) {
    if (args.dry_run && args.what !== "flow") throw invalid({ dry_run: ["is for flows only"] });
    const start = args.dry_run ? undefined : await startOf(use, args);
    const plan = start && await planOfStart(use, start);
    if (!plan) return await begin(use, args);
    return await startConfirmed(use, { tool: "run", args, plan, confirmation }, () => begin(use, args));
  },
});

/**
 * Reads with the caller's rights, so that a plan says nothing of what the caller may not see.
 *
 * @returns undefined where no run begins
 * @throws {Refusal} as the start itself
 */
async function startOf({ ctx }: Use, { what, id, action }: Input): Promise<Start | undefined> {
  switch (what) {
    case "flow":
      return startOfFlow((await readObject(ctx, "flows.find", keyOf("flow", id))).code);
    case "trigger": {
      const trigger = await readObject(ctx, "crons.find", keyOf("trigger", id));
      return { ...startOfFlow(trigger.target_code), trigger };
    }
    case "retry":
      return startOfFlow((await readObject(ctx, "flow_processes.find", { id })).flow_code);
    case "action": {
      const name = needed(action, "action");
      const { flow_code } = await findCallable(ctx, { id: String(id), action_name: name });
      return { flow_code, title: `Run the action ${name}`, is_hidden: true };
    }
    case "cancel":
      return undefined;
  }
}

const startOfFlow = (code: unknown): Start => ({ flow_code: String(code), title: `Run the flow ${code}` });

async function begin({ ctx }: Use, { what, id, action, input, dry_run }: Input): Promise<ToolAnswer> {
  switch (what) {
    case "flow":
      return untrusted(await readObject(ctx, "flows.run", { ...keyOf("flow", id), input, dry_run }));
    case "action":
      return untrusted(
        await readObject(ctx, "apps.call_action", { id, action_name: needed(action, "action"), params: input }),
      );
    case "trigger":
      return untrusted(await readObject(ctx, "crons.fire", { ...keyOf("trigger", id), input }));
    case "retry":
      return untrusted(await readObject(ctx, "flow_processes.retry", { id, input }));
    case "cancel":
      return untrusted(await readObject(ctx, "flow_processes.cancel", { id }));
  }
}
