/** One client's place among those who share the backend: what it waits to run, and how that is refused. */
import type { Client } from "./session.ts";
import { errorResponse, type Fault, READY } from "./wire/wire.ts";
import type { Batch, Startup } from "./wire/wire_client.ts";

export class Place {
  readonly #queue: { request: Batch | Startup; since: number }[] = [];
  /** After a refusal all is dropped up to the client's next Sync, as the protocol has it. */
  #is_skipping = false;
  is_in_line = false;
  has_left = false;

  constructor(readonly client: Client) {}

  /** When the first that waits came, by performance.now(); undefined where nothing waits. */
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

  /** Refuses what came until then. The client must not be in a transaction. */
  refuse(fault: Fault, until = Infinity): void {
    // Read anew each time, because an answer may bring the client's next batch.
    for (let first = this.#queue[0]; first && (this.#is_skipping || first.since <= until); first = this.#queue[0]) {
      this.#queue.shift();
      if (this.#is_skipping) this.#skip(first.request);
      else this.turnAway(first.request, fault);
    }
  }

  /** Refuses what `next` gave. */
  turnAway(request: Batch | Startup, fault: Fault): void {
    if (request.kind === "startup") {
      // Both, because a postgres.js connection that once broke under a statement takes the answer to be for that one, and
      // would connect again and again.
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
