import { z } from "zod";
import { invalid } from "../../../errors.ts";
import { readObject } from "../procedures.ts";
import { AnyId, JsonMap, keyOf, needed, tool, untrusted } from "../tool.ts";

export const run = tool({
  name: "run",
  description:
    "Run a flow (id: number), call an app's action, fire a trigger, retry or cancel a run. dry_run (flows): " +
    "calls get recorded answers, nothing is stored; answers the steps.",
  input: z.object({
    what: z.enum(["flow", "action", "trigger", "retry", "cancel"]),
    id: AnyId,
    action: z.string().optional(),
    input: JsonMap.optional(),
    dry_run: z.boolean().default(false),
  }),
  readOnly: false,
  destructive: true,
  openWorld: true,
  async run({ ctx }, { what, id, action, input, dry_run }) {
    if (dry_run && what !== "flow") throw invalid({ dry_run: ["is for flows only"] });
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
  },
});
