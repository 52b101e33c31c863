/**
 * Page tokens. A sandboxed app page has no cookies, so it sends a signed token that names its app and its viewer. The
 * token opens the app's actions and, as this viewer, the public methods of the account's databases; nothing else.
 */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { ROLES } from "../input/roles.ts";
import { type Keys, Unreadable } from "./keys.ts";

const PURPOSE = "app token";
export const LIFETIME_S = 12 * 60 * 60;

const Payload = z.object({
  app: z.string(),
  account: z.int(),
  /** Null if the viewer is not signed in. */
  user: z.int().nullable(),
  /** The API token that the page was opened with. The page token ends with it. */
  token: z.int().nullable(),
  /** The session that the page was opened with. The page token ends with it. */
  session: z.int().nullable(),
  /** What a host's JWT allowed. The page token ends with its embedding key. */
  grant: z.object({
    key_id: z.int(),
    role: z.enum(ROLES).nullable(),
    department_ids: z.array(z.int()).readonly().nullable(),
  }).nullable().default(null),
  /** The browser key, encrypted for this app: the app can read its token, and must not learn the key. */
  browser: z.object({ key_id: z.string(), bytes: z.base64url() }),
  /** Seconds since 1970. */
  until: z.int(),
});

export interface AppToken extends Omit<z.output<typeof Payload>, "browser"> {
  /** The browser key. */
  browser: string;
}

const placeOf = (app: string) => `browser key:${app}`;

/** @param latest an earlier end than that of 12 hours from now */
export function signAppToken(keys: Keys, payload: Omit<AppToken, "until">, now: Date, latest?: Date): string {
  const longest = now.getTime() + LIFETIME_S * 1000;
  const until = Math.floor(Math.min(longest, latest?.getTime() ?? longest) / 1000);
  const { key_id, bytes } = keys.encrypt(placeOf(payload.app), payload.browser);
  const browser = { key_id, bytes: Buffer.from(bytes).toString("base64url") };
  const text = Buffer.from(JSON.stringify({ ...payload, browser, until } satisfies z.output<typeof Payload>))
    .toString("base64url");
  return `${text}.${keys.sign(PURPOSE, text).toString("base64url")}`;
}

/** @returns undefined if the signature is wrong, the token has expired, or an earlier release signed it */
export function readAppToken(keys: Keys, token: string, now: Date): AppToken | undefined {
  const [text = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !keys.verify(PURPOSE, text, Buffer.from(signature, "base64url"))) return undefined;
  const { data: payload } = Payload.safeParse(JSON.parse(Buffer.from(text, "base64url").toString()));
  if (!payload || payload.until * 1000 <= now.getTime()) return undefined;
  const browser = browserOf(keys, payload);
  return browser === undefined ? undefined : { ...payload, browser };
}

function browserOf(keys: Keys, { app, browser: { key_id, bytes } }: z.output<typeof Payload>): string | undefined {
  try {
    return keys.decrypt(placeOf(app), { key_id, bytes: Buffer.from(bytes, "base64url") });
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
