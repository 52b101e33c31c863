/** The signed links at which people without a login answer a run's question. */
import { Buffer } from "node:buffer";
import type { Keys } from "./keys.ts";

const PURPOSE = "approval link";
const LINK = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

/** @returns `token` is the approval's id with the signature */
export function signApproval(keys: Keys, id: string): { token: string; signature: string } {
  const signature = keys.sign(PURPOSE, id).toString("base64url");
  return { token: `${id}.${signature}`, signature };
}

/** @returns the approval's id; undefined if it is not signed by this server */
export function readApproval(keys: Keys, token: string): string | undefined {
  const [, id, signature] = LINK.exec(token) ?? [];
  if (id === undefined || signature === undefined) return undefined;
  return keys.verify(PURPOSE, id, Buffer.from(signature, "base64url")) ? id : undefined;
}
