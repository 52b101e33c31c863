/**
 * The server's own secrets: `SECRET_KEYS`, or on the embedded database a file in the data folder. Each purpose has a
 * key of its own, derived by HKDF, so that what one leaks opens nothing else. The first signs, every one verifies.
 */
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { type Config, ConfigError, type SecretKey } from "./config.ts";

export interface Keys {
  /** 32 bytes. @param purpose a word for what is signed */
  sign(purpose: string, text: string): Buffer;
  verify(purpose: string, text: string, signature: Uint8Array): boolean;
}

const FILE = "secret_keys";

/** @throws {ConfigError} where the key file can be read by others, or holds no key */
export async function openKeys({ secret_keys, data_dir }: Pick<Config, "secret_keys" | "data_dir">): Promise<Keys> {
  return createKeys(secret_keys ?? [await fileKey(`${data_dir}/${FILE}`)]);
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
  const signed = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  return {
    sign(purpose, text) {
      const [first] = keysFor(purpose);
      if (!first) throw new Error("there is no secret key");
      return signed(first, text);
    },
    verify: (purpose, text, signature) =>
      signature.length === 32 && keysFor(purpose).some((key) => timingSafeEqual(signed(key, text), signature)),
  };
}

/** The embedded database's key, made when it is first needed; whoever has the folder has the data it guards. */
async function fileKey(path: string): Promise<SecretKey> {
  const made = `k1:${randomBytes(32).toString("base64url")}`;
  try {
    await Deno.writeTextFile(path, `${made}\n`, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { mode } = await Deno.stat(path);
  if (mode !== null && mode & 0o077) throw new ConfigError([`${path} can be read by others: chmod 600 ${path}`]);
  const [, id, material] = /^([\w-]+):(\S{16,})\s*$/.exec(await Deno.readTextFile(path)) ?? [];
  if (!id || !material) throw new ConfigError([`${path} holds no key: restore it, or what it encrypted is lost`]);
  return { id, material };
}
