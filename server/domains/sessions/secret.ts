/** A session's secret: 32 random bytes in base64url. Only its SHA-256 is stored. */
import type { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";

export const newSessionSecret = (): string => randomBytes(32).toString("base64url");

export const hashOfSession = (secret: string): Buffer => createHash("sha256").update(secret).digest();
