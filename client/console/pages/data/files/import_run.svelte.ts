/** Imports into tables, one at a time for each. They go on when their dialog is left. */
import { sessionFetch } from "../../../connection.svelte.ts";
import { counted } from "../../../format.ts";
import { forgetWork, hasWork, tellWork } from "../../../work.svelte.ts";
import { addressOf, type Field } from "../tables.ts";
import { importKey } from "./import_key.ts";
import { type Preview, previewOf } from "./file_rows.ts";
import { importFile, type Mapping, matching, NO_PROGRESS, type Progress } from "./import_file.ts";

export interface ImportPlace {
  code: string;
  table_name: string | undefined;
  /** Of the table or its database. */
  name: string;
}

const runs = new Map<string, ImportRun>();

/** The import into a table that runs, or has ended and has not been looked at; otherwise a new one. */
export function importInto(place: ImportPlace): ImportRun {
  const key = importKey(place.code, place.table_name ?? "");
  const known = runs.get(key);
  // The notice of one that has ended may have been dismissed.
  const run = known && (known.running || hasWork(key)) ? known : new ImportRun(key, place);
  runs.set(key, run);
  return run;
}

export class ImportRun {
  readonly #key: string;
  readonly #place: ImportPlace;
  file = $state.raw<File>();
  preview = $state.raw<Preview>();
  mapping = $state.raw<Mapping>({});
  trouble = $state("");
  progress = $state.raw<Progress>();
  /** What runs, or has run last. */
  step = $state<"map" | "check" | "import">("map");
  running = $state.raw<AbortController>();
  #is_open = false;

  constructor(key: string, place: ImportPlace) {
    this.#key = key;
    this.#place = place;
  }

  async choose(file: File, fields: readonly Field[]): Promise<void> {
    this.trouble = "";
    try {
      const preview = await previewOf(file);
      this.mapping = matching(preview.columns, fields);
      [this.file, this.preview] = [file, preview];
      [this.step, this.progress] = ["map", undefined];
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
    }
  }

  map(column: string, field: string): void {
    // A field has one column.
    const others = Object.entries(this.mapping).filter(([one, to]) => one !== column && to !== field);
    this.mapping = Object.fromEntries(field ? [...others, [column, field]] : others);
    [this.step, this.progress] = ["map", undefined];
  }

  /** @param from where an import that has ended early goes on */
  async start(dry_run: boolean, fields: readonly Field[], from: Progress = NO_PROGRESS): Promise<void> {
    const { file, preview, mapping } = this;
    if (!file || !preview || this.running) return;
    const control = this.running = new AbortController();
    [this.trouble, this.progress, this.step] = ["", from, dry_run ? "check" : "import"];
    this.#tell();
    try {
      await importFile({
        db_code: this.#place.code,
        table_name: this.#place.table_name,
        file,
        preview,
        fields,
        mapping,
        dry_run,
        signal: control.signal,
        fetch: sessionFetch,
        onprogress: (told) => {
          this.progress = told;
          this.#tell();
        },
      }, from);
    } catch (error) {
      this.trouble = control.signal.aborted ? "Stopped." : error instanceof Error ? error.message : String(error);
    } finally {
      this.running = undefined;
      this.#takeFound(fields);
      this.#tell();
    }
  }

  /** Columns that the whole file has and its beginning has not can be mapped, too. */
  #takeFound(fields: readonly Field[]): void {
    const { preview, progress } = this;
    // An import that goes on has those of its first run already.
    const found = progress?.found.filter((name) => !preview?.columns.includes(name)) ?? [];
    if (!preview || found.length === 0) return;
    this.preview = { ...preview, columns: [...preview.columns, ...found] };
    this.mapping = matching(found, fields, this.mapping);
  }

  opened(): void {
    this.#is_open = true;
    this.#tell();
  }

  /** An import goes on; anything else ends with its dialog. */
  left(): void {
    this.#is_open = false;
    if (this.running && this.step === "import") return this.#tell();
    this.running?.abort();
    runs.delete(this.#key);
    forgetWork(this.#key);
  }

  /** A dry run does not outlive its dialog, so it is no work of its own. */
  #tell(): void {
    if (this.step !== "import" || runs.get(this.#key) !== this) return;
    const { created, rejected, bytes } = this.progress ?? NO_PROGRESS;
    const { code, table_name, name } = this.#place;
    const rows = `${counted(created, "row")}${
      rejected.length > 0 ? `, ${rejected.length.toLocaleString()} rejected` : ""
    }`;
    tellWork({
      key: this.#key,
      text: this.running
        ? `Importing into ${name}: ${rows}`
        : this.trouble
        ? `The import into ${name} has ended: ${this.trouble} ${rows}.`
        : `Imported into ${name}: ${rows}`,
      href: `${addressOf(code, table_name ?? "")}?import=1`,
      part: Math.min(1, bytes / (this.file?.size || 1)),
      state: this.running ? "running" : this.trouble ? "failed" : "done",
      is_open: this.#is_open,
    });
  }
}
