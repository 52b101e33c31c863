/** The Duplex that postgres.js gets instead of a socket to a server. */
import type { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import type { Client } from "./session.ts";
import type { Turns } from "./turns.ts";
import { errorResponse, welcome } from "./wire/wire.ts";
import { ProtocolViolation, Splitter, type Word } from "./wire/wire_client.ts";

/**
 * Above this, postgres.js would wait for `drain` between statements. Here nothing drains, because all is read at once.
 */
const WRITABLE_BYTES = 64 * 1024 * 1024;

export class EmbeddedSocket extends Duplex implements Client {
  readonly secret = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  settings = "";
  readonly #splitter = new Splitter();
  #announced: [string, string][] = [];
  #is_over = false;

  constructor(
    private readonly turns: Turns,
    /** The parameters that the backend announces to each new client. */
    private readonly parameters: [string, string][],
    readonly pid: number,
  ) {
    super({ allowHalfOpen: false, writableHighWaterMark: WRITABLE_BYTES });
  }

  /** A property of sockets. Without it, `sql.end()` would never resolve. */
  get readyState(): "open" | "readOnly" | "closed" {
    if (this.closed) return "closed";
    return this.writableEnded ? "readOnly" : "open";
  }

  answer(bytes: Buffer): void {
    if (this.#is_over || this.destroyed) return;
    try {
      this.push(bytes);
    } catch (error) {
      // An error of the reader, which runs inside `push`. It must end neither this connection nor the others' turns.
      reportError(error);
    }
  }

  welcome(): void {
    this.answer(welcome(this.#announced, this.pid, this.secret));
  }

  hangUp(): void {
    this.#is_over = true;
    this.push(null);
  }

  fail(reason: string): void {
    // The code of a lost server, which distinguishes it from an error of the statement.
    this.destroy(Object.assign(new Error(reason), { code: "ECONNRESET" }));
  }

  override _read(): void {
    // Nothing to do: answers are pushed when they arrive.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // Deferred: an answer during its own write would make postgres.js lose what it writes next.
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
        this.#announced = this.parameters.map(([name, value]) => [name, word.settings.get(name) ?? value]);
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
 * The SQL for the settings in a client's startup message. User, database and encoding (always UTF-8) are left out. So
 * are timeouts: they apply only while PostgreSQL waits, which it never does here, and one that expired between two
 * statements would end the backend.
 */
function settingsOf(startup: Map<string, string>): string {
  const settings = [...startup].filter(([name]) =>
    !["user", "database", "replication", "options", "client_encoding"].includes(name) && !name.endsWith("_timeout")
  );
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const calls = settings.map(([name, value]) => `set_config(${quote(name)}, ${quote(value)}, false)`);
  return calls.length > 0 ? `select ${calls.join(", ")}` : "";
}
