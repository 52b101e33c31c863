/** Deliveries of webhooks. */
import { deliver } from "../domains/crons/webhooks/deliver.ts";
import { ADDRESS_SECRET, findWebhook } from "../domains/crons/webhooks/secrets.ts";
import { notFound } from "../errors.ts";
import { queryOf } from "./address.ts";
import { jsonAnswer } from "./answers.ts";
import { JSON_TYPE, type PlainRoute } from "./plain_route.ts";
import { readBytes } from "./rest/body.ts";

/** The path whose rest is a secret. */
const HOOKS = "/hooks/";
/** Bytes of a body. */
const MOST_BODY = 256 * 1024;

const PENDING = { flow_process_id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", state: "ran" };

/** The path as the log may have it. */
export const withoutHook = (path: string): string => path.startsWith(HOOKS) ? `${HOOKS}[hidden]` : path;

export const WEBHOOKS: PlainRoute = {
  method: "POST",
  path: `${HOOKS}:secret`,
  name: "deliver_webhook",
  tag: "crons",
  summary: "Deliver an event to a webhook trigger",
  description:
    "The address is a trigger's `webhook_url`. The body, at most 256 KiB, and the headers become the flow's input. 202 has " +
    "`flow_process_id` and `state`, as the trigger's ledger has them; a delivery that has come before has `duplicate` " +
    "and starts no second run. With `answer` `result`, 200 is the flow's data. Counts as a run.",
  callers: "everyone",
  parameters: [{ in: "path", name: "secret", example: "m5Yq3Ykq0p1xg3o1yZJz0o6a8kq2m7s4v9w1x3c5b7n" }],
  body: { [JSON_TYPE]: { shape: {}, example: { order: 17 } } },
  replies: {
    200: { description: "The flow's data", content: { [JSON_TYPE]: { shape: {}, example: { ok: true } } } },
    202: {
      description: "The flow runs or waits, or its `overlap` or the trigger's skips it",
      content: { [JSON_TYPE]: { shape: {}, example: PENDING } },
    },
  },
  refuses: [400, 401, 404, 408, 413, 422, 429, 500, 503],
  async answer(context, { secret = "" }) {
    const { sql, keys, limits, call, body_deadlines } = context;
    const webhook = ADDRESS_SECRET.test(secret) ? await findWebhook(sql, keys, secret) : undefined;
    if (!webhook) throw notFound("Webhook");
    const { account_id, id } = webhook;
    await limits.take("actions", { account_id, viewer: undefined, address: call.address, app_id: `webhook ${id}` });
    const body = await readBytes(call.request, MOST_BODY, body_deadlines);
    const { headers, url } = call.request;
    const delivered = await deliver(context, webhook, { headers, query: queryOf(url), body });
    return jsonAnswer(call, delivered.status, JSON.stringify(delivered.body));
  },
};
