/**
 * Limits the wait for an idle transaction, which may itself wait for one of the waiting clients (a deadlock). First the
 * waiting statements are refused. If the transaction stays idle and others wait, it is rolled back.
 */
import type { Place } from "./place.ts";
import type { Fault } from "./wire/wire.ts";

export interface Waiting {
  /** The client that is inside a transaction or an unfinished request. */
  holder: Place | undefined;
  /** The time of its last request, by performance.now(). */
  held_since: number;
  line: readonly Place[];
}

export class WaitLimit {
  readonly #limit_ms: number;
  readonly #look: () => Waiting;
  #alarm: ReturnType<typeof setTimeout> | undefined;

  /** @param look reads who waits for whom at this moment */
  constructor(limit_ms: number, look: () => Waiting) {
    this.#limit_ms = limit_ms;
    this.#look = look;
  }

  /** Sets the alarm for the first client whose wait becomes too long. Called after each change of the line. */
  check(): void {
    this.end();
    const { holder, held_since, line } = this.#look();
    const waits = Math.min(...line.map((place) => place.waits_since ?? Infinity));
    if (!holder || waits === Infinity) return;
    const due = Math.max(waits, held_since) + this.#limit_ms;
    this.#alarm = setTimeout(() => this.#endWaiting(), Math.max(1, due - performance.now() + 1));
  }

  end(): void {
    clearTimeout(this.#alarm);
    this.#alarm = undefined;
  }

  #endWaiting(): void {
    const ms = this.#limit_ms;
    const now = performance.now();
    const { holder, held_since, line } = this.#look();
    if (held_since + ms > now) return this.check();
    if (held_since + 2 * ms < now) {
      holder?.client.fail(`a transaction did nothing for ${2 * ms} ms, and is undone`);
    } else for (const place of [...line]) place.refuse(tooLong(ms), now - ms);
    this.check();
  }
}

function tooLong(ms: number): Fault {
  return {
    severity: "ERROR",
    code: "55P03",
    message: `waited ${ms} ms for the embedded database, which another connection keeps in an idle transaction`,
    hint: "Inside sql.begin, use the handle of the transaction.",
  };
}
