/** The settings that a person edits. What is not saved stays while other pages of the console are open. */
import { api, troubleOf } from "../../api.ts";
import { notify } from "../../notices.svelte.ts";
import { keepUnsaved, unsavedOf } from "../data/unsaved.ts";
import { changesOf, type Form, formOf, sentOf } from "./app_settings.ts";
import type { App, WorkingCopy } from "./working_copy.svelte.ts";

export class SettingsDraft {
  form = $state<Form>() as Form;
  errors = $state.raw<Record<string, string[]>>({});
  saving = $state(false);
  #base = $state.raw<Form>() as Form;
  readonly #copy: WorkingCopy;
  readonly #key: string;
  readonly changes = $derived(changesOf(this.form, this.#base));
  readonly changed = $derived(Object.keys(this.changes).length > 0);

  constructor(copy: WorkingCopy) {
    this.#copy = copy;
    this.#key = `app_settings/${copy.app.id}`;
    this.#base = formOf(copy.app);
    this.form = { ...formOf(copy.app), ...unsavedOf<Partial<Form>>(this.#key) };
  }

  /** To be called in an effect. */
  keep(): void {
    keepUnsaved(this.#key, this.changed ? $state.snapshot(this.changes) : undefined);
  }

  /** Takes what the server has; what was typed stays. */
  take(app: App): void {
    const typed = $state.snapshot(this.changes);
    this.#base = formOf(app);
    this.form = { ...formOf(app), ...typed };
  }

  undo(): void {
    this.form = formOf(this.#copy.app);
    this.errors = {};
  }

  async save(): Promise<void> {
    if (this.saving || !this.changed) return;
    this.saving = true;
    const { id, lock_version } = this.#copy.app;
    const sent = $state.snapshot(this.changes);
    try {
      await api.apps.update.mutate({ id, app: { ...sentOf(sent), lock_version } });
      this.errors = {};
      this.#base = { ...this.#base, ...sent };
      await this.#copy.refresh().catch(() => {});
      notify("The settings are saved");
    } catch (error) {
      const { message, fields, status } = troubleOf(error);
      this.errors = fields;
      if (status === 409) await this.#copy.refresh().catch(() => {});
      const others = "Another person has changed the app meanwhile. Check the settings, then save again.";
      if (Object.keys(fields).length === 0) notify(status === 409 ? others : message, { kind: "failed" });
    } finally {
      this.saving = false;
    }
  }

  /** After the app was deleted. */
  forget(): void {
    this.undo();
    keepUnsaved(this.#key, undefined);
  }
}
