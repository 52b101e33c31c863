/** The server's opinion of the program that is edited: faults, warnings, and templates with the values of a run. */
import { untrack } from "svelte";
import { api, troubleOf } from "../../api.ts";
import type { FlowCopy } from "./flow_copy.svelte.ts";
import { isIn, type Path, textOf } from "./program/json.ts";
import { openChoice } from "./program/open_choice.ts";
import { pathOfText, stepAround } from "./program/steps.ts";
import type { Checked } from "./program/types.ts";

const WAIT_MS = 300;

export interface Complaint {
  path: Path;
  /** The step that it belongs to; undefined for the program as a whole. */
  step: Path | undefined;
  text: string;
  /** `todo`: a choice that a new step still asks for. A save refuses it. */
  severity: "error" | "warning" | "todo";
}

type Rendered = Checked["rendered"][number];

export class Check {
  busy = $state(false);
  fault = $state("");
  #checked = $state.raw<Checked>();
  #order = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly copy: FlowCopy;

  constructor(copy: FlowCopy) {
    this.copy = copy;
  }

  readonly complaints = $derived.by((): Complaint[] => {
    const of = (messages: Record<string, string[]>, severity: "error" | "warning") =>
      Object.entries(messages).flatMap(([key, texts]): Complaint[] => {
        if (!key.startsWith("fields.program")) return [];
        const path = pathOfText(key);
        const step = stepAround(path, this.copy.program);
        const asks = Object.hasOwn(this.copy.refused, key) ? undefined : openChoice(this.copy.program, path);
        if (asks !== undefined && severity === "error") return [{ path, step, text: asks, severity: "todo" }];
        return texts.map((text): Complaint => ({ path, step, text, severity }));
      });
    const errors = { ...this.#checked?.errors, ...this.copy.refused };
    return [...of(errors, "error"), ...of(this.#checked?.warnings ?? {}, "warning")];
  });
  readonly errors = $derived(this.complaints.filter(({ severity }) => severity === "error"));
  readonly warnings = $derived(this.complaints.filter(({ severity }) => severity === "warning"));
  readonly todos = $derived(this.complaints.filter(({ severity }) => severity === "todo"));
  readonly scope = $derived(this.#checked?.scope ?? []);
  readonly #rendered = $derived(new Map(this.#checked?.rendered.map((one) => [one.path, one])));
  readonly is_checked = $derived(this.#checked !== undefined && this.fault === "");

  rendered(path: Path): Rendered | undefined {
    return this.#rendered.get(["fields", "program", textOf(path)].join("."));
  }
  /** What the server says of the value at the path and inside of it. */
  at(path: Path): Complaint[] {
    return this.complaints.filter((complaint) => isIn(complaint.path, path));
  }
  /** What the server says of the value at the path as a whole. */
  exactly(path: Path): Complaint[] {
    return this.complaints.filter((complaint) => textOf(complaint.path) === textOf(path));
  }
  /** What belongs to this step, but not to a step inside of it. */
  ofStep(path: Path): Complaint[] {
    return this.complaints.filter(({ step }) => step !== undefined && textOf(step) === textOf(path));
  }

  /** Asks again after a while. @param step the id of the step whose names are listed */
  want(program: unknown, step: string | undefined, run_id: string | undefined): void {
    clearTimeout(this.#timer);
    if (!Array.isArray(program)) return;
    const order = ++this.#order;
    this.#timer = setTimeout(async () => {
      this.busy = true;
      try {
        const checked = await api.flows.check.mutate({ id: this.copy.flow.id, program, step, run_id });
        if (order !== this.#order) return;
        this.#checked = checked;
        this.fault = "";
      } catch (error) {
        if (order === this.#order) this.fault = troubleOf(error).message;
      } finally {
        if (order === this.#order) this.busy = false;
      }
      // An effect that wants a check does not depend on the answer.
    }, untrack(() => this.#checked) ? WAIT_MS : 0);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#order++;
  }
}
