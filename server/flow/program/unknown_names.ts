/** Warnings about placeholders and expressions that refer to an undefined name or to a missing step, or that are none. */
import { stepTypeOf } from "../steps/registry.ts";
import { templatesOf } from "../steps/rendered_keys.ts";
import type { Step } from "../steps/step.ts";
import type { Fault, Path } from "../steps/step_type.ts";
import { pathsOfTexts, textsIn, unsetVariablesOf } from "../template/template.ts";
import { PREDEFINED, RESERVED } from "../template/template_shape.ts";
import { type StepAt, walk } from "./walk.ts";

/** A program with such a placeholder is valid: the placeholder is null in a run. */
export function unknownNames(steps: readonly Step[]): Fault[] {
  const all = [...walk(steps)];
  const enabled = all.filter(({ disabled }) => !disabled);
  const ids = new Set(all.map(({ step }) => step.id));
  const enabled_ids = new Set(enabled.map(({ step }) => step.id));
  const set = new Set(enabled.flatMap(({ step }) => namesOf(step)));
  const names = new Set<string>([...RESERVED, ...PREDEFINED, ...set]);
  const endedAt = endsOfItems(enabled);
  return enabled.flatMap(({ step, path }) => {
    const templates = templatesOf(step, stepTypeOf(step).templates);
    const hasEnded = endedAt(path);
    const unknown = pathsOfTexts(templates).flatMap(({ path: key, placeholder: [head = "", second, third] }) => {
      const here = [...path, ...key];
      const fault = (written: string, why: string) => [{ path: here, message: `has {${written}}, ${why}` }];
      if (!names.has(head)) return fault(head, "which no step sets");
      if (hasEnded(head)) return fault(head, ENDS);
      if (second === undefined) return [];
      const members = set.has(head) ? undefined : MEMBERS[head];
      if (members) return members.includes(second) ? [] : fault(`${head}.${second}`, hasOnly(head, members));
      if (head !== "steps") return [];
      if (!enabled_ids.has(second)) {
        return fault(`steps.${second}`, ids.has(second) ? "and this step is disabled" : "and no step has this id");
      }
      if (hasEnded(`steps.${second}`)) return fault(`steps.${second}`, ENDS);
      if (third === undefined || OF_STEP.includes(third)) return [];
      return fault(`steps.${second}.${third}`, hasOnly(`steps.${second}`, OF_STEP));
    });
    const unset = unsetVariablesOf(templates).map(({ path: key, variable }) => ({
      path: [...path, ...key],
      message: `has $${variable}, which is no function of JSONata, and which the expression does not set`,
    }));
    const doubled = [...textsIn(templates)].flatMap(({ path: key, text }) =>
      [...text.matchAll(DOUBLED)].flatMap(([written, name = "", members]) => {
        const head = name === "$json" ? "json_object" : name;
        if (!names.has(head)) return [];
        const message =
          `has ${written}, which stays a text: a placeholder has single braces, as in {${head}${members}}`;
        return [{ path: [...path, ...key], message }];
      })
    );
    const plain = Object.entries(stepTypeOf(step).plain?.(step) ?? {}).flatMap(([key, texts]) =>
      [...textsIn(texts)].flatMap(({ text }) =>
        [...text.matchAll(SINGLE)].filter(([, name = ""]) => names.has(name)).map(([written]) => ({
          path: [...path, key],
          message: `has ${written}, which stays a text: there are no placeholders here`,
        }))
      )
    );
    return [...unknown, ...unset, ...doubled, ...plain];
  });
}

const namesOf = (step: Step) => stepTypeOf(step).names?.(step) ?? [];

const ENDS = "which ends with its item in a loop with at_once: collect keeps the last output of each item";

/** Items that are worked on at once have names and steps of their own, which the steps after the loop do not see. */
function endsOfItems(all: readonly StepAt[]) {
  const lists = all.filter(({ step }) => stepTypeOf(step).forks?.(step)).map(({ path }): Path => [...path, "steps"]);
  const around = (path: Path) => lists.filter((list) => list.every((key, at) => path[at] === key));
  /** By what is set: the lists around each of the steps that set it. */
  const set = new Map<string, Path[][]>();
  for (const { step, path } of lists.length === 0 ? [] : all) {
    const here = around(path);
    for (const name of [`steps.${step.id}`, ...namesOf(step)]) set.set(name, [...set.get(name) ?? [], here]);
  }
  return (path: Path) => {
    const here = around(path);
    // A step may name the same thing thousands of times.
    const known = new Map<string, boolean>();
    const hasEnded = (name: string) =>
      set.get(name)?.some((lists) => lists.every((list) => here.includes(list))) === false;
    return (name: string): boolean => {
      const ended = known.get(name) ?? hasEnded(name);
      known.set(name, ended);
      return ended;
    };
  };
}

/** What is in the names that every run defines. */
const MEMBERS: Record<string, readonly string[]> = {
  run: ["id", "date", "started_at", "trigger"],
  user: ["id", "login", "name", "email", "role"],
  trigger: ["kind", "cron_id", "due_at", "due_date", "timezone"],
};
const OF_STEP = ["status", "body", "error"];

const hasOnly = (name: string, members: readonly string[]) => `and {${name}} has ${members.join(", ")}`;

/** Placeholders as other tools write them, such as n8n's `{{ $json.id }}`. Two braces are the character itself here. */
const DOUBLED = /\{\{\s*(\$json|[a-z]\w*)((?:\.\w+)*)\s*\}\}/g;
const SINGLE = /\{\s*([a-z]\w*)[^{}]*\}/g;
