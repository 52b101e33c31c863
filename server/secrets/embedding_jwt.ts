/**
 * JWTs by which host pages vouch for their users (RFC 7519). The algorithm is HS256 and nothing else, whatever a header
 * says; `kid` names the embedding key.
 */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { ROLES } from "../input/roles.ts";
import { isStorable, NOT_STORABLE } from "../input/shapes.ts";

/** Seconds. */
const LONGEST_S = 5 * 60;
/** How far a host's clock may be ahead of this one. */
const CLOCK_SKEW_S = 10;
const LONGEST_TEXT = 8_192;

/** The sentence says what a host's developer must mend. */
export class JwtFault extends Error {
  override name = "JwtFault";
}

const Header = z.object({ alg: z.string(), kid: z.string(), crit: z.unknown().optional() });

const Claims = z.object({
  aud: z.union([z.string(), z.array(z.string()).max(20)]),
  /** Seconds since 1970, as are the others. */
  exp: z.number(),
  nbf: z.number().optional(),
  iat: z.number().optional(),
  /** Login or e-mail address of a user. */
  sub: z.string().trim().min(1).max(254).refine(isStorable, NOT_STORABLE),
  /** For a user that does not exist yet. */
  name: z.string().trim().min(1).max(255).refine(isStorable, NOT_STORABLE).optional(),
  role: z.enum(ROLES).optional(),
  /** Ids. */
  departments: z.array(z.int().min(1).max(2_147_483_647)).max(1_000).optional(),
});
export type Claims = z.output<typeof Claims>;

/** A JWT whose signature has not been verified. */
export interface UnverifiedJwt {
  kid: string;
  signed: string;
  payload: string;
  signature: Buffer;
}

/** @throws {JwtFault} */
export function splitJwt(text: string): UnverifiedJwt {
  const [, header = "", payload = "", signature = ""] = text.length > LONGEST_TEXT
    ? []
    : /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? [];
  if (!header) throw new JwtFault("it is no JWT");
  const { data } = Header.safeParse(jsonOf(header));
  if (!data) throw new JwtFault("its header must have alg and kid");
  if (data.alg !== "HS256") throw new JwtFault("its alg must be HS256");
  if (data.crit !== undefined) throw new JwtFault("its header must not have crit");
  return { kid: data.kid, signed: `${header}.${payload}`, payload, signature: Buffer.from(signature, "base64url") };
}

/**
 * @param secret of the key that `kid` names; its UTF-8 bytes are the HMAC's key
 * @param audience the base URL of this server
 * @throws {JwtFault}
 */
export function claimsOf(jwt: UnverifiedJwt, secret: string, audience: string, now: Date): Claims {
  const expected = createHmac("sha256", secret).update(jwt.signed).digest();
  if (jwt.signature.length !== expected.length || !timingSafeEqual(jwt.signature, expected)) throw unknownKey();
  const { data, error } = Claims.safeParse(jsonOf(jwt.payload));
  if (!data) throw new JwtFault(`its claim ${error.issues[0]?.path.join(".") || "set"} is missing or wrong`);
  if (![data.aud].flat().some((aud) => aud.replace(/\/+$/, "") === audience)) {
    throw new JwtFault(`its aud must be ${audience}`);
  }
  const now_s = now.getTime() / 1000;
  if (!(data.exp > now_s)) throw new JwtFault("it has expired");
  if (data.exp > now_s + LONGEST_S + CLOCK_SKEW_S) throw new JwtFault("its exp must be at most 5 minutes from now");
  if (Math.max(data.nbf ?? 0, data.iat ?? 0) > now_s + CLOCK_SKEW_S) throw new JwtFault("it is not valid yet");
  return data;
}

/** The same for a missing key and for a wrong signature. */
export const unknownKey = () => new JwtFault("no embedding key has its kid and verifies its signature");

function jsonOf(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, "base64url").toString());
  } catch {
    return undefined;
  }
}
