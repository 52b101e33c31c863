/** A connector's secret as it is stored: bound to its account, connector and field, so that it opens nowhere else. */
import type { Encrypted, Keys } from "../secrets/keys.ts";

export interface Place {
  account_id: number;
  id: number;
}

const placeOf = ({ account_id, id }: Place) => `${account_id}:${id}:secret_token`;

export const encryptSecret = (keys: Keys, place: Place, secret: string): Encrypted =>
  keys.encrypt(placeOf(place), secret);

/** @throws {Unreadable} */
export const decryptSecret = (keys: Keys, place: Place, encrypted: Encrypted): string =>
  keys.decrypt(placeOf(place), encrypted);
