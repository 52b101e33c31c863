/**
 * The program that a person edits, as steps and as JSON. What differs from the saved program is the person's draft on the
 * server until it is saved or discarded, and in the browser until the server has it.
 */
import { api, troubleOf } from "../../api.ts";
import { DraftKeeper } from "../../draft_keeper.svelte.ts";
import { isAt, isIn, type Json, type Path, textOf, valueAt } from "./program/json.ts";
import { positionOf, readJson, type Span, writeJson } from "./program/json_text.ts";
import { rowsOf, type Types } from "./program/steps.ts";
import type { Flow, StepType } from "./program/types.ts";

/** States that can be brought back. */
const MOST_UNDO = 200;
/** Changes of one field within this time are taken back together. */
const TOGETHER_MS = 1_000;

interface Shot {
  text: string;
  selected: Path | undefined;
}

interface Draft {
  text: string;
  base: number;
  base_text: string;
}

type KeptDraft = Awaited<ReturnType<typeof api.flows.drafts.find.query>>;

/** A mistake of the text as JSON. Lines and columns count from 1. */
export interface TextFault {
  line: number;
  column: number;
  text: string;
}

export class FlowCopy {
  flow = $state.raw<Flow>() as Flow;
  text = $state("");
  /** The last text that could be read. */
  program = $state.raw<Json>([]);
  spans = $state.raw<ReadonlyMap<string, Span>>(new Map());
  fault = $state.raw<TextFault>();
  selected = $state.raw<Path>();
  folded = $state.raw<ReadonlySet<string>>(new Set());
  /** The flow as another person has saved it, where the draft was made from an older one. */
  theirs = $state.raw<Flow>();
  /** Why the last save was refused, by path. */
  refused = $state.raw<Record<string, string[]>>({});
  saving = $state(false);
  can_undo = $state(false);
  can_redo = $state(false);
  readonly draft: DraftKeeper<Draft>;

  readonly step_types: readonly StepType[];
  readonly types: Types;
  readonly may_edit: boolean;
  /** The program as it is saved, as text. */
  #saved_text = $state("");
  readonly differs = $derived(this.text !== this.#saved_text);
  readonly rows = $derived.by(() => rowsOf(this.program, this.types, this.folded));
  /** All steps, also those that are folded. */
  readonly all = $derived.by(() => rowsOf(this.program, this.types, new Set()));

  #base: number;
  #undo: Shot[] = [];
  #redo: Shot[] = [];
  #last: { field: string; at: number } | undefined;

  /** @param stored the person's draft on the server */
  constructor(flow: Flow, step_types: readonly StepType[], may_edit: boolean, stored: KeptDraft | undefined) {
    this.step_types = step_types;
    this.may_edit = may_edit;
    this.types = new Map(step_types.map((type) => [type.type, type]));
    this.flow = flow;
    this.#base = flow.lock_version;
    this.#saved_text = writeJson(programOf(flow));
    this.#read(this.#saved_text);
    const { id } = flow;
    this.draft = new DraftKeeper<Draft>({
      key: `flow-draft:${id}`,
      is: isDraft,
      put: ({ text, base, base_text }, revision) =>
        api.flows.drafts.put.mutate({
          id,
          draft: { program_text: text, base_text, base_lock_version: base, revision },
        }),
      discard: (revision) => api.flows.drafts.delete.mutate({ id, revision }),
    }, stored?.revision);
    const kept = may_edit ? this.draft.kept() : undefined;
    const draft = kept ?? (stored && {
      text: stored.program_text,
      base: stored.base_lock_version,
      base_text: stored.base_text,
    });
    if (!draft || draft.text === this.#saved_text) {
      if (draft) this.draft.note(undefined);
      return;
    }
    this.#read(draft.text);
    if (kept) this.draft.note(kept);
    this.#base = draft.base;
    this.base_text = draft.base_text;
    if (draft.base !== flow.lock_version) {
      if (draft.base_text === this.#saved_text) this.#base = flow.lock_version;
      else this.theirs = flow;
    }
  }

  /** The saved program that the draft was made from; empty where it is the present one. */
  base_text = "";

  /** The program as it is saved, as text. */
  get saved_text(): string {
    return this.#saved_text;
  }

  #read(text: string): void {
    this.text = text;
    const read = readJson(text);
    if ("fault" in read) this.fault = { ...positionOf(text, read.at), text: read.fault };
    else if (!Array.isArray(read.value)) {
      this.fault = { line: 1, column: 1, text: "A program is a list of steps: [ … ]" };
    } else {
      this.fault = undefined;
      this.program = read.value;
      this.spans = read.spans;
    }
  }

  #shoot(field: string | undefined): void {
    const now = Date.now();
    const together = field !== undefined && this.#last?.field === field && now - this.#last.at < TOGETHER_MS;
    this.#last = field === undefined ? undefined : { field, at: now };
    if (!together) this.#undo = [...this.#undo.slice(1 - MOST_UNDO), { text: this.text, selected: this.selected }];
    this.#redo = [];
    this.#note();
  }

  #note(): void {
    this.can_undo = this.#undo.length > 0;
    this.can_redo = this.#redo.length > 0;
    this.refused = {};
    if (this.text === this.#saved_text) {
      this.#base = this.flow.lock_version;
      this.draft.note(undefined);
    } else {
      this.draft.note({ text: this.text, base: this.#base, base_text: this.base_text || this.#saved_text });
    }
  }

  /** A change of the steps. @param field changes of the same field are taken back together */
  change(program: Json, selected: Path | undefined = this.selected, field?: string): void {
    if (!this.may_edit) return;
    const text = writeJson(program);
    if (text === this.text && isSame(selected, this.selected)) return;
    this.#shoot(field);
    this.#read(text);
    this.selected = selected;
    this.#note();
  }

  /** The person has typed JSON. */
  type(text: string): void {
    if (text === this.text || !this.may_edit) return;
    this.#shoot("text");
    this.#read(text);
    this.#note();
  }

  undo(): void {
    this.#step(this.#undo, this.#redo);
  }
  redo(): void {
    this.#step(this.#redo, this.#undo);
  }
  #step(from: Shot[], to: Shot[]): void {
    const shot = from.pop();
    if (!shot) return;
    to.push({ text: this.text, selected: this.selected });
    this.#last = undefined;
    this.#read(shot.text);
    this.selected = shot.selected && valueAt(this.program, shot.selected) !== undefined ? shot.selected : undefined;
    this.#note();
  }

  select(path: Path | undefined): void {
    if (isSame(path, this.selected)) return;
    this.selected = path;
    this.#last = undefined;
    if (path) this.#unfoldAround(path);
  }

  fold(path: Path, folded = !this.folded.has(textOf(path))): void {
    const keys = new Set(this.folded);
    if (folded) keys.add(textOf(path));
    else keys.delete(textOf(path));
    this.folded = keys;
    if (folded && this.selected && isIn(this.selected, path) && !isAt(this.selected, path)) this.selected = path;
  }

  #unfoldAround(path: Path): void {
    const hidden = [...this.folded].filter((key) => textOf(path).startsWith(`${key}.`));
    if (hidden.length > 0) this.folded = new Set([...this.folded].filter((key) => !hidden.includes(key)));
  }

  discard(): void {
    this.#shoot(undefined);
    this.theirs = undefined;
    this.#base = this.flow.lock_version;
    this.base_text = "";
    this.#read(this.#saved_text);
    this.selected = undefined;
    this.#note();
  }

  /** @throws what `flows.update` throws, but not a conflict, which sets `theirs` */
  async save({ force = false } = {}): Promise<boolean> {
    if (this.fault || !Array.isArray(this.program)) return false;
    const { text, program } = this;
    this.saving = true;
    try {
      const saved = await api.flows.update.mutate({
        id: this.flow.id,
        flow: { fields: { program }, lock_version: this.#base, ...force && { force } },
      });
      this.take(saved, text);
      return true;
    } catch (error) {
      const { status, fields } = troubleOf(error);
      if (status !== 409) {
        this.refused = fields;
        throw error;
      }
      this.theirs = await api.flows.find.query({ id: this.flow.id });
      return false;
    } finally {
      this.saving = false;
    }
  }

  /** The flow was saved, or read again. @param text the text that was saved; the saved program by default */
  take(flow: Flow, text?: string): void {
    const had_changes = this.differs && this.text !== text;
    this.flow = flow;
    this.theirs = undefined;
    this.#base = flow.lock_version;
    this.base_text = "";
    this.#saved_text = text ?? writeJson(programOf(flow));
    if (!had_changes && this.text !== this.#saved_text) this.#read(this.#saved_text);
    this.#note();
  }

  /** Continues with a text that has the changes of both. */
  merged(text: string): void {
    if (!this.theirs) return;
    this.#shoot(undefined);
    this.flow = this.theirs;
    this.#saved_text = writeJson(programOf(this.theirs));
    this.#base = this.theirs.lock_version;
    this.base_text = "";
    this.theirs = undefined;
    this.#read(text);
    this.#note();
  }

  /** Other fields of the flow may have changed; another program is shown at once, or compared with the draft. */
  async refresh(): Promise<void> {
    const found = await api.flows.find.query({ id: this.flow.id });
    if (found.lock_version === this.flow.lock_version) return;
    const same_program = writeJson(programOf(found)) === this.#saved_text;
    if (this.differs && !same_program) this.theirs = found;
    else if (this.differs) {
      this.flow = found;
      this.#base = found.lock_version;
    } else this.take(found);
  }
}

const isSame = (a: Path | undefined, b: Path | undefined) =>
  a === b || a !== undefined && b !== undefined && isAt(a, b);

export const programOf = ({ fields }: { fields: { program: unknown[] } }): Json =>
  JSON.parse(JSON.stringify(fields.program));

function isDraft(value: object): value is Draft {
  const { text, base, base_text }: Partial<Record<keyof Draft, unknown>> = value;
  return typeof text === "string" && typeof base === "number" && typeof base_text === "string";
}
