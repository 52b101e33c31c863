/** The relying party of WebAuthn. Its library takes most of a second to load, so it is loaded at its first use. */
import { Buffer } from "node:buffer";
import { z } from "zod";

export const loadWebauthn = () => import("@simplewebauthn/server");

/** Passkeys belong to the host of BASE_URL, and are used on pages of its origin. */
export function relyingParty({ base_url }: { base_url: string }): { id: string; origin: string } {
  const { hostname, origin } = new URL(base_url);
  return { id: hostname, origin };
}

/** Browsers create passkeys for host names only, not for addresses. */
export const hasPasskeyHost = ({ base_url }: { base_url: string }, host: string): boolean => {
  const url = new URL(base_url);
  return url.host === host && /[a-z]/i.test(url.hostname) && !url.hostname.startsWith("[");
};

const ClientData = z.object({ challenge: z.string() });

/** The challenge that a browser's answer is for; undefined where it names none. */
export function challengeOf(client_data: string): string | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(client_data, "base64url").toString())).challenge;
  } catch {
    return undefined;
  }
}
