/** `connector`: calls a method of a connector. */
import { z } from "zod";
import { type ConnectorAnswer, type ConnectorCall, ConnectorFault, headerFault } from "../../connectors/connectors.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { asStored } from "../storage/storable.ts";
import { after } from "../template/rendering.ts";
import { Template, Templates, TextTemplate } from "../template/template_shape.ts";
import { StepFault } from "./fault.ts";
import { collectPages, pageParam, Paginate } from "./paginate.ts";
import { Pick, pickParts } from "./pick.ts";
import { objectOf, renderKeys } from "./rendered_keys.ts";
import { commonKeys, line, type StepListShape } from "./step.ts";
import type { EffectCall, StepType } from "./step_type.ts";

const HeaderName = z.string().superRefine((name, ctx) => {
  const message = headerFault(name);
  if (message) ctx.addIssue({ code: "custom", message });
});

/** `query` and `body` replace the method's own. `headers` are sent in addition to the method's own. */
const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("connector"),
    ...commonKeys(steps),
    connector_code: z.string().regex(/^[a-z0-9_]{1,100}$/, "is not the code of a connector").meta({
      "x-kind": "connector",
    }),
    method: line(100).refine((name) => !/[{}]/.test(name), "is not the name of a method").meta({ "x-kind": "method" }),
    params: Templates.default({}).meta({ "x-names-of": "method" }),
    query: Templates.optional(),
    headers: z.record(HeaderName, TextTemplate).optional(),
    body: Template.optional(),
    paginate: Paginate.optional().describe(
      "Follows the answer's pages, each with the step's timeout. The output is the list of what `collect` finds in all " +
        "pages, to which `pick` applies. The pages together have at most the size of one answer",
    ),
    pick: Pick.optional(),
  });

type ConnectorStep = z.output<ReturnType<typeof shape>>;

/**
 * A run's context holds 1 MiB without the escapes and the white space of an answer, so more would be read in vain, unless
 * the step picks parts of it.
 */
const MOST_ANSWER_BYTES = 2 * 1024 * 1024;
const MOST_PICKED_BYTES = 10 * 1024 * 1024;

const TEMPLATES = ["params", "query", "headers", "body"];

export const connector = {
  type: "connector",
  about: {
    title: "Call a connector",
    summary: "calls a method of another service",
    icon: "plug",
    group: "calls",
    line: "Call {connector_code}: {method}[ with {params}]",
    blank: { connector_code: "", method: "", params: {} },
  },
  shape,
  templates: TEMPLATES,
  sets_json_object: true,
  references: ({ connector_code: code, method, params, query, body, paginate }) => {
    const names = [...Object.keys(params), ...pageParam(paginate)];
    return [{ kind: "connector", key: "connector_code", code, method, params: names, query, body }];
  },
  effect: {
    input: (step, rendering) =>
      after(renderKeys(step, TEMPLATES, rendering), (rendered) => ({
        connector_code: step.connector_code,
        method: step.method,
        ...rendered,
        ...step.paginate && { paginate: step.paginate },
        ...step.pick && { pick: step.pick },
      })),
    async perform(step, input, call) {
      try {
        const { status, body, headers } = await answerOf(step, input, call);
        // Templates must see the same value now and after a takeover, when it is read from the journal.
        const kept = step.pick ? pickParts(body, step.pick, call.warn) : body;
        return { output: asStored(kept), http_status: status, headers };
      } catch (error) {
        call.signal.throwIfAborted();
        throw error instanceof ConnectorFault ? stepFaultOf(error) : error;
      }
    },
    waits_for_others: true,
    isTransaction: () => false,
  },
} satisfies StepType<ConnectorStep>;

function answerOf(step: ConnectorStep, input: JsonObject, call: EffectCall): Promise<ConnectorAnswer> {
  const { paginate, pick } = step;
  const { services: { connectors }, stopClock, warn } = call;
  const first = callOf(step, input, call);
  if (!paginate) return connectors.call(first);
  const most_bytes = pick ? MOST_PICKED_BYTES : MOST_ANSWER_BYTES;
  return collectPages({ paginate, first, most_bytes, send: (one) => connectors.call(one), stopClock, warn });
}

function callOf(
  { connector_code, method, timeout, pick }: ConnectorStep,
  { params, query, headers, body }: JsonObject,
  { head, place, reach, noteRequest, signal, startClock }: EffectCall,
): ConnectorCall {
  return {
    account_id: head.account_id,
    reach,
    connector_code,
    method,
    run_id: head.id,
    params: objectOf(params),
    query: query === undefined ? undefined : objectOf(query),
    headers: headers === undefined ? undefined : headersOf(headers),
    body,
    // An action that a visitor calls may use public methods only.
    public_only: head.user_id === null && head.trigger === "action",
    // The same for every attempt, also after a takeover by another process.
    idempotency_key: `${head.id}:${place}`,
    timeout_ms: timeout * 1000,
    sends: noteRequest,
    begins: startClock,
    signal,
    most_bytes: pick ? MOST_PICKED_BYTES : MOST_ANSWER_BYTES,
  };
}

function stepFaultOf({ kind, message, answer }: ConnectorFault): StepFault {
  const effect = {
    output: asStored(answer?.body ?? null),
    http_status: answer?.status ?? null,
    headers: answer?.headers,
  };
  const cause = kind === "status" ? answer?.status : kind === "network" || kind === "timeout" ? kind : undefined;
  return new StepFault(message, cause, effect, retryAfterMs(answer?.headers["retry-after"], Date.now()));
}

/** @param value a number of seconds, or a date; of several numbers the first counts. @returns 0 for what is neither */
export function retryAfterMs(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const seconds = /^\s*(\d{1,9})\s*(?:,|$)/.exec(value)?.[1];
  const ms = seconds === undefined ? Date.parse(value) - now : Number(seconds) * 1000;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

const headersOf = (value: JsonValue): Record<string, string> =>
  Object.fromEntries(
    Object.entries(objectOf(value)).filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
