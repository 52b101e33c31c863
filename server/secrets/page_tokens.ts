/**
 * Page tokens. A sandboxed app page has no cookies, so it sends a signed token that names its app and its viewer. The
 * token opens the app's actions and, as this viewer, the public methods of the account's databases; nothing else.
 */
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { Keys } from "./keys.ts";

const PURPOSE = "app token";
export const LIFETIME_S = 12 * 60 * 60;

const Payload = z.object({
  app: z.string(),
  account: z.int(),
  /** Null if the viewer is not signed in. */
  user: z.int().nullable(),
  /** The API token that the page was opened with. The page token ends with it. */
  token: z.int().nullable(),
  /** The browser key. */
  browser: z.string(),
  /** Seconds since 1970. */
  until: z.int(),
});
export type AppToken = z.output<typeof Payload>;

export function signAppToken(keys: Keys, payload: Omit<AppToken, "until">, now: Date): string {
  const until = Math.floor(now.getTime() / 1000) + LIFETIME_S;
  const text = Buffer.from(JSON.stringify({ ...payload, until })).toString("base64url");
  return `${text}.${keys.sign(PURPOSE, text).toString("base64url")}`;
}

/** @returns undefined if the signature is wrong or the token has expired */
export function readAppToken(keys: Keys, token: string, now: Date): AppToken | undefined {
  const [text = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !keys.verify(PURPOSE, text, Buffer.from(signature, "base64url"))) return undefined;
  const payload = Payload.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  return payload.until * 1000 > now.getTime() ? payload : undefined;
}
