/**
 * The server's keys: `SECRET_KEYS`, or on the embedded database a file in the data folder. Each purpose has its own
 * key, derived with HKDF, so that a leaked key endangers one purpose only. The first key signs and encrypts; all keys
 * verify and decrypt.
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { type Config, ConfigError, type SecretKey } from "../config.ts";

export interface Keys {
  /** @param purpose a name for the kind of text that is signed @returns 32 bytes */
  sign(purpose: string, text: string): Buffer;
  verify(purpose: string, text: string, signature: Uint8Array): boolean;
  /** Encrypts with AES-256-GCM. @param place bound to the ciphertext; decryption needs the same place */
  encrypt(place: string, text: string): Encrypted;
  /** @throws {Unreadable} */
  decrypt(place: string, encrypted: Encrypted): string;
  /** The id of the key that signs and encrypts. */
  readonly writing: string;
}

export interface Encrypted {
  /** One of the ids in `SECRET_KEYS`. */
  key_id: string;
  /** IV (12 bytes), tag (16 bytes), ciphertext (as long as the text in UTF-8). */
  bytes: Uint8Array;
}

/** No key decrypts the text: its key was removed, it belongs to another place, or it was changed. */
export class Unreadable extends Error {
  override name = "Unreadable";
  constructor(readonly key_id: string) {
    super(`no key of SECRET_KEYS reads what the key ${key_id} has written`);
  }
}

/** The purpose of the key that encrypts. */
const ENCRYPTION = "encryption";
const IV_BYTES = 12;
const TAG_BYTES = 16;

const FILE = "secret_keys";

/**
 * @param hasSecrets whether the database has secrets, which a new key could not decrypt; called if there is no key file
 * @throws {ConfigError} if other users can read the key file, if it contains no key, or if it is lost
 */
export async function openKeys(
  { secret_keys, data_dir }: Pick<Config, "secret_keys" | "data_dir">,
  hasSecrets: () => Promise<boolean>,
): Promise<Keys> {
  return createKeys(secret_keys ?? [await fileKey(`${data_dir}/${FILE}`, hasSecrets)]);
}

/** @param materials at least one */
export function createKeys(materials: readonly SecretKey[]): Keys {
  const derived = new Map<string, Buffer[]>();
  const keysFor = (purpose: string): Buffer[] => {
    const known = derived.get(purpose);
    if (known) return known;
    const keys = materials.map(({ material }) => Buffer.from(hkdfSync("sha256", material, "atrium", purpose, 32)));
    derived.set(purpose, keys);
    return keys;
  };
  const writing = () => {
    const [material] = materials;
    const [key] = keysFor(ENCRYPTION);
    if (!material || !key) throw new Error("there is no secret key");
    return { key_id: material.id, key };
  };
  const signed = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  return {
    sign(purpose, text) {
      const [first] = keysFor(purpose);
      if (!first) throw new Error("there is no secret key");
      return signed(first, text);
    },
    verify: (purpose, text, signature) =>
      signature.length === 32 && keysFor(purpose).some((key) => timingSafeEqual(signed(key, text), signature)),
    encrypt(place, text) {
      const { key_id, key } = writing();
      return { key_id, bytes: encryptWith(key, place, text) };
    },
    decrypt(place, { key_id, bytes }) {
      // The id may meanwhile name another key, so all other keys are tried, too.
      const named = (_: Buffer, index: number) => materials[index]?.id === key_id;
      const keys = keysFor(ENCRYPTION);
      for (const key of [...keys.filter(named), ...keys.filter((key, index) => !named(key, index))]) {
        const text = decryptWith(key, place, bytes);
        if (text !== undefined) return text;
      }
      throw new Unreadable(key_id);
    },
    get writing() {
      return writing().key_id;
    },
  };
}

function encryptWith(key: Buffer, place: string, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(place));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

/** @returns undefined if the key does not decrypt it */
function decryptWith(key: Buffer, place: string, bytes: Uint8Array): string | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const opened = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString("utf8");
  } catch {
    return undefined;
  }
}

/**
 * Reads the key file of the embedded database, and creates it on the first start. It is as safe as the data beside it.
 *
 * @throws {ConfigError}
 */
async function fileKey(path: string, hasSecrets: () => Promise<boolean>): Promise<SecretKey> {
  if (!existsSync(path) && await hasSecrets()) {
    throw new ConfigError([
      `${path} is missing, and the database has secrets that only its key reads: restore the file, or set SECRET_KEYS ` +
      "as before. If the key is lost, write another one into the file (chmod 600), as k1:<at least 16 characters>, and " +
      "set the secrets anew",
    ]);
  }
  const made = `k1:${randomBytes(32).toString("base64url")}`;
  try {
    await Deno.writeTextFile(path, `${made}\n`, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { mode, isDirectory } = await Deno.stat(path);
  if (isDirectory) throw new ConfigError([`${path} is a folder: it must be the file of the key`]);
  if (mode !== null && mode & 0o077) throw new ConfigError([`${path} can be read by others: chmod 600 ${path}`]);
  const [, id, material] = /^([\w-]+):(\S{16,})\s*$/.exec(await Deno.readTextFile(path)) ?? [];
  if (!id || !material) throw new ConfigError([`${path} holds no key: restore it, or what it encrypted is lost`]);
  return { id, material };
}
