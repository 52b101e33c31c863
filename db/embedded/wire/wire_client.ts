/**
 * Splits the bytes of a PostgreSQL client into batches that a backend can answer completely. Pure. Source: PostgreSQL's
 * manual, "Message Formats", protocol version 3.
 */
import { Buffer } from "node:buffer";
import { message, textAt } from "./wire.ts";

/** Everything that a client sent up to a Query, a Sync or a Flush. */
export interface Batch {
  kind: "batch";
  bytes: Buffer;
  /** After `flush` the request is unfinished, and the backend sends no ReadyForQuery. */
  ends: "query" | "sync" | "flush";
  /** The names of prepared statements that it creates. */
  statements: string[];
}

/** A client's startup message. */
export interface Startup {
  kind: "startup";
  /** Settings of the session, by name. */
  settings: Map<string, string>;
}

/** A request of a client. After `encryption` the client waits for one byte. */
export type Word =
  | Batch
  | Startup
  | { kind: "cancel"; pid: number; secret: number }
  | { kind: "encryption" }
  | { kind: "terminate" };

/** The bytes violate the protocol, so the rest of the stream cannot be read. */
export class ProtocolViolation extends Error {}

/** The same limit as in PostgreSQL; a longer message is a mistake. */
const LONGEST = 0x3fff_ffff;
const CANCEL = 80_877_102;
const ENCRYPTION = [80_877_103, 80_877_104];
const VERSION_3 = 3;

/**
 * A backend in COPY FROM STDIN would wait for data for ever, inside a synchronous call. If a text may contain COPY FROM
 * STDIN, a CopyFail is therefore added after each execution. A backend in COPY stops with an error; any other ignores
 * it. This needs no understanding of SQL, and a wrong guess costs a few bytes.
 */
const COPY_FAIL = message("f", "no data\0");
const MAY_COPY = /stdin/i;

/** Splits one client's bytes, which arrive in chunks of any size. Copies only batches that span several chunks. */
export class Splitter {
  #parts: Buffer[] = [];
  #have = 0;
  #need = 4;
  #started = false;
  #batch: Buffer[] = [];
  #statements: string[] = [];
  #may_copy = false;

  /** @throws {ProtocolViolation} */
  *push(chunk: Buffer): Generator<Word> {
    for (const whole of this.#messages(chunk)) {
      const word = this.#started ? this.#add(whole) : this.#open(whole);
      if (word) yield word;
    }
  }

  *#messages(chunk: Buffer): Generator<Buffer> {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    // Joined once per message. Joining at each chunk would take quadratic time for a large message.
    if (this.#have < this.#need) return;
    const bytes = join(this.#parts);
    let at = 0;
    for (;;) {
      // Only messages that open a connection have no type byte before their length.
      const type = this.#started ? 1 : 0;
      this.#need = type + 4;
      if (bytes.length - at < this.#need) break;
      const length = bytes.readInt32BE(at + type);
      if (length < 4 || length > LONGEST) throw new ProtocolViolation(`a message says that it has ${length} bytes`);
      this.#need = type + length;
      if (bytes.length - at < this.#need) break;
      yield bytes.subarray(at, at += this.#need);
    }
    this.#parts = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#have = bytes.length - at;
  }

  #open(whole: Buffer): Word {
    const code = whole.length < 8 ? 0 : whole.readInt32BE(4);
    if (ENCRYPTION.includes(code)) return { kind: "encryption" };
    if (code === CANCEL && whole.length === 16) {
      return { kind: "cancel", pid: whole.readInt32BE(8), secret: whole.readInt32BE(12) };
    }
    if (code >>> 16 !== VERSION_3) throw new ProtocolViolation(`${code} is neither protocol version 3 nor a request`);
    this.#started = true;
    const texts = whole.toString("utf8", 8).split("\0");
    const settings = new Map<string, string>();
    for (let i = 0; texts[i]; i += 2) settings.set(texts[i] ?? "", texts[i + 1] ?? "");
    return { kind: "startup", settings };
  }

  #add(whole: Buffer): Word | undefined {
    const type = String.fromCharCode(whole[0] ?? 0);
    switch (type) {
      case "Q":
      case "P":
        this.#may_copy ||= MAY_COPY.test(whole.toString("latin1"));
        if (type === "P" && whole[5] !== 0) this.#statements.push(textAt(whole, 5));
        break;
      case "c":
      case "d":
      case "f":
        // Data that a client still sends for a refused COPY.
        return undefined;
      case "X":
        return { kind: "terminate" };
      default:
        if (!"BCDEFHS".includes(type)) throw new ProtocolViolation(`no client message has the type ${type}`);
    }
    this.#batch.push(whole);
    if (this.#may_copy && (type === "Q" || type === "E")) this.#batch.push(COPY_FAIL);
    if (type === "Q" || type === "F") return this.#close("query");
    if (type === "S") return this.#close("sync");
    return type === "H" ? this.#close("flush") : undefined;
  }

  #close(ends: Batch["ends"]): Batch {
    const batch: Batch = { kind: "batch", bytes: join(this.#batch), ends, statements: this.#statements };
    this.#batch = [];
    this.#statements = [];
    return batch;
  }
}

/** Joins buffers. Adjacent views of the same memory are not copied. */
function join(parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const areNeighbours = parts.every((part, i) => {
    const before = parts[i - 1];
    return !before || part.buffer === before.buffer && part.byteOffset === before.byteOffset + before.length;
  });
  const [first] = parts;
  return first && areNeighbours ? Buffer.from(first.buffer, first.byteOffset, length) : Buffer.concat(parts, length);
}
