/** The rows of a run's waterfall: its program with what was executed, loops by iteration, attempts side by side. */
import type { Step, WholeRun } from "./runs.ts";

/** A part of a row's bar, in milliseconds since the run began. */
export interface Span {
  from: number;
  to: number;
  kind: "ok" | "bad" | "run" | "wait" | "around";
}

export interface Node {
  /** Unique among the rows. */
  key: string;
  kind: "step" | "iteration" | "iterations" | "attempt";
  name: string;
  /** Of the step, where its name is another one. */
  id?: string;
  /** Of the step; of an iteration that of its loop. */
  type: string;
  /** What the run executed; undefined where it did not come to it. */
  step?: Step | undefined;
  /** From 0, of an attempt. */
  attempt?: number;
  spans: Span[];
  /** The program has it switched off. */
  disabled?: boolean;
  /** Whether something failed in it. */
  bad: boolean;
  /** Whether something is in progress or waits in it. */
  busy: boolean;
  /** Whether something in it was cancelled. */
  cancelled: boolean;
  children: Node[];
  /** A short text beside the bar, if it is not the time. */
  note?: string;
}

interface ProgramStep {
  id: string;
  type: string;
  /** What it is called, or what it does in one line; its id where neither is known. */
  name: string;
  on_error: string;
  disabled: boolean;
  branches: ProgramStep[][];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys of a step that contain steps, in the order in which the server names steps. */
const BRANCHES = ["then", "cases", "steps", "ask", "on_timeout", "else", "catch"];

/** The line of a step without a name. */
export type TitleOf = (step: Record<string, unknown>) => string;

/** A program as it was written. Steps without an id get the names that the server gives them. */
export function readProgram(program: readonly unknown[], titleOf: TitleOf = () => ""): ProgramStep[] {
  const all: ProgramStep[] = [];
  const read = (steps: readonly unknown[]): ProgramStep[] =>
    steps.filter(isObject).map((written) => {
      const text = (key: string) => (typeof written[key] === "string" ? written[key] : "");
      const step: ProgramStep = {
        id: text("id"),
        type: text("type"),
        name: text("name") || titleOf(written),
        on_error: text("on_error"),
        disabled: written.disabled === true,
        branches: [],
      };
      all.push(step);
      for (const key of BRANCHES) {
        const branch = written[key];
        const lists = key === "cases" && isObject(branch) ? Object.values(branch) : [branch];
        step.branches.push(...lists.filter(Array.isArray).map(read));
      }
      return step;
    });
  const steps = read(program);
  const taken = new Set(all.map(({ id }) => id));
  let count = 0;
  for (const step of all) {
    if (step.id) continue;
    do step.id = `step_${++count}`; while (taken.has(step.id));
  }
  return steps;
}

/** What the rows call the step at a place; undefined if it is in no row. */
export function nameAt(nodes: readonly Node[], place: string): string | undefined {
  for (const { kind, name, step, children } of nodes) {
    const found = kind === "step" && step?.place === place ? name : nameAt(children, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

const startsOf = (nodes: readonly Node[]): number[] => nodes.flatMap(({ spans }) => spans.map(({ from }) => from));

/** The bar of a step with steps inside it is at least as long as these. */
const around = (span: Span, children: readonly Node[]): Span =>
  span.kind === "around"
    ? { ...span, to: Math.max(span.to, ...children.flatMap(({ spans }) => spans.map(({ to }) => to))) }
    : span;

const isLoop = (type: string) => type === "for_each" || type === "repeat";

/** @param now in milliseconds since 1970: the end of what is in progress */
export function waterfall(
  run: WholeRun,
  program: readonly unknown[] | undefined,
  now: number,
  titleOf?: TitleOf,
): {
  nodes: Node[];
  /** When the run began, in milliseconds since 1970. */
  start: number;
  /** Its length. */
  ms: number;
} {
  const times = run.steps.map(({ started_at }) => Date.parse(started_at));
  const start = Math.min(run.started_at ? Date.parse(run.started_at) : now, ...times);
  const end = run.finished_at ? Date.parse(run.finished_at) : now;
  const by_place = new Map(run.steps.map((step) => [step.place, step]));
  const iterations = iterationsOf(run.steps);
  const over = run.finished_at !== null;

  const endOf = (step: Step): number =>
    (step.status === "running" || step.status === "waiting") && !over ? end : Date.parse(step.started_at) + step.ms;

  /** @param from when it began, in milliseconds since the run began */
  const spansOf = (step: Step, from: number): Span[] => {
    const to = from + endOf(step) - Date.parse(step.started_at);
    const attempts = step.call?.attempts ?? [];
    if (isLoop(step.type) || step.type === "if" || step.type === "switch") return [{ from, to, kind: "around" }];
    if (step.status === "cancelled" && attempts.length < 2) return [{ from, to, kind: "wait" }];
    if (step.status === "waiting" || step.type === "wait" || step.type === "approval" || step.type === "flow") {
      return [{ from, to, kind: step.status === "error" ? "bad" : "wait" }];
    }
    if (step.status === "running") return [{ from, to, kind: "run" }];
    if (attempts.length < 2) return [{ from, to, kind: step.status === "error" ? "bad" : "ok" }];
    return attempts.flatMap((attempt, index): Span[] => {
      const began = Date.parse(attempt.started_at) - start;
      const next = attempts[index + 1];
      const failed = index < attempts.length - 1 || step.status === "error";
      const kind = failed ? "bad" : step.status === "cancelled" ? "wait" : "ok";
      const span: Span = { from: began, to: began + attempt.ms, kind };
      return next ? [span, { from: span.to, to: Date.parse(next.started_at) - start, kind: "wait" }] : [span];
    });
  };

  const attemptsOf = (step: Step): Node[] => {
    const attempts = step.call?.attempts ?? [];
    if (attempts.length < 2) return [];
    return attempts.map(({ status, error, started_at, ms }, index): Node => {
      const from = Date.parse(started_at) - start;
      const bad = index < attempts.length - 1 || step.status === "error";
      return {
        key: `${step.place}#${index}`,
        kind: "attempt",
        name: `Attempt ${index + 1}`,
        type: step.type,
        step,
        attempt: index,
        spans: [{ from, to: from + ms, kind: bad ? "bad" : step.status === "cancelled" ? "wait" : "ok" }],
        bad,
        busy: false,
        cancelled: false,
        children: [],
        note: status === null ? error ?? "" : String(status),
      };
    });
  };

  /**
   * @param limit when the step after these steps began. A run that has waited computes its steps without effects again
   * and records the later time, so a step is drawn no later than the steps that follow it.
   */
  const build = (steps: readonly ProgramStep[], prefix: string, limit = Infinity): Node[] => {
    const nodes: Node[] = [];
    for (const planned of steps.toReversed()) {
      const place = prefix + planned.id;
      const step = by_place.get(place);
      const children = step ? childrenOf(planned, step, place, prefix, limit) : [];
      if (step) limit = Math.min(limit, Date.parse(step.started_at) - start, ...startsOf(children));
      const name = step?.name || planned.name || planned.id;
      nodes.unshift({
        key: place,
        ...planned.disabled && { disabled: true },
        kind: "step",
        name,
        ...name !== planned.id && { id: planned.id },
        type: planned.type,
        step,
        spans: step ? spansOf(step, limit).map((span) => around(span, children)) : [],
        bad: step?.status === "error" || children.some(({ bad }) => bad),
        busy: !over && (step?.status === "running" || step?.status === "waiting" || children.some(({ busy }) => busy)),
        cancelled: step?.status === "cancelled" || children.some(({ cancelled }) => cancelled),
        children,
        ...noteOf(step),
      });
    }
    return nodes;
  };

  const childrenOf = (planned: ProgramStep, step: Step, place: string, prefix: string, limit: number): Node[] => {
    const attempts = attemptsOf(step);
    if (!isLoop(planned.type)) {
      // A branch that was not taken is left out; the rest of one that was taken may not have been reached.
      const taken = planned.branches.map((branch) => build(branch, prefix, limit))
        .filter((nodes) => nodes.some((node) => node.step));
      return [...attempts, ...taken.flat()];
    }
    const [body = [], ...others] = planned.branches;
    const after = others.map((branch) => build(branch, prefix, limit)).filter((nodes) =>
      nodes.some((node) => node.step)
    );
    const seen = iterations.get(place) ?? [];
    const each = seen.map((index): Node => {
      const nodes = build(body, `${place}.${index}.`, limit);
      const reached = nodes.flatMap(({ spans }) => spans);
      return {
        key: `${place}.${index}`,
        kind: "iteration",
        name: `Iteration ${index + 1}`,
        type: planned.type,
        spans: reached.length === 0 ? [] : [{
          from: Math.min(...reached.map(({ from }) => from)),
          to: Math.max(...reached.map(({ to }) => to)),
          kind: "around",
        }],
        bad: nodes.some(({ bad }) => bad),
        busy: nodes.some(({ busy }) => busy),
        cancelled: nodes.some(({ cancelled }) => cancelled),
        children: nodes,
      };
    });
    return [...folded(each, place), ...rest(step, seen, place), ...after.flat()];
  };

  const nodes = program ? build(readProgram(program, titleOf), "") : run.steps.map((step): Node => ({
    key: step.place,
    kind: "step",
    name: step.name ?? step.place,
    type: step.type,
    step,
    spans: spansOf(step, Date.parse(step.started_at) - start),
    bad: step.status === "error",
    busy: !over && (step.status === "running" || step.status === "waiting"),
    cancelled: step.status === "cancelled",
    children: attemptsOf(step),
    ...noteOf(step),
  }));
  const last = Math.max(end, ...run.steps.map(endOf));
  return { nodes, start, ms: Math.max(1, last - start) };
}

/** What the program decided. */
function noteOf(step: Step | undefined): { note?: string } {
  if (step?.type === "if" && typeof step.output === "boolean") return { note: step.output ? "yes" : "no" };
  if (step?.type === "switch" && step.status === "finished") return { note: String(step.output) };
  return {};
}

/** The numbers of the iterations that a run has begun, by the place of the loop. */
function iterationsOf(steps: readonly Step[]): Map<string, number[]> {
  const found = new Map<string, Set<number>>();
  for (const { place } of steps) {
    const parts = place.split(".");
    // `each.3.rates`: ids alternate with numbers.
    for (let at = 1; at < parts.length - 1; at += 2) {
      const loop = parts.slice(0, at).join(".");
      const numbers = found.get(loop) ?? new Set();
      numbers.add(Number(parts[at]));
      found.set(loop, numbers);
    }
  }
  return new Map([...found].map(([loop, numbers]) => [loop, [...numbers].toSorted((a, b) => a - b)]));
}

/** Folds neighbours that went well into one row each. */
function folded(each: readonly Node[], place: string): Node[] {
  const rows: Node[] = [];
  let group: Node[] = [];
  const close = () => {
    const [first] = group;
    if (first && group.length > 1) {
      rows.push({
        key: `${first.key}..`,
        kind: "iterations",
        name: `Iterations ${first.name.replace(/\D+/, "")}–${group.at(-1)?.name.replace(/\D+/, "")}`,
        type: first.type,
        spans: group.flatMap(({ spans }) => spans).map((span) => ({ ...span, kind: "ok" })),
        bad: false,
        busy: false,
        cancelled: false,
        children: group,
        note: "succeeded",
      });
    } else rows.push(...group);
    group = [];
  };
  for (const node of each) {
    if (!node.bad && !node.busy && !node.cancelled) group.push(node);
    else {
      close();
      rows.push(node);
    }
  }
  close();
  return rows.map((row) => ({ ...row, key: row.key || place }));
}

/** Items that a loop has not begun. */
function rest({ output, type }: Step, seen: readonly number[], place: string): Node[] {
  const count = Array.isArray(output) ? output.length : isObject(output) ? Number(output.count) : 0;
  const first = (seen.at(-1) ?? -1) + 1;
  if (type !== "for_each" || !(count > first)) return [];
  const name = count - first === 1 ? `Iteration ${count}` : `Iterations ${first + 1}–${count}`;
  return [{
    key: `${place}.rest`,
    kind: "iterations",
    name,
    type,
    spans: [],
    bad: false,
    busy: false,
    cancelled: false,
    children: [],
  }];
}

/** The rows that lead to a place: they are unfolded when a link names it. */
export function pathTo(nodes: readonly Node[], place: string): string[] {
  for (const node of nodes) {
    if (node.kind !== "attempt" && node.step?.place === place) return [node.key];
    const inside = pathTo(node.children, place);
    if (inside.length > 0) return [node.key, ...inside];
  }
  return [];
}

/** Round distances for an axis of so many milliseconds. */
export function ticksOf(ms: number, most = 6): number[] {
  const sizes = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1e3,
    2e3,
    5e3,
    1e4,
    2e4,
    3e4,
    6e4,
    12e4,
    3e5,
    6e5,
    12e5,
    18e5,
    36e5,
  ];
  const days = [2, 3, 6, 12, 24, 48, 96, 168, 336].map((hours) => hours * 36e5);
  const size = [...sizes, ...days].find((one) => ms / one <= most) ?? 720 * 36e5;
  return Array.from({ length: Math.floor(ms / size) + 1 }, (_, n) => n * size);
}
