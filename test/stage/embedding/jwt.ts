/** JWTs as host pages sign them. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { type Ask, made } from "../people.ts";

export interface SigningKey {
  id: number;
  kid: string;
  secret: string;
}

export const addEmbeddingKey = async (ask: Ask): Promise<SigningKey> =>
  made(await ask("POST", "/account/embedding/keys.json", { json: { key: { name: "Host" } } }));

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * @param claims beside `aud` and `exp`, which are valid unless given
 * @param header beside `alg` and `kid`
 */
export function signJwt(
  { kid, secret }: Pick<SigningKey, "kid" | "secret">,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  hash = "sha256",
): string {
  const standard = { aud: "http://atrium.test", exp: Math.floor(Date.now() / 1000) + 240 };
  const signed = `${part({ alg: "HS256", typ: "JWT", kid, ...header })}.${part({ ...standard, ...claims })}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest("base64url")}`;
}
