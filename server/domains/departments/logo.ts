/** Uploaded logos: kept byte for byte under a content address (decisions, "Logo"). */
import { createHash } from "node:crypto";
import type { Sql } from "../../database.ts";
import { invalid } from "../../errors.ts";
import { insertLogo } from "./queries.ts";

const LIMIT = 5 * 1024 * 1024;

/** First bytes of what a mail program shows. WebP: `RIFF`, four bytes of length, `WEBP`. */
const KINDS: [extension: string, content_type: string, signature: RegExp][] = [
  ["png", "image/png", /^\x89PNG\r\n\x1a\n/],
  ["jpg", "image/jpeg", /^\xff\xd8\xff/],
  ["gif", "image/gif", /^GIF8[79]a/],
  ["webp", "image/webp", /^RIFF[^]{4}WEBP/],
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
  const kind = KINDS.find(([, , signature]) => signature.test(start));
  if (!kind) throw invalid({ logo: ["must be a PNG, JPEG, GIF or WebP image"] });
  const [extension, content_type] = kind;
  const name = `${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
  await insertLogo(sql, name, content_type, bytes);
  return name;
}
