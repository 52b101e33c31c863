/** Uploaded logos: kept byte for byte under a content address (decisions, "Logo"). */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { insertLogo } from "./logo_queries.ts";

const LIMIT = 5 * 1024 * 1024;

/** What a mail program shows, by its first bytes. */
const KINDS: [extension: string, content_type: string, is: (start: string) => boolean][] = [
  ["png", "image/png", (start) => start.startsWith("\x89PNG\r\n\x1a\n")],
  ["jpg", "image/jpeg", (start) => start.startsWith("\xff\xd8\xff")],
  ["gif", "image/gif", (start) => start.startsWith("GIF87a") || start.startsWith("GIF89a")],
  // Four bytes of length stand between the two.
  ["webp", "image/webp", (start) => start.startsWith("RIFF") && start.startsWith("WEBP", 8)],
];

/**
 * Stores the file and returns its name, `<sha256>.<extension>`.
 *
 * @throws {Refusal} 422 on `logo`
 */
export async function storeLogo(sql: Sql, file: File): Promise<string> {
  if (file.size > LIMIT) throw invalid({ logo: ["is too large (maximum is 5 MiB)"] });
  const bytes = await file.bytes();
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const kind = KINDS.find(([, , is]) => is(start));
  if (!kind) throw invalid({ logo: ["must be a PNG, JPEG, GIF or WebP image"] });
  const [extension, content_type] = kind;
  const name = `${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
  await insertLogo(sql, name, content_type, bytes);
  return name;
}
