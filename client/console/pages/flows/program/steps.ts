/** The steps of a program as rows, and changes of a program. Nothing here changes its arguments. */
import { isObject, type Json, type JsonObject, type Path, textOf, valueAt, withValue } from "./json.ts";
import type { Field, StepType } from "./types.ts";

export type Types = ReadonlyMap<string, Pick<StepType, "type" | "blank"> & { fields: readonly Field[] }>;

export interface Branch {
  path: Path;
  label: string;
  steps: readonly Json[];
}

/** A step, or the heading of a list of steps inside it. */
export interface Row {
  key: string;
  path: Path;
  /** Undefined for a heading. */
  step: JsonObject | undefined;
  label: string;
  /** 1 for the program's own list. */
  level: number;
  /** The place among all steps, from 1; of a heading 0. */
  number: number;
  /** As the server names a step without an id. */
  id: string;
  has_branches: boolean;
  empty: boolean;
  /** Whether the step or one around it is disabled. */
  disabled: boolean;
}

const typeOf = (step: Json | undefined): string => isObject(step) && typeof step.type === "string" ? step.type : "";
const listAt = (program: Json, path: Path): Json[] => {
  const list = valueAt(program, path);
  return Array.isArray(list) ? list : [];
};

/** Lists of steps inside a step, in the order of their execution. */
export function branchesOf(step: Json | undefined, path: Path, types: Types): Branch[] {
  const fields = types.get(typeOf(step))?.fields ?? [];
  if (!isObject(step)) return [];
  const one = (key: string, label: string, rest: Path = [key]): Branch => ({
    path: [...path, ...rest],
    label,
    steps: listAt(step, rest),
  });
  const shown = fields.filter(({ key, required }) => key !== "catch" && (required || Object.hasOwn(step, key)));
  const own = shown.flatMap(({ key, kind }) => {
    if (kind === "steps") return [one(key, key)];
    const cases = step[key];
    if (kind !== "cases" || !isObject(cases)) return [];
    return Object.keys(cases).map((name) => one(key, name, [key, name]));
  });
  return Object.hasOwn(step, "catch") || step.on_error === "catch" ? [...own, one("catch", "catch")] : own;
}

/** @param folded keys of steps whose branches are not shown */
export function rowsOf(program: Json, types: Types, folded: ReadonlySet<string>): Row[] {
  const ids = idsOf(program, types);
  const rows: Row[] = [];
  let number = 0;
  const visit = (steps: readonly Json[], path: Path, level: number, hidden: boolean, disabled: boolean) => {
    steps.forEach((step, index) => {
      const here = [...path, index];
      const key = textOf(here);
      const branches = branchesOf(step, here, types);
      const object: JsonObject = isObject(step) ? step : { type: "" };
      const off = disabled || object.disabled === true;
      number++;
      if (!hidden) {
        rows.push({
          key,
          path: here,
          step: object,
          label: "",
          level,
          number,
          id: ids.get(key) ?? "",
          has_branches: branches.length > 0,
          empty: branches.every(({ steps }) => steps.length === 0),
          disabled: off,
        });
      }
      for (const branch of branches) {
        const is_hidden = hidden || folded.has(key);
        // A heading that says nothing is shown while its list is empty.
        if (!is_hidden && (branches.length > 1 || branch.steps.length === 0 || branch.label !== "steps")) {
          rows.push({
            key: textOf(branch.path),
            path: branch.path,
            step: undefined,
            label: branch.label,
            level: level + 1,
            number: 0,
            id: "",
            has_branches: false,
            empty: branch.steps.length === 0,
            disabled: off,
          });
        }
        visit(branch.steps, branch.path, level + 1, is_hidden, off);
      }
    });
  };
  visit(Array.isArray(program) ? program : [], [], 1, false, false);
  return rows;
}

/** Ids by path: those without one are `step_1`, `step_2`, … in the order of the program, as the server names them. */
export function idsOf(program: Json, types: Types): Map<string, string> {
  const all: [key: string, id: string][] = [];
  const visit = (steps: readonly Json[], path: Path) =>
    steps.forEach((step, index) => {
      const here = [...path, index];
      all.push([textOf(here), isObject(step) && typeof step.id === "string" ? step.id : ""]);
      for (const branch of branchesOf(step, here, types)) visit(branch.steps, branch.path);
    });
  visit(Array.isArray(program) ? program : [], []);
  const taken = new Set(all.map(([, id]) => id));
  let count = 0;
  return new Map(all.map(([key, id]) => {
    if (id) return [key, id];
    do id = `step_${++count}`; while (taken.has(id));
    return [key, id];
  }));
}

export const newStep = ({ type, blank }: Pick<StepType, "type" | "blank">): JsonObject => ({
  type,
  ...structuredClone(blank),
});

/** The list of a path and the index in it. */
const placeOf = (path: Path): [list: Path, index: number] => [path.slice(0, -1), Number(path.at(-1))];

/** Puts steps before an index of a list, which is made where it is missing. */
export function insert(program: Json, list: Path, index: number, steps: readonly Json[]): Json {
  const before = listAt(program, list);
  return withValue(program, list, [...before.slice(0, index), ...steps, ...before.slice(index)]);
}

export const remove = (program: Json, path: Path): Json => withValue(program, path, undefined);

/** A change of a program, and the step that is then selected. */
export interface Changed {
  program: Json;
  path: Path;
}

/** Moves a step one place up or down; at an end of its list out of the step around it. Undefined if it cannot move. */
export function move(program: Json, path: Path, by: 1 | -1): Changed | undefined {
  const [list, index] = placeOf(path);
  const steps = listAt(program, list);
  const step = steps[index];
  if (step === undefined) return undefined;
  const next = index + by;
  if (next >= 0 && next < steps.length) {
    const moved = [...steps];
    moved.splice(index, 1);
    moved.splice(next, 0, step);
    return { program: withValue(program, list, moved), path: [...list, next] };
  }
  return moveOut(program, path, by);
}

/** Moves a step out of the step around it: before it, or after it. */
export function moveOut(program: Json, path: Path, by: 1 | -1): Changed | undefined {
  const around = outerOf(path);
  const step = valueAt(program, path);
  if (!around || step === undefined) return undefined;
  const [list, index] = placeOf(around);
  const at = by === 1 ? index + 1 : index;
  return { program: insert(remove(program, path), list, at, [step]), path: [...list, at] };
}

/** Moves a step to the end of the first list inside the step before it. */
export function moveIn(program: Json, path: Path, types: Types): Changed | undefined {
  const [list, index] = placeOf(path);
  const step = valueAt(program, path);
  if (index === 0 || step === undefined) return undefined;
  const [branch] = branchesOf(valueAt(program, [...list, index - 1]), [...list, index - 1], types);
  if (!branch) return undefined;
  return {
    program: insert(remove(program, path), branch.path, branch.steps.length, [step]),
    path: [...branch.path, branch.steps.length],
  };
}

/** The path of the step around a step. */
export function outerOf(path: Path): Path | undefined {
  for (let length = path.length - 2; length > 0; length--) {
    if (typeof path[length - 1] === "number") return path.slice(0, length);
  }
  return undefined;
}

/** Puts a step into the first list of a new step of a type with such a list. */
export function wrap(program: Json, path: Path, type: StepType): Changed | undefined {
  const step = valueAt(program, path);
  const into = listKeyOf(type);
  if (step === undefined || !into) return undefined;
  const around = withValue(newStep(type), into, [step]);
  return { program: withValue(program, path, around), path };
}

/** The key of the list of steps that a type always has; of cases the first case. */
export function listKeyOf({ fields, blank }: Pick<StepType, "blank"> & { fields: readonly Field[] }): Path | undefined {
  const field = fields.find(({ kind, key, required }) =>
    required && (kind === "steps" || kind === "cases") && key !== "catch"
  );
  if (!field) return undefined;
  const cases = blank[field.key];
  return field.kind === "steps"
    ? [field.key]
    : isObject(cases)
    ? [field.key, Object.keys(cases)[0] ?? "one"]
    : undefined;
}

/** A copy of steps whose ids are free in the program. */
export function withFreeIds(steps: readonly Json[], program: Json, types: Types): Json[] {
  const taken = new Set(idsOf(program, types).values());
  const free = (id: string): string => {
    const name = id.replace(/_\d+$/, "").slice(0, 36);
    let count = 1;
    let found = id;
    while (taken.has(found)) found = `${name}_${++count}`;
    taken.add(found);
    return found;
  };
  const copy = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isObject(value)) return value;
    const is_step = types.has(typeOf(value));
    return Object.fromEntries(
      Object.entries(value).map((
        [key, part],
      ) => [key, is_step && key === "id" && typeof part === "string" ? free(part) : copy(part)]),
    );
  };
  return steps.map(copy);
}

/** The path of the step at or around a path, such as that of a fault. */
export function stepAround(path: Path, program: Json): Path | undefined {
  for (let length = path.length; length > 0; length--) {
    const here = path.slice(0, length);
    const step = valueAt(program, here);
    if (isObject(step) && typeof step.type === "string" && Number.isInteger(Number(here.at(-1)))) return here;
  }
  return undefined;
}

/** A path as the server writes it, such as `fields.program.4.then.0.method`. */
export const pathOfText = (text: string): Path =>
  text.replace(/^fields\.program\.?/, "").split(".").filter(Boolean).map((key) =>
    /^\d+$/.test(key) ? Number(key) : key
  );
