/** The socket that postgres.js is given in place of one to a server. */
import type { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import type { Client } from "./session.ts";
import type { Turns } from "./turns.ts";
import { errorResponse, welcome } from "./wire/wire.ts";
import { ProtocolViolation, Splitter, type Word } from "./wire/wire_client.ts";

/** Above this postgres.js would wait for a `drain` between its statements; here nothing drains, all is taken at once. */
const WRITABLE_BYTES = 64 * 1024 * 1024;

export class EmbeddedSocket extends Duplex implements Client {
  readonly secret = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  settings = "";
  readonly #splitter = new Splitter();
  #told: [string, string][] = [];
  #is_over = false;

  constructor(
    private readonly turns: Turns,
    /** What the backend tells each client that connects. */
    private readonly parameters: [string, string][],
    readonly pid: number,
  ) {
    super({ allowHalfOpen: false, writableHighWaterMark: WRITABLE_BYTES });
  }

  /** As of a socket: without it `sql.end()` would wait for ever. */
  get readyState(): "open" | "readOnly" | "closed" {
    if (this.closed) return "closed";
    return this.writableEnded ? "readOnly" : "open";
  }

  answer(bytes: Buffer): void {
    if (this.#is_over || this.destroyed) return;
    try {
      this.push(bytes);
    } catch (error) {
      // The reader's own, as it reads at once. It ends neither this connection nor the turn of the others.
      reportError(error);
    }
  }

  welcome(): void {
    this.answer(welcome(this.#told, this.pid, this.secret));
  }

  hangUp(): void {
    this.#is_over = true;
    this.push(null);
  }

  fail(reason: string): void {
    // The code of a server that is gone, so that it is told from a statement's own error.
    this.destroy(Object.assign(new Error(reason), { code: "ECONNRESET" }));
  }

  override _read(): void {
    // Answers are pushed as they come.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // Not at once: an answer that came from inside of its own write would make postgres.js forget what it writes next.
    queueMicrotask(() => {
      if (!this.destroyed) this.#read(chunk);
      done();
    });
  }

  override _final(done: () => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.turns.leave(this);
    done(error);
  }

  #read(chunk: Buffer): void {
    try {
      for (const word of this.#splitter.push(chunk)) this.#hear(word);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.answer(errorResponse({ severity: "FATAL", code: "08P01", message: error.message }));
      this.hangUp();
    }
  }

  #hear(word: Word): void {
    switch (word.kind) {
      case "batch":
        return this.turns.add(this, word);
      case "startup":
        this.settings = settingsOf(word.settings);
        this.#told = this.parameters.map(([name, value]) => [name, word.settings.get(name) ?? value]);
        return this.turns.join(this, word);
      case "cancel":
        this.turns.cancel(word.pid, word.secret);
        return this.hangUp();
      case "encryption":
        this.push("N");
        return;
      case "terminate":
        this.destroy();
    }
  }
}

/**
 * Of a client's startup: all but who it is and its encoding, which is always UTF-8, and time-outs. Those count only
 * while PostgreSQL waits, which here it never does, and one that struck between two statements would end the backend.
 */
function settingsOf(startup: Map<string, string>): string {
  const settings = [...startup].filter(([name]) =>
    !["user", "database", "replication", "options", "client_encoding"].includes(name) && !name.endsWith("_timeout")
  );
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const calls = settings.map(([name, value]) => `set_config(${quote(name)}, ${quote(value)}, false)`);
  return calls.length > 0 ? `select ${calls.join(", ")}` : "";
}
