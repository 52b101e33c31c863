/**
 * Messages of PostgreSQL's wire protocol, version 3: writes the few that the server sends itself, and splits bytes into
 * messages. Pure. Source: PostgreSQL's manual, "Message Formats".
 */
import { Buffer } from "node:buffer";

/** An error in the form of PostgreSQL; `code` is the SQLSTATE. */
export interface Fault {
  severity: "ERROR" | "FATAL";
  code: string;
  message: string;
  hint?: string;
}

/** Writes one message. A zero-terminated text must contain its zero. */
export function message(type: string, ...parts: (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => typeof part === "string" ? Buffer.from(part) : part));
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const query = (sql: string): Buffer => message("Q", `${sql}\0`);

/** Drops a prepared statement. It is no error if there is none. */
export const closeStatement = (name: string): Buffer => message("C", `S${name}\0`);

export const SYNC = message("S");

/** ReadyForQuery outside of transactions. */
export const READY = message("Z", "I");

export function errorResponse({ severity, code, message: text, hint }: Fault): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${text}`, ...(hint ? [`H${hint}`] : [])];
  return message("E", ...fields.map((field) => `${field.replaceAll("\0", "")}\0`), "\0");
}

/** The answer to a startup message: accepted, parameters of the session, and the key for cancellation. */
export function welcome(parameters: Iterable<[string, string]>, pid: number, secret: number): Buffer {
  const key = Buffer.alloc(8);
  key.writeInt32BE(pid, 0);
  key.writeInt32BE(secret, 4);
  const told = [...parameters].map(([name, value]) => message("S", `${name}\0${value}\0`));
  return Buffer.concat([message("R", Buffer.alloc(4)), ...told, message("K", key), READY]);
}

/** The zero-terminated text at `at`. */
export function textAt(bytes: Buffer, at: number): string {
  return bytes.toString("utf8", at, bytes.indexOf(0, at));
}

/** The end of the message at `at`. */
export function endOf(bytes: Buffer, at: number): number {
  return at + 1 + bytes.readInt32BE(at + 1);
}

/** The complete messages in `bytes`, without copies. */
export function* messagesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) yield bytes.subarray(at, at = endOf(bytes, at));
}
