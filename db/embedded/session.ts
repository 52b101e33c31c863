/**
 * Several clients share the one session of the backend. This file separates what differs by client: settings of the
 * startup message, prepared statements, LISTEN. Settings that a client makes later with SQL, temporary tables and
 * session advisory locks are shared. `set local` and `pg_advisory_xact_lock` work as usual.
 */
import { Buffer } from "node:buffer";
import type { Backend } from "./backend.ts";
import { closeStatement, query, SYNC } from "./wire/wire.ts";
import { type Outcome, readOutcome } from "./wire/wire_backend.ts";
import type { Batch } from "./wire/wire_client.ts";

/** A client of the session. */
export interface Client {
  readonly pid: number;
  /** Must be sent with a request to cancel this client's statement. */
  readonly secret: number;
  /** SQL for its settings; empty if there are none. */
  readonly settings: string;
  /** Answers the startup message. */
  welcome(): void;
  answer(bytes: Buffer): void;
  /** Ends the connection after its answers have been read. */
  hangUp(): void;
  /** Ends the connection at once. The driver passes the error to waiting callers. */
  fail(reason: string): void;
}

export class Session {
  #settings = "";
  readonly #owners = new Map<string, Client>();
  readonly #listeners = new Set<Client>();
  readonly #channels = new Set<string>();
  #channels_changed = false;

  constructor(readonly backend: Backend) {}

  /**
   * Applies this client's settings. Must be called outside of transactions.
   *
   * @throws {BackendStopped}
   * @throws {Error} if PostgreSQL refuses a setting
   */
  settle({ settings }: Client): void {
    if (settings === this.#settings) return;
    this.backend.select(`reset all; ${settings}`);
    this.#settings = settings;
  }

  /** @throws {BackendStopped} */
  run(client: Client, batch: Batch): Outcome {
    // If two clients use the same name, PostgreSQL refuses the second, and the statement stays with the first.
    for (const name of batch.statements) if (!this.#owners.has(name)) this.#owners.set(name, client);
    const outcome = readOutcome(this.backend.run(batch.bytes));
    if (outcome.listens) this.#listeners.add(client);
    this.#channels_changed ||= outcome.listens || outcome.unlistens;
    if (this.#channels_changed && outcome.state === "idle") this.#keepChannels(client);
    return outcome;
  }

  /** Sends the answer of a run to its client, and its notifications to all listeners. */
  tell(client: Client, { answer, notifications }: Outcome): void {
    if (answer.length > 0) client.answer(answer);
    if (notifications.length === 0) return;
    const all = Buffer.concat(notifications);
    for (const listener of this.#listeners) listener.answer(all);
  }

  /**
   * Removes what a disconnected client leaves behind.
   *
   * @param holds whether it was inside a transaction or request, which is rolled back
   * @throws {BackendStopped}
   */
  clear(client: Client, holds: boolean): void {
    const left: Buffer[] = [];
    // After an error the backend ignores everything up to a Sync, so the first rollback may be ignored. A Sync alone
    // would commit a single statement.
    if (holds) left.push(query("rollback"), SYNC, query("rollback"));
    for (const [name, owner] of this.#owners) {
      if (owner !== client) continue;
      this.#owners.delete(name);
      left.push(closeStatement(name));
    }
    left.push(SYNC);
    if (this.#listeners.delete(client) && this.#listeners.size === 0) {
      this.#channels.clear();
      left.push(query("unlisten *"));
    }
    if (left.length > 1) this.backend.run(Buffer.concat(left));
  }

  /** UNLISTEN applies to the whole session. Channels that other clients still listen to are opened again. */
  #keepChannels(client: Client): void {
    this.#channels_changed = false;
    const listened = new Set(this.backend.select("select pg_listening_channels()").filter((name) => name !== null));
    const others = [...this.#listeners].some((listener) => listener !== client);
    for (const name of this.#channels) {
      if (listened.has(name)) continue;
      if (others) this.backend.select(`listen "${name.replaceAll('"', '""')}"`);
      else this.#channels.delete(name);
    }
    for (const name of listened) this.#channels.add(name);
  }
}
