/** The settings of a webhook as they are typed. */
import type { Trigger } from "./triggers.ts";

export const SIGNATURES = {
  none: "None: the secret address is enough",
  stripe: "Stripe",
  github: "GitHub",
  hmac: "HMAC in a header",
} as const;

export const webhookForm = (webhook: Trigger["webhook"] | undefined) => ({
  signature: webhook?.signature ?? "none",
  header: webhook?.header ?? "",
  algorithm: webhook?.algorithm ?? "sha256",
  encoding: webhook?.encoding ?? "hex",
  prefix: webhook?.prefix ?? "",
  timestamp_header: webhook?.timestamp_header ?? "",
  tolerance: String(webhook?.tolerance ?? 300),
  delivery_header: webhook?.delivery_header ?? "",
  answer: webhook?.answer ?? "at_once",
  secret: "",
});

export type WebhookForm = ReturnType<typeof webhookForm>;

/** A blank number is the usual one; the server names one that it does not take. */
export const numberOr = (text: string, usual: number) => String(text ?? "").trim() === "" ? usual : Number(text);

/** As the server takes them. A blank secret keeps the stored one. */
export function webhookOf(form: WebhookForm) {
  const {
    signature,
    secret,
    header,
    timestamp_header,
    delivery_header,
    prefix,
    algorithm,
    encoding,
    tolerance,
    answer,
  } = form;
  const is_hmac = signature === "hmac";
  return {
    signature,
    algorithm: is_hmac ? algorithm : undefined,
    encoding: is_hmac ? encoding : undefined,
    prefix: is_hmac ? prefix : undefined,
    header: is_hmac ? header || null : null,
    timestamp_header: is_hmac ? timestamp_header || null : null,
    tolerance: numberOr(tolerance, 300),
    delivery_header: delivery_header || null,
    answer,
    ...(signature !== "none" && secret ? { secret } : {}),
  };
}
