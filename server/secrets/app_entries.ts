/**
 * The cookie of a host that serves apps. It is signed, and says which session may see which app there. It opens that app's
 * page and nothing else: the API does not know it.
 */
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { Keys } from "./keys.ts";

const PURPOSE = "app entry";
/** After this time the member is sent through the site again, which has the session. */
const LIFETIME_S = 12 * 60 * 60;

const Entry = z.object({
  app: z.string(),
  user: z.int(),
  session: z.int(),
  /** Seconds since 1970. */
  until: z.int(),
});

export interface AppEntry extends Omit<z.output<typeof Entry>, "until"> {
  /** Whether it is too old to open the app. It still says who used the app in this browser before. */
  expired: boolean;
}

export function signAppEntry(keys: Keys, entry: Omit<AppEntry, "expired">, now: Date): string {
  const until = Math.floor(now.getTime() / 1000) + LIFETIME_S;
  const text = Buffer.from(JSON.stringify({ ...entry, until } satisfies z.output<typeof Entry>)).toString("base64url");
  return `${text}.${keys.sign(PURPOSE, text).toString("base64url")}`;
}

/** @returns undefined if the signature is wrong */
export function readAppEntry(keys: Keys, value: string, now: Date): AppEntry | undefined {
  const [text = "", signature = "", ...more] = value.split(".");
  if (more.length > 0 || !keys.verify(PURPOSE, text, Buffer.from(signature, "base64url"))) return undefined;
  const { until, ...entry } = Entry.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  return { ...entry, expired: until * 1000 <= now.getTime() };
}
