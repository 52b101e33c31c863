/** `flow`: runs another flow and waits for its end. */
import { z } from "zod";
import { Refusal } from "../../../errors.ts";
import { isoOf } from "../../../database/iso_time.ts";
import { findOutcome } from "../../storage/history.ts";
import { Templates } from "../../template/template_shape.ts";
import { derivedId } from "../derived_id.ts";
import { StepFault } from "../fault.ts";
import { objectOf, renderKeys } from "../rendered_keys.ts";
import { commonKeys, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";
import { MOST_DAYS } from "./wait.ts";

/** Flows that call each other, the first one included. */
export const MOST_DEEP = 5;

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("flow"),
    ...commonKeys(steps),
    flow_code: z.string().regex(/^[a-z0-9_]{1,100}$/, "is not the code of a flow").describe(
      "The flow that is run. It must be active, and this flow's author must see it",
    ).meta({ "x-kind": "flow" }),
    input: Templates.default({}).describe("Its input").meta({ "x-names-of": "flow" }),
  });

type FlowStep = z.output<ReturnType<typeof shape>>;

export const flow = {
  type: "flow",
  about: {
    title: "Run a flow",
    summary: "runs another flow and waits for its data",
    icon: "workflow",
    group: "calls",
    line: "Run {flow_code}[ with {input}]",
    blank: { flow_code: "", input: {} },
  },
  shape,
  templates: ["input"],
  references: ({ flow_code: code }) => [{ kind: "flow", key: "flow_code", code }],
  pause: {
    input: async (step, rendering) => ({
      flow_code: step.flow_code,
      ...await renderKeys(step, ["input"], rendering),
    }),
    async begin({ flow_code }, { input }, { services: { runs }, head, place, reach, secrets, now }) {
      const id = derivedId(head, place);
      const begun = { until: isoOf(now + MOST_DAYS * 86_400_000), awaits: id };
      const depth = (head.parent?.depth ?? 1) + 1;
      if (depth > MOST_DEEP) throw new StepFault(`${flow_code} would be called more than ${MOST_DEEP} flows deep`);
      // A process that died before the run was suspended has started it.
      if (await runs.exists(head.account_id, id)) return begun;
      try {
        await runs.start({
          id,
          account_id: head.account_id,
          flow_code,
          input: objectOf(input),
          secret_texts: secrets,
          trigger: head.trigger,
          trigger_data: head.trigger_data,
          user_id: head.user_id,
          grant: head.grant,
          reach,
          after_failure: head.after_failure,
          parent: { id: head.id, depth },
          idempotency_key: `flow:${head.id}:${place}`,
        });
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 503) throw error;
        const said = Object.entries(error.fields ?? {}).map(([name, messages]) => `${name} ${messages.join(", ")}`);
        throw new StepFault(said.join("; ") || error.message);
      }
      return begun;
    },
    async leave({ awaits }, { services: { runs }, head }) {
      if (awaits !== null) await runs.cancel(head.account_id, awaits);
    },
    async end({ flow_code }, { until, awaits }, { services: { sql, runs }, head, now }) {
      const outcome = awaits === null ? undefined : await findOutcome(sql, head.account_id, awaits);
      if (outcome?.status === "finished") return { output: outcome.data, http_status: null };
      if (outcome) {
        const effect = { output: outcome.data, http_status: null };
        throw new StepFault(`${flow_code} failed: ${outcome.error ?? outcome.status}`, undefined, effect);
      }
      if (now >= Date.parse(until)) throw new StepFault(`${flow_code} took longer than ${MOST_DAYS} days`);
      if (awaits === null || !await runs.exists(head.account_id, awaits)) {
        throw new StepFault(`the run of ${flow_code} is gone`);
      }
    },
  },
} satisfies StepType<FlowStep>;
