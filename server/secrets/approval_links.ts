/** The signed links at which people without a login answer a run's question. */
import { Buffer } from "node:buffer";
import type { Keys } from "./keys.ts";

const PURPOSE = "approval link";
const LINK = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

/** @returns the approval's id with its signature */
export const signApproval = (keys: Keys, id: string): string => `${id}.${keys.sign(PURPOSE, id).toString("base64url")}`;

/** @returns the approval's id; undefined if it is not signed by this server */
export function readApproval(keys: Keys, token: string): string | undefined {
  const [, id, signature] = LINK.exec(token) ?? [];
  if (id === undefined || signature === undefined) return undefined;
  return keys.verify(PURPOSE, id, Buffer.from(signature, "base64url")) ? id : undefined;
}
