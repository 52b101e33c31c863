/**
 * The one session of the backend, as several clients use it. What belongs to a session and differs by client is kept
 * apart here: settings from the startup, prepared statements, LISTEN. What a client sets later by SQL, temporary tables
 * and session advisory locks are shared; `set local` and `pg_advisory_xact_lock` mean what they always do.
 */
import { Buffer } from "node:buffer";
import type { Backend } from "./backend.ts";
import { closeStatement, query, SYNC } from "./wire/wire.ts";
import { type Outcome, readOutcome } from "./wire/wire_backend.ts";
import type { Batch } from "./wire/wire_client.ts";

/** A client, as the session and the turns see it. */
export interface Client {
  readonly pid: number;
  /** Proves that who asks to cancel is this client. */
  readonly secret: number;
  /** The statements that make its settings; "" for none. */
  readonly settings: string;
  /** Lets it in. */
  welcome(): void;
  answer(bytes: Buffer): void;
  /** Ends the connection, once what was answered has been read. */
  hangUp(): void;
  /** Ends the connection at once, with an error that the driver gives to whoever waits. */
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
   * Gives the backend this client's settings, outside of any transaction.
   *
   * @throws {BackendStopped}
   * @throws {Error} where PostgreSQL does not take one of them
   */
  settle({ settings }: Client): void {
    if (settings === this.#settings) return;
    this.backend.select(`reset all; ${settings}`);
    this.#settings = settings;
  }

  /** @throws {BackendStopped} */
  run(client: Client, batch: Batch): Outcome {
    // Where two clients take one name, PostgreSQL refuses the second, and the statement stays the first's.
    for (const name of batch.statements) if (!this.#owners.has(name)) this.#owners.set(name, client);
    const outcome = readOutcome(this.backend.run(batch.bytes));
    if (outcome.listens) this.#listeners.add(client);
    this.#channels_changed ||= outcome.listens || outcome.unlistens;
    if (this.#channels_changed && outcome.state === "idle") this.#keepChannels(client);
    return outcome;
  }

  /** Passes on what a run came to: its answer to the client, and its notifications to each that listens. */
  tell(client: Client, { answer, notifications }: Outcome): void {
    if (answer.length > 0) client.answer(answer);
    if (notifications.length === 0) return;
    const all = Buffer.concat(notifications);
    for (const listener of this.#listeners) listener.answer(all);
  }

  /**
   * Clears away what a client that is gone leaves behind.
   *
   * @param holds whether it was in the middle of something, which then is undone
   * @throws {BackendStopped}
   */
  clear(client: Client, holds: boolean): void {
    const left: Buffer[] = [];
    // The first is skipped where an error had the backend wait for a Sync; a bare Sync would commit a lone statement.
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

  /** UNLISTEN would end it for every client, so the channels are taken up again while another client listens. */
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
