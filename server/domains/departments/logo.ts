/** Uploaded logos. A logo is stored byte for byte, under a name made from its hash. */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { insertLogo } from "./logo_queries.ts";

const MAX_BYTES = 5 * 1024 * 1024;

/** The image formats that mail programs show, recognized by their first bytes. */
const KINDS: [extension: string, content_type: string, is: (start: string) => boolean][] = [
  ["png", "image/png", (start) => start.startsWith("\x89PNG\r\n\x1a\n")],
  ["jpg", "image/jpeg", (start) => start.startsWith("\xff\xd8\xff")],
  ["gif", "image/gif", (start) => start.startsWith("GIF87a") || start.startsWith("GIF89a")],
  // Bytes 4 to 7 are the length of the file.
  ["webp", "image/webp", (start) => start.startsWith("RIFF") && start.startsWith("WEBP", 8)],
];

/**
 * Stores the file.
 *
 * @returns its name, `<sha256>.<extension>`
 * @throws {Refusal} 422 on `logo` if the file is too large or not an image
 */
export async function storeLogo(sql: Sql, file: File): Promise<string> {
  if (file.size > MAX_BYTES) throw invalid({ logo: ["is too large (maximum is 5 MiB)"] });
  const bytes = await file.bytes();
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const kind = KINDS.find(([, , is]) => is(start));
  if (!kind) throw invalid({ logo: ["must be a PNG, JPEG, GIF or WebP image"] });
  const [extension, content_type] = kind;
  const name = `${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
  await insertLogo(sql, name, content_type, bytes);
  return name;
}
