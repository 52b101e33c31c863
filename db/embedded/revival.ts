/** The session while there is one, and how there is one again after the backend stopped. */
import type { Backend } from "./backend.ts";
import { Session } from "./session.ts";

/** A backend that did not start is not tried again sooner. */
const PAUSE_MS = 2_000;

export class Revival {
  readonly #reopen: () => Promise<Backend>;
  #failure: { reason: string; until: number } | undefined;
  session: Session | undefined;
  /** Settles, and never fails, when an attempt that is under way has ended. */
  attempt: Promise<void> | undefined;

  constructor(backend: Backend, reopen: () => Promise<Backend>) {
    this.session = new Session(backend);
    this.#reopen = reopen;
  }

  /** Why there is no session, for a while after an attempt that failed. */
  get failure(): string | undefined {
    return this.#failure && performance.now() < this.#failure.until ? this.#failure.reason : undefined;
  }

  /** Recovery brings back all that was acknowledged. */
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

/** What a client is told whose backend stopped. */
export function stoppedBy(error: unknown): string {
  return `the embedded database stopped: ${error instanceof Error ? error.message : String(error)}`;
}
