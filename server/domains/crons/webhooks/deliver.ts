/** A delivery of a webhook: proves its signature, and starts the trigger's flow with what was sent. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Context } from "../../../context.ts";
import { Refusal, unauthorized, unavailable } from "../../../errors.ts";
import { deeperThan, DEPTH_LIMIT } from "../../../input/depth.ts";
import { parseExactly } from "../../../input/exact_json.ts";
import { isStorable } from "../../../input/shapes.ts";
import type { JsonObject, JsonValue } from "../../../input/json_value.ts";
import { isSigned } from "./signature.ts";
import type { WebhookSettings } from "./schema.ts";
import type { FoundWebhook } from "./secrets.ts";

export interface Delivery {
  headers: Headers;
  query: URLSearchParams;
  body: Uint8Array;
}

export interface Delivered {
  status: 200 | 202 | 500;
  body: JsonValue;
}

/** Headers that are not passed on: credentials, and what proxies add. */
const OMITTED = /^(?:authorization|cookie|proxy-.*|x-forwarded-.*|forwarded|x-real-ip|connection|host|content-length)$/;
const MOST_HEADERS = 8_192;
/** The longest id of a delivery, in characters, that is kept as it is. */
const MOST_ID = 200;

/** @throws {Refusal} 401 if the signature does not hold; 422 if the flow takes no such input; 503 */
export async function deliver(
  { schedules, flows, config, clock }: Pick<Context, "schedules" | "flows" | "config" | "clock">,
  webhook: FoundWebhook,
  delivery: Delivery,
): Promise<Delivered> {
  const { id, account_id, settings, secret } = webhook;
  if (!isSigned(settings, secret, delivery.headers, delivery.body, clock.now().getTime())) {
    throw unauthorized("The signature does not hold");
  }
  const sent = readSent(delivery, settings);
  const delivery_id = idOf(settings, delivery.headers, sent.body);
  const received = await schedules.receive({
    account_id,
    cron_id: id,
    key: delivery_id && `delivery ${delivery_id}`,
    input: { ...webhook.input, ...sent, delivery_id: delivery_id ?? null },
  });
  const { flow_process_id, state, reason, is_known, obstacle } = received;
  // The sender delivers it again, or learns that it is wrong. The reason is in the ledger, for those who see the flow.
  if (obstacle === "flow") throw unavailable("The flow cannot be started now", undefined, 60);
  if (obstacle === "input") throw new Refusal(422, "The flow takes no such input");
  const told = { flow_process_id, state, ...is_known && { duplicate: true } };
  if (flow_process_id === null) return { status: 202, body: { ...told, reason } };
  if (settings.answer === "at_once") return { status: 202, body: told };
  const run = await flows.wait(account_id, flow_process_id, config.action_wait_ms);
  if (run?.status === "finished") return { status: 200, body: run.data ?? null };
  const has_ended = run !== undefined && run.status !== "pending" && run.status !== "waiting";
  if (!has_ended) return { status: 202, body: told };
  // Who delivers learns nothing of the flow but what a `fail` step gives as data.
  return { status: 500, body: { ...told, error: "The flow failed", ...run.data !== undefined && { data: run.data } } };
}

/** What the flow sees as its input. `raw_body` is null unless the body is text; then `raw_base64` has it. */
function readSent({ headers, query, body }: Delivery, { signature }: WebhookSettings): JsonObject {
  const raw_body = textOf(body);
  let room = MOST_HEADERS;
  const kept = [...headers].filter(([name, value]) => {
    if (OMITTED.test(name)) return false;
    room -= name.length + value.length;
    return room >= 0;
  });
  // No signature covers `Content-Type`. The id of Stripe's event is in the body, and its events are JSON.
  const is_form = signature !== "stripe" && FORM.test(headers.get("content-type") ?? "");
  return {
    body: raw_body === null ? null : parsed(raw_body, is_form),
    raw_body,
    ...raw_body === null && { raw_base64: Buffer.from(body).toString("base64") },
    headers: Object.fromEntries(kept),
    query: listing(query),
  };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A name that comes several times has the list of its values. */
function listing(parameters: URLSearchParams): JsonObject {
  const values = new Map<string, string[]>();
  for (const [name, value] of parameters) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, [first = "", ...others]]) => [name, others.length === 0 ? first : [first, ...others]]),
  );
}

const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * JSON, also behind a byte order mark, and forms are read; other bodies are text. An object or a list of JSON is JSON
 * whatever the type says: no form is one, and the type may have been changed.
 */
function parsed(text: string, is_form: boolean): JsonValue {
  const json = parsedJson(text);
  if (!is_form || typeof json === "object" && json !== null) return json;
  return listing(new URLSearchParams(text));
}

/** @returns the text if it is not JSON */
function parsedJson(text: string): JsonValue {
  if (!/^\s*[[{"\d-]|^\s*(?:true|false|null)/.test(text) || deeperThan(text, DEPTH_LIMIT)) return text;
  try {
    return parseExactly(text.replace(/^\uFEFF/, ""));
  } catch {
    return text;
  }
}

/** A long id, or one that the database cannot store, becomes its hash: different ids stay different. */
function idOf({ delivery_header, signature }: WebhookSettings, headers: Headers, body: JsonValue | undefined) {
  const name = delivery_header ?? (signature === "github" ? "x-github-delivery" : "webhook-id");
  const id = signature === "stripe" && delivery_header === null && typeof body === "object" && body !== null
    ? Reflect.get(body, "id")
    : headers.get(name);
  if (typeof id !== "string" || id === "") return undefined;
  const is_kept = id.length <= MOST_ID && isStorable(id);
  return is_kept ? id : `sha256:${createHash("sha256").update(JSON.stringify(id)).digest("hex")}`;
}
