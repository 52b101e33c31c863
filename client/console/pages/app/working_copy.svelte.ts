/**
 * The source that a person edits. What differs from the published one is the person's draft on the server until it is
 * published or discarded, and in the browser until the server has it.
 */
import { api, troubleOf } from "../../api.ts";
import { DraftKeeper, ifKept } from "../../draft_keeper.svelte.ts";

export type App = Awaited<ReturnType<typeof api.apps.find.query>>;
type StoredDraft = Awaited<ReturnType<typeof api.apps.drafts.find.query>>;

/** How the source is compiled. A change is part of the draft and becomes live with it. */
type Engines = Pick<App, "app_engine" | "css_engine">;
const enginesOf = ({ app_engine, css_engine }: App): Engines => ({ app_engine, css_engine });

interface Draft {
  text: string;
  engines: Engines;
  /** The app's `lock_version` that the text was made from. */
  base: number;
}

export class WorkingCopy {
  app = $state.raw<App>() as App;
  text = $state("");
  engines = $state.raw<Engines>() as Engines;
  /** The version that another person has published, where the draft was made from an older one. */
  theirs = $state.raw<App>();
  readonly draft: DraftKeeper<Draft>;
  readonly differs = $derived(
    this.text !== this.app?.source_code || this.engines?.app_engine !== this.app?.app_engine ||
      this.engines?.css_engine !== this.app?.css_engine,
  );

  #base: number;
  readonly #may_edit: boolean;

  private constructor(app: App, may_edit: boolean, stored: StoredDraft | undefined) {
    this.app = app;
    this.text = app.source_code;
    this.engines = enginesOf(app);
    this.#base = app.lock_version;
    this.#may_edit = may_edit;
    const { id } = app;
    this.draft = new DraftKeeper<Draft>({
      key: `draft:${id}`,
      is: isDraft,
      put: ({ text, engines, base }, revision) => this.#put(id, text, engines, base, revision),
      discard: (revision) => api.apps.drafts.delete.mutate({ id, revision }),
    }, stored?.revision);
  }

  /** @throws what `apps.find` throws */
  static async open(id: string, may_edit: boolean): Promise<WorkingCopy> {
    const app = await api.apps.find.query({ id });
    const stored = may_edit && app.has_draft ? await ifKept(api.apps.drafts.find.query({ id })) : undefined;
    const copy = new WorkingCopy(app, may_edit, stored);
    const kept = may_edit ? copy.draft.kept() : undefined;
    const draft = kept ?? (stored && {
      text: stored.source_code,
      engines: { app_engine: stored.app_engine ?? app.app_engine, css_engine: stored.css_engine ?? app.css_engine },
      base: stored.base_lock_version,
    });
    if (!draft) return copy;
    copy.text = draft.text;
    copy.engines = draft.engines;
    if (!copy.differs) copy.#note();
    else {
      copy.#base = draft.base;
      if (kept) copy.#note();
      if (draft.base < app.lock_version) await copy.#compare();
    }
    return copy;
  }

  async #put(id: string, source_code: string, engines: Engines, base: number, revision: number): Promise<void> {
    const draft = { source_code, ...engines, base_lock_version: base, revision };
    const { lock_version } = await api.apps.drafts.put.mutate({ id, draft });
    // The draft is written. A version that cannot be read now is read when the page is revisited.
    if (lock_version > this.app.lock_version) void this.refresh().catch(() => {});
  }

  #note(): void {
    const { text, engines } = this;
    this.draft.note(this.differs ? { text, engines, base: this.#base } : undefined);
  }

  /** The person has typed. */
  type(text: string): void {
    if (text === this.text) return;
    this.text = text;
    if (this.#may_edit) this.#note();
  }

  /** The person has chosen how the source is compiled. */
  choose(engines: Partial<Engines>): void {
    this.engines = { ...this.engines, ...engines };
    this.#note();
  }

  /** Reads the app again. Without changes here the newer version is shown; with changes it is compared with them. */
  async refresh(): Promise<void> {
    const found = await api.apps.find.query({ id: this.app.id });
    if (found.lock_version === this.#base || found.lock_version === this.theirs?.lock_version) return;
    const before = this.app;
    const had_changes = this.differs;
    this.app = found;
    if (!had_changes) this.#show(found);
    // An earlier comparison may be in flight, or may have failed.
    else if (found.source_code !== before.source_code || this.#base < before.lock_version) await this.#compare();
    // Only other fields have changed: the draft was made from this source, too.
    else this.#base = found.lock_version;
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
    try {
      const published = await api.apps.update.mutate({
        id: this.app.id,
        app: { ...engines, source_code: text, lock_version: this.#base },
      });
      this.#published(published, text);
      return true;
    } catch (error) {
      if (troubleOf(error).status === 409) {
        await this.refresh();
        if (!this.theirs) return await this.publish();
        return false;
      }
      throw error;
    }
  }

  #published(app: App, text: string): void {
    const typed = this.text;
    this.#show(app);
    // Typing went on while the server compiled.
    if (typed !== text) this.type(typed);
    else this.#note();
  }

  /** Shows a published version, and drops the draft. */
  take(app: App): void {
    this.#show(app);
    this.#note();
  }

  #show(app: App): void {
    this.app = app;
    this.text = app.source_code;
    this.engines = enginesOf(app);
    this.#base = app.lock_version;
    this.theirs = undefined;
  }

  /** Continues with another text, which contains the published changes. */
  merged(text: string): void {
    this.#base = this.app.lock_version;
    this.theirs = undefined;
    this.text = text;
    this.#note();
  }
}

function isDraft(value: object): value is Draft {
  const { text, engines, base }: Partial<Record<keyof Draft, unknown>> = value;
  return typeof text === "string" && typeof base === "number" && typeof engines === "object" && engines !== null &&
    "app_engine" in engines && "css_engine" in engines;
}
