/** The queue of one client: its waiting requests, and how they are refused. */
import type { Client } from "./session.ts";
import { errorResponse, type Fault, READY } from "./wire/wire.ts";
import type { Batch, Startup } from "./wire/wire_client.ts";

export class Place {
  readonly #queue: { request: Batch | Startup; since: number }[] = [];
  /** After a refusal, the protocol drops everything up to the client's next Sync. */
  #is_skipping = false;
  is_in_line = false;
  has_left = false;

  constructor(readonly client: Client) {}

  /** When the first waiting request arrived, by performance.now(); undefined if none waits. */
  get waits_since(): number | undefined {
    return this.#queue[0]?.since;
  }

  add(request: Batch | Startup): void {
    if (this.has_left) return;
    if (this.#is_skipping) this.#skip(request);
    else this.#queue.push({ request, since: performance.now() });
  }

  next(): Batch | Startup | undefined {
    return this.#queue.shift()?.request;
  }

  leave(): void {
    this.has_left = true;
    this.#queue.length = 0;
  }

  /** Refuses requests that arrived up to `until`. The client must not be in a transaction. */
  refuse(fault: Fault, until = Infinity): void {
    // The queue is read again each time, because the client may send its next batch inside `answer`.
    for (let first = this.#queue[0]; first && (this.#is_skipping || first.since <= until); first = this.#queue[0]) {
      this.#queue.shift();
      if (this.#is_skipping) this.#skip(first.request);
      else this.turnAway(first.request, fault);
    }
  }

  /** Refuses a request that `next` returned. */
  turnAway(request: Batch | Startup, fault: Fault): void {
    if (request.kind === "startup") {
      // Both an answer and an error: a postgres.js connection that once broke during a statement would take the answer
      // as the one to that statement, and reconnect again and again.
      this.client.answer(errorResponse({ ...fault, severity: "FATAL" }));
      return this.client.fail(fault.message);
    }
    this.client.answer(errorResponse(fault));
    this.#is_skipping = request.ends === "flush";
    if (!this.#is_skipping) this.client.answer(READY);
  }

  #skip(request: Batch | Startup): void {
    if (request.kind === "startup" || request.ends !== "sync") return;
    this.#is_skipping = false;
    this.client.answer(READY);
  }
}
