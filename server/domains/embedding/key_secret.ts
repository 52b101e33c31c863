/**
 * The secret of an embedding key. It is encrypted, because verifying a JWT needs it in the clear, and bound to its account
 * and key as additional data, so it cannot be decrypted in another row.
 */
import { newSecret } from "../tokens/secret.ts";
import type { Encrypted, Keys } from "../../secrets/keys.ts";

export interface KeyOwner {
  account_id: number;
  /** Of the embedding key. */
  id: number;
}

const boundTo = ({ account_id, id }: KeyOwner) => `${account_id}:${id}:embedding_key`;

/** `emb_` and 32 random bytes in base62. */
export const newKeySecret = (): string => newSecret("emb");

export const encryptKeySecret = (keys: Keys, owner: KeyOwner, secret: string): Encrypted =>
  keys.encrypt(boundTo(owner), secret);

/** @throws {Unreadable} */
export const decryptKeySecret = (keys: Keys, owner: KeyOwner, encrypted: Encrypted): string =>
  keys.decrypt(boundTo(owner), encrypted);
