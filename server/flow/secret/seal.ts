/**
 * Secret inputs of a run. The input that is stored and shown has a mask in their place; their values are stored beside it
 * as one encrypted text, bound to the run.
 */
import { Buffer } from "node:buffer";
import { invalid } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";

/** What stands in place of a secret input. */
export const MASK = "[secret]";

/** Shorter texts occur by accident, so they could not be hidden where they are repeated. */
const SHORTEST = 4;
/** Characters of all secrets of a run. They are part of its head, which is small. */
const MOST_CHARACTERS = 8_192;

export interface Secrets {
  /** By the name of the input. */
  values: JsonObject;
  /** Texts that the calling run keeps secret. */
  inherited: string[];
}

/** The run that the ciphertext is bound to. */
export interface Owner {
  account_id: number;
  id: string;
}

const boundTo = ({ account_id, id }: Owner) => `${account_id}:${id}:secret_inputs`;

/** @returns the id of the key and the ciphertext */
export function seal(keys: Keys, owner: Owner, secrets: Secrets): string {
  const { key_id, bytes } = keys.encrypt(boundTo(owner), JSON.stringify(secrets));
  return `${key_id}:${Buffer.from(bytes).toString("base64")}`;
}

/** @throws {Unreadable} */
export function unseal(keys: Keys, owner: Owner, sealed: string): Secrets {
  const bytes = Buffer.from(sealed.slice(sealed.indexOf(":") + 1), "base64");
  return JSON.parse(keys.decrypt(boundTo(owner), { key_id: keyOf(sealed), bytes }));
}

/** @throws {Refusal} 422 if the server has lost the key */
export function openSealed(keys: Keys, owner: Owner, sealed: string): Secrets {
  try {
    return unseal(keys, owner, sealed);
  } catch (error) {
    throw error instanceof Unreadable
      ? invalid({ input: [`has secrets that cannot be read: ${error.message}`] })
      : error;
  }
}

/** The id of the key that encrypted it. */
export const keyOf = (sealed: string): string => sealed.slice(0, sealed.indexOf(":"));

/** The same secrets with the first of the keys. @throws {Unreadable} */
export const resealed = (keys: Keys, owner: Owner, sealed: string): string =>
  keyOf(sealed) === keys.writing ? sealed : seal(keys, owner, unseal(keys, owner, sealed));

/** The input with the values in place of their masks. A value that was edited stays. */
export const unmasked = (input: JsonObject, { values }: Secrets): JsonObject =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      value === MASK && Object.hasOwn(values, name) ? values[name] ?? null : value,
    ]),
  );

export const masked = (input: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, names.has(name) ? MASK : value]));

/** The secrets of a new run. @throws {Refusal} 422 for what cannot be kept secret */
export function secretsOf(input: JsonObject, names: ReadonlySet<string>, inherited: readonly string[]): Secrets {
  const values = Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)));
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === "string" || typeof value === "number" ? `${value}` : "";
    if (text.length > 0 && text.length < SHORTEST) {
      throw invalid({ [`input.${name}`]: [`is too short to be kept secret (minimum is ${SHORTEST} characters)`] });
    }
  }
  if (JSON.stringify({ values, inherited }).length > MOST_CHARACTERS) {
    throw invalid({ input: [`has more than ${MOST_CHARACTERS} characters that are secret`] });
  }
  return { values, inherited: [...inherited] };
}

/** What must not be shown: every text and number inside of the secrets. */
export const secretTexts = ({ values, inherited }: Secrets): string[] => [
  ...new Set([...textsOf(values), ...inherited].filter((text) => text.length >= SHORTEST && text !== MASK)),
];

function textsOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [`${value}`];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
