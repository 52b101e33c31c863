/** Signatures of deliveries, over the body as it was received. */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookSettings } from "./schema.ts";

/** @param now in milliseconds since 1970 */
export function isSigned(
  settings: WebhookSettings,
  secret: string | undefined,
  headers: Headers,
  body: Uint8Array,
  now: number,
): boolean {
  const { signature, tolerance } = settings;
  if (signature === "none") return true;
  if (secret === undefined) return false;
  if (signature === "github") {
    const { prefix, sent } = withoutPrefix(headers.get("x-hub-signature-256"), "sha256=");
    return prefix && matches("sha256", "hex", secret, undefined, body, [sent]);
  }
  if (signature === "stripe") {
    const parts = (headers.get("stripe-signature") ?? "").split(",").map((part) => part.trim());
    const valuesOf = (name: string) => parts.flatMap((part) => part.startsWith(name) ? [part.slice(name.length)] : []);
    const [time = ""] = valuesOf("t=");
    const sent = valuesOf("v1=");
    return isRecent(time, tolerance, now) && matches("sha256", "hex", secret, time, body, sent);
  }
  const { header, algorithm, encoding, timestamp_header } = settings;
  const { prefix, sent } = withoutPrefix(headers.get(header ?? ""), settings.prefix);
  const time = timestamp_header === null ? undefined : headers.get(timestamp_header) ?? "";
  return prefix && (time === undefined || isRecent(time, tolerance, now)) &&
    matches(algorithm, encoding, secret, time, body, [sent]);
}

function withoutPrefix(value: string | null, prefix: string): { prefix: boolean; sent: string } {
  const is_there = value !== null && value.startsWith(prefix);
  return { prefix: is_there, sent: is_there ? value.slice(prefix.length).trim() : "" };
}

const isRecent = (time: string, tolerance_s: number, now: number): boolean =>
  /^\d{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= tolerance_s;

/** Signatures that are compared: during a rotation of its key, Stripe sends several. */
const MOST_SIGNATURES = 10;

function matches(
  algorithm: string,
  encoding: "hex" | "base64",
  secret: string,
  time: string | undefined,
  body: Uint8Array,
  sent: readonly string[],
): boolean {
  const hmac = createHmac(algorithm, secret);
  if (time !== undefined) hmac.update(`${time}.`);
  const expected = hmac.update(body).digest();
  return sent.slice(0, MOST_SIGNATURES).some((text) => {
    const given = decoded(text, encoding);
    return given?.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** @returns undefined if the text as a whole is not hex, or not base64 with its padding: `Buffer.from` ignores the rest */
function decoded(text: string, encoding: "hex" | "base64"): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === (encoding === "hex" ? text.toLowerCase() : text) ? bytes : undefined;
}
