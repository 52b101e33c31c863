/**
 * The source that a person edits: kept as the person's draft on the server while it differs from the published one. A
 * late answer never replaces newer typing, because every write carries a growing revision.
 */
import { api, troubleOf } from "../../api.ts";

export type App = Awaited<ReturnType<typeof api.apps.find.query>>;

/** After the last key. */
const SAVE_AFTER_MS = 600;
const RETRY_MS = 5_000;
/** Statuses after which the same write may succeed. 0: the server did not answer. */
const PASSING = [0, 429, 502, 503, 504];

/** `kept`: this browser has it, the server does not have it yet. */
export type State = "published" | "unsaved" | "draft" | "kept";

/** How the source is compiled. A change is part of the draft and becomes live with it. */
type Engines = Pick<App, "app_engine" | "css_engine">;
const enginesOf = ({ app_engine, css_engine }: App): Engines => ({ app_engine, css_engine });

interface Kept {
  text: string;
  base: number;
}

export class WorkingCopy {
  app = $state.raw<App>() as App;
  text = $state("");
  engines = $state.raw<Engines>() as Engines;
  state = $state<State>("published");
  /** The version that another person has published, where the draft was made from an older one. */
  theirs = $state.raw<App>();
  readonly differs = $derived(
    this.text !== this.app?.source_code || this.engines?.app_engine !== this.app?.app_engine ||
      this.engines?.css_engine !== this.app?.css_engine,
  );
  /** Why the server does not keep the draft, where trying again does not help. */
  fault = $state("");

  /** The app's `lock_version` that the text was made from. */
  #base: number;
  #revision = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving = false;
  readonly #may_edit: boolean;

  private constructor(app: App, may_edit: boolean) {
    this.app = app;
    this.text = app.source_code;
    this.engines = enginesOf(app);
    this.#base = app.lock_version;
    this.#may_edit = may_edit;
  }

  /** @throws what `apps.find` throws */
  static async open(id: string, may_edit: boolean): Promise<WorkingCopy> {
    const app = await api.apps.find.query({ id });
    const draft = may_edit && app.has_draft ? await api.apps.drafts.find.query({ id }) : undefined;
    const copy = new WorkingCopy(app, may_edit);
    if (draft) copy.#revision = Math.max(copy.#revision, draft.revision);
    // The browser's own copy is newer: it is removed once the server has the text.
    const kept = may_edit ? readKept(id) : undefined;
    const found = kept ?? (draft && { text: draft.source_code, base: draft.base_lock_version });
    if (draft) {
      const { app_engine, css_engine } = draft;
      copy.engines = { app_engine: app_engine ?? app.app_engine, css_engine: css_engine ?? app.css_engine };
    }
    if (found && (found.text !== app.source_code || copy.differs)) {
      copy.text = found.text;
      copy.#base = found.base;
      copy.state = kept ? "unsaved" : "draft";
      if (kept) copy.#later();
      if (found.base < app.lock_version) await copy.#compare();
    } else if (kept) forget(id);
    return copy;
  }

  /** The person has typed. */
  type(text: string): void {
    if (text === this.text) return;
    this.text = text;
    if (!this.#may_edit) return;
    this.state = "unsaved";
    keep(this.app.id, { text, base: this.#base });
    this.#later();
  }

  /** The person has chosen how the source is compiled. */
  choose(engines: Partial<Engines>): void {
    this.engines = { ...this.engines, ...engines };
    this.state = "unsaved";
    this.#later();
  }

  #later(after = SAVE_AFTER_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), after);
  }

  /** Writes the draft, or discards it where the text is the published one again. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#saving) return this.#later();
    this.#saving = true;
    const { text, engines, app: { id } } = this;
    const is_shown = () => this.text === text && this.engines === engines;
    const revision = this.#revision = Math.max(Date.now(), this.#revision + 1);
    try {
      if (!this.differs) {
        await api.apps.drafts.delete.mutate({ id, revision });
        if (is_shown()) this.state = "published";
      } else {
        const draft = { source_code: text, ...engines, base_lock_version: this.#base, revision };
        const saved = await api.apps.drafts.put.mutate({ id, draft });
        if (is_shown()) this.state = "draft";
        if (saved.lock_version > this.app.lock_version) await this.refresh();
      }
      this.fault = "";
      if (is_shown()) forget(id);
      else this.#later();
    } catch (error) {
      const { status, message } = troubleOf(error);
      this.state = "kept";
      // After 409 a later write of another tab is the draft. This tab's text stays in its editor and in the browser.
      if (PASSING.includes(status)) this.#later(RETRY_MS);
      else if (status !== 409) this.fault = message;
    } finally {
      this.#saving = false;
    }
  }

  /** Reads the app again. Without changes here the newer version is shown; with changes it is compared with them. */
  async refresh(): Promise<void> {
    const found = await api.apps.find.query({ id: this.app.id });
    if (found.lock_version === this.app.lock_version) return;
    const before = this.app;
    const had_changes = this.differs;
    this.app = found;
    if (!had_changes) this.#show(found);
    else if (found.source_code !== before.source_code) await this.#compare();
    // Other fields have changed: the draft was made from this source, too.
    else if (this.#base === before.lock_version) this.#base = found.lock_version;
  }

  async #compare(): Promise<void> {
    const base = await this.baseText();
    // Only other fields have changed, or both wrote the same.
    if (base === this.app.source_code) this.#base = this.app.lock_version;
    else if (this.differs) this.theirs = this.app;
  }

  /** The published source that the text was made from; undefined where it is no longer kept. */
  async baseText(): Promise<string | undefined> {
    const { id } = this.app;
    if (this.#base >= this.app.lock_version) return this.app.source_code;
    const versions = await api.apps.versions.query({ id, sort: "version", per_page: 500 });
    const found = versions.find(({ lock_version }) => lock_version !== null && lock_version >= this.#base);
    return found && (await api.apps.version.query({ id, version: found.version })).source_code;
  }

  /**
   * Makes the text live.
   *
   * @throws what `apps.update` throws, but not a conflict, which sets `theirs`
   */
  async publish(): Promise<boolean> {
    const { text, engines } = this;
    clearTimeout(this.#timer);
    try {
      const published = await api.apps.update.mutate({
        id: this.app.id,
        app: { ...engines, source_code: text, lock_version: this.app.lock_version },
      });
      this.#published(published, text);
      return true;
    } catch (error) {
      if (troubleOf(error).status === 409) {
        await this.refresh();
        if (!this.theirs) return await this.publish();
        return false;
      }
      this.#later();
      throw error;
    }
  }

  #published(app: App, text: string): void {
    const typed = this.text;
    this.#show(app);
    // Typing went on while the server compiled.
    if (typed !== text) this.type(typed);
    else void this.save();
  }

  /** Shows a published version, and drops the draft. */
  take(app: App): void {
    this.#show(app);
    void this.save();
  }

  #show(app: App): void {
    this.app = app;
    this.text = app.source_code;
    this.engines = enginesOf(app);
    this.#base = app.lock_version;
    this.theirs = undefined;
    this.state = "published";
  }

  /** Continues with another text, which contains the published changes. */
  merged(text: string): void {
    this.#base = this.app.lock_version;
    this.theirs = undefined;
    this.type(text);
  }
}

const keyOf = (id: string) => `draft:${id}`;

function keep(id: string, kept: Kept): void {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify(kept));
  } catch {
    // The browser's storage is full. The server gets the text in a moment.
  }
}

const forget = (id: string) => localStorage.removeItem(keyOf(id));

function readKept(id: string): Kept | undefined {
  const text = localStorage.getItem(keyOf(id));
  if (!text) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== "object" || kept === null || !("text" in kept) || !("base" in kept)) return undefined;
    return typeof kept.text === "string" && typeof kept.base === "number"
      ? { text: kept.text, base: kept.base }
      : undefined;
  } catch {
    return undefined;
  }
}
