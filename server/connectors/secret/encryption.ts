/**
 * Encrypts and decrypts `secret_token` and OAuth tokens. The ciphertext is bound to its account, connector and field as additional data,
 * so it cannot be decrypted in another row.
 */
import type { Encrypted, Keys } from "../../secrets/keys.ts";

export interface SecretOwner {
  account_id: number;
  /** Of the connector. */
  id: number;
}

const boundTo = ({ account_id, id }: SecretOwner) => `${account_id}:${id}:secret_token`;

export const encryptSecret = (keys: Keys, owner: SecretOwner, secret: string): Encrypted =>
  keys.encrypt(boundTo(owner), secret);

/** @throws {Unreadable} */
export const decryptSecret = (keys: Keys, owner: SecretOwner, encrypted: Encrypted): string =>
  keys.decrypt(boundTo(owner), encrypted);

const tokenPlace = ({ account_id, id }: SecretOwner) => `${account_id}:${id}:access_token`;

export const encryptToken = (keys: Keys, owner: SecretOwner, token: string): Encrypted =>
  keys.encrypt(tokenPlace(owner), token);

/** @throws {Unreadable} */
export const decryptToken = (keys: Keys, owner: SecretOwner, encrypted: Encrypted): string =>
  keys.decrypt(tokenPlace(owner), encrypted);
