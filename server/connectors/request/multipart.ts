/** Bodies of type multipart/form-data (RFC 7578). */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { ConnectorFault } from "../call/fault.ts";

const NAME_FAULT = "filename must be a text of 1 to 255 characters";

const File = z.strictObject({
  filename: z.string(NAME_FAULT).min(1, NAME_FAULT).max(255, NAME_FAULT),
  type: z.string("type is not a content type")
    .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?charset=[\w-]+)?$/, "type is not a content type")
    .default("application/octet-stream"),
  base64: z.string("base64 must be a text").optional(),
  text: z.string("text must be a text").optional(),
}).refine(({ base64, text }) => (base64 === undefined) !== (text === undefined), "needs either base64 or text");

interface Part {
  head: string;
  content: Buffer;
}

/**
 * A list repeats its name, and null omits it. The boundary is derived from the parts, so that each attempt of a call
 * sends the same bytes.
 *
 * @throws {ConnectorFault} `invalid`
 */
export function multipart(values: Readonly<Record<string, JsonValue>>): { content: Uint8Array; type: string } {
  const parts = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) => one === null ? [] : [partOf(name, one)])
  );
  const hash = createHash("sha256");
  for (const { head, content } of parts) hash.update(head).update(content);
  const boundary = `atrium-${hash.digest("hex")}`;
  const chunks = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    content,
    Buffer.from("\r\n"),
  ]);
  const content = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { content, type: `multipart/form-data; boundary=${boundary}` };
}

function partOf(name: string, value: JsonValue): Part {
  const head = `content-disposition: form-data; name="${quoted(name)}"`;
  if (typeof value !== "object" || value === null) return { head, content: Buffer.from(String(value)) };
  const { data, error } = File.safeParse(value);
  if (!data) {
    const fault = error.issues[0]?.message ?? "is not a file";
    throw new ConnectorFault(
      "invalid",
      `${name} of the body must be a value, or a file with filename and base64: ${fault}`,
    );
  }
  return {
    head: `${head}; filename="${quoted(data.filename)}"\r\ncontent-type: ${data.type}`,
    content: data.base64 === undefined ? Buffer.from(data.text ?? "") : decoded(name, data.base64),
  };
}

function decoded(name: string, base64: string): Buffer {
  if (!/^[A-Za-z0-9+/\s_-]*={0,2}\s*$/.test(base64)) {
    throw new ConnectorFault("invalid", `${name}.base64 of the body is not base64`);
  }
  return Buffer.from(base64, "base64");
}

/** As browsers escape names, so that none can end its quotes or its line. */
const quoted = (text: string) =>
  text.toWellFormed().replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
