/** Settings of webhook triggers. */
import { z } from "zod";
import { headerFault } from "../../../connectors/connectors.ts";
import { text } from "../../../input/shapes.ts";

const HeaderName = z.string().superRefine((name, { addIssue }) => {
  const fault = headerFault(name);
  if (fault) addIssue(fault);
});

const settings = {
  signature: z.enum(["none", "stripe", "github", "hmac"]).default("none").describe(
    "How a delivery is proven beside its secret address: by `Stripe-Signature`, by `X-Hub-Signature-256`, or by `header`",
  ),
  header: HeaderName.nullable().default(null).describe("`hmac`: carries the signature"),
  algorithm: z.enum(["sha1", "sha256", "sha512"]).default("sha256").describe("`hmac`"),
  encoding: z.enum(["hex", "base64"]).default("hex").describe("`hmac`"),
  prefix: z.string().max(50).default("").describe("`hmac`: before the signature, such as `sha256=`"),
  timestamp_header: HeaderName.nullable().default(null)
    .describe("`hmac`: carries the Unix time; then the time, a full stop and the body are signed"),
  tolerance: z.int().min(1).max(86_400).default(300)
    .describe("Seconds by which a signed time may differ from the server's"),
  delivery_header: HeaderName.nullable().default(null).describe(
    "Names a delivery, so that its repetition starts no second run. Null: `X-GitHub-Delivery`, the `id` of Stripe's " +
      "events, and `Webhook-Id`",
  ),
  answer: z.enum(["at_once", "result"]).default("at_once")
    .describe("`at_once`: 202 with the run's id; `result`: 200 with the flow's data"),
};

export const WebhookSettings = z.strictObject(settings);
export type WebhookSettings = z.output<typeof WebhookSettings>;

export const Webhook = WebhookSettings.extend({
  secret: text(1_000).refine((secret) => secret.length >= 8, "is too short (minimum is 8 characters)").optional()
    .describe("Write-only: the key of signatures. Omitting it keeps the present one"),
  has_secret: z.boolean().optional().describe("As it was read; it changes nothing"),
}).superRefine(({ signature, header, secret }, { addIssue }) => {
  if (signature === "hmac" && header === null) {
    addIssue({ code: "custom", path: ["header"], message: "can't be blank" });
  }
  if (signature === "none" && secret !== undefined) {
    addIssue({ code: "custom", path: ["secret"], message: "must be absent without a signature" });
  }
}).describe("Replaced as a whole, except for `secret`");
export type Webhook = z.output<typeof Webhook>;

export const KnownWebhook = WebhookSettings.extend({ has_secret: z.boolean() });

export function settingsOf(webhook: Webhook | null | undefined): WebhookSettings {
  const { secret: _secret, has_secret: _has_secret, ...settings } = webhook ?? Webhook.parse({});
  return settings;
}
