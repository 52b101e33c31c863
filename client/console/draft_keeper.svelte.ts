/**
 * Keeps what a person types as the person's draft on the server, and in the browser until the server has it. A late
 * answer never replaces newer typing, because every write carries a growing revision.
 */
import { troubleOf } from "./api.ts";

/** After the last key. */
const WRITE_AFTER_MS = 600;
const RETRY_MS = 5_000;
/** Statuses after which the same write may succeed. 0: the server did not answer. */
const PASSING = [0, 429, 502, 503, 504];

/** `kept`: this browser has it, the server does not have it yet. */
export type DraftState = "saved" | "unsaved" | "draft" | "kept";

interface DraftStore<Content extends object> {
  /** Of the browser's copy in its storage. */
  key: string;
  /** Whether a stored object is a draft of this kind. */
  is(value: object): value is Content;
  put(content: Content, revision: number): Promise<unknown>;
  discard(revision: number): Promise<unknown>;
}

/** The draft that the server has; undefined where it was discarded in the meantime. */
export const ifKept = <Draft>(found: Promise<Draft>): Promise<Draft | undefined> =>
  found.catch((error) => {
    // Without the answer the page must not open: typing would replace a draft that is not shown.
    if (troubleOf(error).status !== 404) throw error;
    return undefined;
  });

export class DraftKeeper<Content extends object> {
  state = $state<DraftState>("saved");
  /** Why the server does not keep the draft, where trying again does not help. */
  fault = $state("");

  readonly #store: DraftStore<Content>;
  /** Undefined where nothing differs from what is saved. */
  #content: Content | undefined;
  #revision: number;
  /** Of the draft that the server had at first. */
  readonly #first_revision: number;
  /** Whether the server may have a draft. */
  #held: boolean;
  #writing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param revision of the draft that the server has */
  constructor(store: DraftStore<Content>, revision: number | undefined) {
    this.#store = store;
    this.#first_revision = revision ?? 0;
    this.#revision = Math.max(Date.now(), revision ?? 0);
    this.#held = revision !== undefined;
    if (this.#held) this.state = "draft";
  }

  /** What this browser has and the server does not have, unless another browser has written since. */
  kept(): Content | undefined {
    const text = localStorage.getItem(this.#store.key);
    if (!text) return undefined;
    try {
      const kept = Object(JSON.parse(text));
      const at = typeof kept.at === "number" ? kept.at : 0;
      return this.#store.is(kept) && (!this.#held || at > this.#first_revision) ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  /** What differs now. Undefined discards the draft. */
  note(content: Content | undefined): void {
    this.#content = content;
    if (content !== undefined) {
      this.#keep(content);
      this.state = "unsaved";
      return this.#later();
    }
    this.state = "saved";
    this.#forget();
    if (this.#held || this.#writing) this.#later(0);
    else clearTimeout(this.#timer);
  }

  /** Writes at once what waits for a pause: the page is left. */
  flush(): void {
    if (this.state === "unsaved") this.#later(0);
  }

  #keep(content: Content): void {
    try {
      localStorage.setItem(this.#store.key, JSON.stringify({ ...content, at: Date.now() }));
    } catch {
      // The browser's storage is full. The server gets the text in a moment.
    }
  }

  #forget(): void {
    localStorage.removeItem(this.#store.key);
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
      this.#forget();
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
