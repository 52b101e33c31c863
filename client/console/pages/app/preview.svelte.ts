/** The preview of the text that stands in the editor: compiled by the server a moment after the last key. */
import { api, troubleOf } from "../../api.ts";
import type { Mistake } from "./editor.ts";
import { readMistake } from "./mistakes.ts";

const WAIT_MS = 300;
/** Lines of output that are kept. */
const MOST_LINES = 500;

type Sent = Parameters<typeof api.apps.preview.mutate>[0]["app"];
type Answer = Awaited<ReturnType<typeof api.apps.preview.mutate>>;

export interface OutputLine {
  id: number;
  kind: "log" | "warn" | "error";
  text: string;
  line: number | null;
  column: number | null;
  at: Date;
}

/** What the preview is made of. */
export interface Wanted {
  id: string;
  source_code: string;
  app_engine: Sent["app_engine"];
  css_engine: Sent["css_engine"];
  db_code: string | null;
}

export class Preview {
  /** Of the frame that is shown or loads behind the one that is shown. */
  url = $state<string>();
  sizes = $state.raw<Answer["sizes"]>();
  build_ms = $state<number>();
  mistakes = $state.raw<readonly Mistake[]>([]);
  warnings = $state.raw<readonly Mistake[]>([]);
  /** Why there is no preview of the present text, where the source is not the reason. */
  fault = $state("");
  busy = $state(false);
  /** When the shown preview was compiled. */
  compiled_at = $state.raw<Date>();
  output = $state.raw<readonly OutputLine[]>([]);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = "";
  #wanted: Wanted | undefined;
  #abort: AbortController | undefined;
  #next_id = 0;

  /** @param at_once without waiting for further keys */
  want(wanted: Wanted, at_once = false): void {
    const key = JSON.stringify(wanted);
    if (key === this.#asked && !at_once) return;
    this.#asked = key;
    this.#wanted = wanted;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#compile(wanted, key), at_once ? 0 : WAIT_MS);
  }

  /** Tries again where the server did not answer. */
  retry(): void {
    if (this.fault && this.#wanted) this.want(this.#wanted, true);
  }

  async #compile(wanted: Wanted, key: string): Promise<void> {
    this.#abort?.abort();
    const abort = this.#abort = new AbortController();
    this.busy = true;
    try {
      const answer = await api.apps.preview.mutate({ app: wanted }, { signal: abort.signal });
      if (key !== this.#asked) return;
      this.url = answer.url;
      this.sizes = answer.sizes;
      this.build_ms = answer.app_build_time + answer.css_build_time;
      this.warnings = answer.warnings.map(readMistake);
      this.mistakes = [];
      this.fault = "";
      this.compiled_at = new Date();
    } catch (error) {
      if (abort.signal.aborted || key !== this.#asked) return;
      const { message, fields, status } = troubleOf(error);
      this.mistakes = (fields.source_code ?? []).map(readMistake);
      this.fault = this.mistakes.length > 0 ? "" : message;
      // Too many, or too busy: the text is still to be shown.
      if (status === 429 || status === 503) this.#timer = setTimeout(() => void this.#compile(wanted, key), 2_000);
    } finally {
      if (this.#abort === abort) this.busy = false;
    }
  }

  /** The frame that the preview runs in has sent a message. */
  heard(data: unknown): void {
    if (!isMessage(data)) return;
    if (data.type === "console") {
      this.#add(data.level === "error" ? "error" : data.level === "warn" ? "warn" : "log", data);
    } else if (data.type === "error" || data.type === "rejection") this.#add("error", data);
    else if (data.type === "dropped") this.#add("warn", { text: `${data.count} further messages were dropped` });
  }

  #add(kind: OutputLine["kind"], { text, line, column, at }: Partial<Record<string, unknown>>): void {
    const entry = {
      id: this.#next_id++,
      kind,
      text: String(text ?? ""),
      line: typeof line === "number" ? line : null,
      column: typeof column === "number" ? column : null,
      at: new Date(typeof at === "number" ? at : Date.now()),
    };
    this.output = [...this.output.slice(1 - MOST_LINES), entry];
  }

  clear(): void {
    this.output = [];
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }
}

type Message = { atrium: "preview"; type: string } & Partial<Record<string, unknown>>;

export const isMessage = (data: unknown): data is Message =>
  typeof data === "object" && data !== null && "atrium" in data && data.atrium === "preview" && "type" in data &&
  typeof data.type === "string";
