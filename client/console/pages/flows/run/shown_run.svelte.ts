/** The run whose values stand beside the program. A run in progress is followed to its end. */
import { api, troubleOf } from "../../../api.ts";
import type { Run, StepRecord } from "../program/types.ts";

const FOLLOW_MS = 400;
const LISTED = 20;

type Listed = Awaited<ReturnType<typeof api.flow_processes.list.query>>[number];

export const hasEnded = ({ status }: { status: string }): boolean => status !== "pending" && status !== "waiting";

export class ShownRun {
  run = $state.raw<Run>();
  list = $state.raw<readonly Listed[]>();
  fault = $state("");
  /** The iteration that is shown of steps inside loops, from 0; the last one while undefined. */
  iteration = $state<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #order = 0;

  /** The code of the flow. */
  readonly code: () => string;

  constructor(code: () => string) {
    this.code = code;
  }

  /** The run whose values fill templates: it has ended or waits. One that is executed changes with each step. */
  readonly seen = $derived(this.run && this.run.status !== "pending" ? this.run.id : undefined);

  /** Its records by the id of their step, in the order of their execution. */
  readonly by_id = $derived.by(() => {
    const found = new Map<string, StepRecord[]>();
    for (const step of this.run?.steps ?? []) found.set(step.id, [...found.get(step.id) ?? [], step]);
    return found;
  });

  of(id: string): StepRecord | undefined {
    const all = this.by_id.get(id) ?? [];
    return all[Math.min(this.iteration ?? Infinity, all.length - 1)];
  }

  async read(): Promise<void> {
    try {
      this.list = await api.flow_processes.list.query({ flow_code: this.code(), per_page: LISTED, count: false });
      this.fault = "";
    } catch (error) {
      this.fault = troubleOf(error).message;
    }
  }

  /** Shows a run, and follows it while it is in progress. */
  async show(id: string | undefined): Promise<void> {
    clearTimeout(this.#timer);
    const order = ++this.#order;
    if (id === undefined) {
      this.run = undefined;
      return;
    }
    try {
      const run = await api.flow_processes.find.query({ id });
      if (order !== this.#order) return;
      if (run.id !== this.run?.id) this.iteration = undefined;
      this.run = run;
      this.fault = "";
      if (!hasEnded(run)) this.#timer = setTimeout(() => void this.show(id), FOLLOW_MS);
      else if (!this.list?.some((one) => one.id === id && hasEnded(one))) void this.read();
    } catch (error) {
      if (order !== this.#order) return;
      const { message, status } = troubleOf(error);
      this.fault = message;
      if (status !== 404) this.#timer = setTimeout(() => void this.show(id), 5 * FOLLOW_MS);
    }
  }

  /** A run that was read elsewhere. */
  put(run: Run): void {
    void this.show(run.id);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#order++;
  }
}
