/**
 * Schedules several clients on one backend. A client that is inside a transaction or an unfinished request holds the
 * backend; all others wait.
 */
import { type Backend, BackendStopped } from "./backend.ts";
import { Place } from "./place.ts";
import { Revival, stoppedBy } from "./revival.ts";
import type { Client, Session } from "./session.ts";
import { WaitLimit } from "./wait_limit.ts";
import type { Fault } from "./wire/wire.ts";
import type { Batch, Startup } from "./wire/wire_client.ts";

/** Work of the server itself, outside of transactions. */
interface Task {
  work: (session: Session) => void;
  reject: (error: unknown) => void;
}

/** After this time without a pause, the event loop gets its turn. */
const SLICE_MS = 10;
/** How long all others wait for a new client's first statement. */
export const GREETING_MS = 50;

export class Turns {
  readonly #revival: Revival;
  readonly #wait_limit: WaitLimit;
  readonly #places = new Map<Client, Place>();
  #line: Place[] = [];
  #tasks: Task[] = [];
  #holder: Place | undefined;
  #held_since = 0;
  #is_awake = false;
  #greeting: ReturnType<typeof setTimeout> | undefined;
  /** When the event loop must get its turn, and the callback that shows that it did. */
  #slice: { until: number; end: ReturnType<typeof setImmediate> } | undefined;
  /** The turn of the event loop, after which the work goes on. */
  #pause: ReturnType<typeof setTimeout> | undefined;
  #is_closed = false;
  /** The number of served requests. */
  runs = 0;

  /** @param reopen starts the backend again after it has stopped */
  constructor(backend: Backend, reopen: () => Promise<Backend>, lock_wait_ms: number) {
    this.#revival = new Revival(backend, reopen);
    this.#wait_limit = new WaitLimit(lock_wait_ms, () => ({
      holder: this.#holder,
      held_since: this.#held_since,
      line: this.#line,
    }));
  }

  /**
   * Answers the client's startup when its turn comes, and runs its first statement before those of others. The first
   * statement of postgres.js is internal (it reads types), and its failure is uncaught: it would end the process.
   */
  join(client: Client, startup: Startup): void {
    this.#places.set(client, new Place(client));
    this.add(client, startup);
  }

  /** Runs a batch when its turn comes, and answers the client. */
  add(client: Client, request: Batch | Startup): void {
    const place = this.#places.get(client);
    if (!place) return;
    place.add(request);
    this.#lineUp(place);
  }

  /** Rolls back the client's unfinished work and drops its queued requests. */
  leave(client: Client): void {
    const place = this.#places.get(client);
    if (!place) return;
    place.leave();
    this.#lineUp(place);
  }

  /** Refuses the client's queued requests. A running statement cannot be cancelled, because it blocks the process. */
  cancel(pid: number, secret: number): void {
    const fault: Fault = { severity: "ERROR", code: "57014", message: "canceling statement due to user request" };
    for (const [client, place] of this.#places) {
      if (client.pid === pid && client.secret === secret && place !== this.#holder) {
        place.refuse(fault, place.waits_since);
      }
    }
  }

  /**
   * Runs work of the server outside of transactions. It is exclusive until `work` returns; the rest of an asynchronous
   * `work` runs between requests of clients.
   *
   * @throws {BackendStopped}
   */
  alone<T>(work: (session: Session) => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#tasks.push({ work: (session) => resolve(work(session)), reject });
    this.#wake();
    return promise;
  }

  /** Ends all connections, writes a checkpoint and closes the backend. */
  async close(): Promise<void> {
    this.#is_closed = true;
    await this.#revival.attempt;
    for (const client of [...this.#places.keys()]) {
      client.hangUp();
      this.leave(client);
    }
    const { session } = this.#revival;
    try {
      if (session) await this.alone(({ backend }) => backend.select("checkpoint"));
    } finally {
      this.#wait_limit.end();
      clearTimeout(this.#greeting);
      clearTimeout(this.#pause);
      clearImmediate(this.#slice?.end);
      this.#revival.session = undefined;
      await session?.backend.close();
    }
  }

  #lineUp(place: Place): void {
    if (place !== this.#holder && !place.is_in_line) {
      place.is_in_line = true;
      this.#line.push(place);
    }
    this.#wake();
  }

  /** Deferred, so that requests of the same moment are queued together. */
  #wake(): void {
    if (this.#is_awake) return;
    this.#is_awake = true;
    queueMicrotask(() => this.#go());
  }

  #go(): void {
    // A client may answer each result with its next request in the same turn of the event loop. A slice therefore lasts
    // over several calls, until the event loop has completed a turn.
    this.#slice ??= {
      until: performance.now() + SLICE_MS,
      end: setImmediate(() => this.#slice = undefined),
    };
    const { until } = this.#slice;
    while (this.#revival.session ? this.#step(this.#revival.session) : this.#awaitBackend()) {
      if (performance.now() < until) continue;
      // Deno reads no sockets between immediates that follow each other: the server would answer no request during a long
      // transaction.
      this.#pause = setTimeout(() => this.#go());
      return;
    }
    this.#is_awake = false;
    this.#wait_limit.check();
  }

  /** @returns whether there may be more to do */
  #step(session: Session): boolean {
    const task = this.#holder ? undefined : this.#tasks.shift();
    const place = this.#holder ?? (task ? undefined : this.#line.shift());
    try {
      if (task) task.work(session);
      else if (place?.has_left) this.#clear(session, place);
      else if (place) return this.#serve(session, place);
      else return false;
    } catch (error) {
      task?.reject(error);
      if (!task || error instanceof BackendStopped) this.#halt(stoppedBy(error));
    }
    return true;
  }

  #serve(session: Session, place: Place): boolean {
    const { client } = place;
    place.is_in_line = false;
    const request = place.next();
    if (!request) return place !== this.#holder;
    let outcome;
    try {
      if (place !== this.#holder) session.settle(client);
      if (request.kind === "batch") outcome = session.run(client, request);
    } catch (error) {
      if (error instanceof BackendStopped) throw error;
      place.turnAway(request, { severity: "FATAL", code: "22023", message: textOf(error) });
      client.hangUp();
      return true;
    }
    this.runs++;
    clearTimeout(this.#greeting);
    this.#holder = outcome?.state === "idle" ? undefined : place;
    this.#held_since = performance.now();
    if (place.waits_since !== undefined) this.#lineUp(place);
    if (!outcome) this.#greeting = setTimeout(() => this.#release(place), GREETING_MS);
    // Last, because the client may send its next request inside this call.
    if (outcome) session.tell(client, outcome);
    else client.welcome();
    return true;
  }

  #release(place: Place): void {
    if (this.#holder !== place) return;
    // A first statement that has come during a pause is next: as the holder, this client is not in line.
    if (place.waits_since === undefined) this.#holder = undefined;
    this.#wake();
  }

  #clear(session: Session, place: Place): void {
    const holds = place === this.#holder;
    this.#holder = undefined;
    this.#places.delete(place.client);
    session.clear(place.client, holds);
  }

  /** The backend has stopped. Its session state is lost, so all clients must reconnect. */
  #halt(reason: string): void {
    const clients = [...this.#places.keys()];
    this.#revival.session = undefined;
    this.#holder = undefined;
    this.#line = [];
    this.#places.clear();
    for (const client of clients) client.fail(reason);
  }

  #awaitBackend(): boolean {
    const { failure, attempt } = this.#revival;
    if (this.#is_closed || attempt || this.#line.length + this.#tasks.length === 0) return false;
    if (failure !== undefined) this.#failAll(failure);
    else void this.#revival.tryAgain().then(() => this.#wake());
    return false;
  }

  #failAll(reason: string): void {
    for (const { reject } of this.#tasks.splice(0)) reject(new BackendStopped(reason));
    for (const { client } of this.#line.splice(0)) {
      this.#places.delete(client);
      client.fail(reason);
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
