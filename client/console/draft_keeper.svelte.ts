/**
 * Keeps what a person types as the person's draft on the server. A late answer never replaces newer typing, because every
 * write carries a growing revision.
 */
import { troubleOf } from "./api.ts";

/** After the last key. */
const WRITE_AFTER_MS = 600;
const RETRY_MS = 5_000;
/** Statuses after which the same write may succeed. 0: the server did not answer. */
const PASSING = [0, 429, 502, 503, 504];

/** `kept`: this browser has it, the server does not have it yet. */
export type DraftState = "saved" | "unsaved" | "draft" | "kept";

interface DraftStore<Content> {
  put(content: Content, revision: number): Promise<unknown>;
  discard(revision: number): Promise<unknown>;
  /** The server has what is shown: the browser's own copy is not needed. */
  forget(): void;
}

export class DraftKeeper<Content extends object> {
  state = $state<DraftState>("saved");
  /** Why the server does not keep the draft, where trying again does not help. */
  fault = $state("");

  readonly #store: DraftStore<Content>;
  /** Undefined where nothing differs from what is saved. */
  #content: Content | undefined;
  #revision: number;
  /** Whether the server may have a draft. */
  #held: boolean;
  #writing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param revision of the draft that the server has */
  constructor(store: DraftStore<Content>, revision: number | undefined) {
    this.#store = store;
    this.#revision = Math.max(Date.now(), revision ?? 0);
    this.#held = revision !== undefined;
    if (this.#held) this.state = "draft";
  }

  /** What differs now. Undefined discards the draft. */
  note(content: Content | undefined): void {
    this.#content = content;
    if (content === undefined && !this.#held && !this.#writing) {
      clearTimeout(this.#timer);
      this.state = "saved";
      return this.#store.forget();
    }
    this.state = content === undefined ? "saved" : "unsaved";
    this.#later();
  }

  #later(after = WRITE_AFTER_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), after);
  }

  async #write(): Promise<void> {
    if (this.#writing) return this.#later();
    this.#writing = true;
    const content = this.#content;
    const is_shown = () => this.#content === content;
    const revision = this.#revision = Math.max(Date.now(), this.#revision + 1);
    try {
      if (content === undefined) {
        await this.#store.discard(revision);
        this.#held = false;
      } else {
        this.#held = true;
        await this.#store.put(content, revision);
      }
      this.fault = "";
      if (!is_shown()) return this.#later();
      this.state = content === undefined ? "saved" : "draft";
      this.#store.forget();
    } catch (error) {
      const { status, message } = troubleOf(error);
      if (content !== undefined) this.state = "kept";
      // After 409 a later write of another tab is the draft. This tab's text stays in its editor and in the browser.
      if (PASSING.includes(status)) this.#later(RETRY_MS);
      else if (status !== 409) this.fault = message;
    } finally {
      this.#writing = false;
    }
  }
}
