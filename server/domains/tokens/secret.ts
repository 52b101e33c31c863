/** API tokens: `atr_` and 32 random bytes in base62; only the SHA-256 is stored. */
import type { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 is the first power beyond 2^256. */
const LENGTH = 43;

/** @param kind names what the secret opens */
export function newSecret(kind = "atr"): string {
  let number = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let text = "";
  for (let index = 0; index < LENGTH; index++) {
    text = ALPHABET.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return `${kind}_${text}`;
}

export const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
