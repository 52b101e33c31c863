/** Holds the session, and opens a new one after the backend has stopped. */
import type { Backend } from "./backend.ts";
import { Session } from "./session.ts";

/** The pause after a failed start. */
const PAUSE_MS = 2_000;

export class Revival {
  readonly #reopen: () => Promise<Backend>;
  #failure: { reason: string; until: number } | undefined;
  session: Session | undefined;
  /** Resolves when the current attempt has ended, successful or not. */
  attempt: Promise<void> | undefined;

  constructor(backend: Backend, reopen: () => Promise<Backend>) {
    this.session = new Session(backend);
    this.#reopen = reopen;
  }

  /** The reason of a failed attempt, during the pause after it. */
  get failure(): string | undefined {
    return this.#failure && performance.now() < this.#failure.until ? this.#failure.reason : undefined;
  }

  /** Starts the backend again. PostgreSQL recovers everything that was acknowledged. */
  async tryAgain(): Promise<void> {
    this.attempt ??= this.#try();
    await this.attempt;
  }

  async #try(): Promise<void> {
    try {
      this.session = new Session(await this.#reopen());
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { reason: stoppedBy(error), until: performance.now() + PAUSE_MS };
    } finally {
      this.attempt = undefined;
    }
  }
}

/** The message for clients of a backend that has stopped. */
export function stoppedBy(error: unknown): string {
  return `the embedded database stopped: ${error instanceof Error ? error.message : String(error)}`;
}
