/** Warnings about placeholders and expressions that refer to an undefined name or to a missing step, or that are none. */
import { stepTypeOf } from "../steps/registry.ts";
import { templatesOf } from "../steps/rendered_keys.ts";
import type { Step } from "../steps/step.ts";
import type { Fault } from "../steps/step_type.ts";
import { pathsOfTexts, textsIn, unsetVariablesOf } from "../template/template.ts";
import { PREDEFINED, RESERVED } from "../template/template_shape.ts";
import { walk } from "./walk.ts";

/** A program with such a placeholder is valid: the placeholder is null in a run. */
export function unknownNames(steps: readonly Step[]): Fault[] {
  const all = [...walk(steps)];
  const enabled = all.filter(({ disabled }) => !disabled);
  const ids = new Set(all.map(({ step }) => step.id));
  const enabled_ids = new Set(enabled.map(({ step }) => step.id));
  const names = new Set<string>([
    ...RESERVED,
    ...PREDEFINED,
    ...enabled.flatMap(({ step }) => stepTypeOf(step).names?.(step) ?? []),
  ]);
  return enabled.flatMap(({ step, path }) => {
    const templates = templatesOf(step, stepTypeOf(step).templates);
    const unknown = pathsOfTexts(templates).flatMap(({ path: key, placeholder: [head = "", second, third] }) => {
      const here = [...path, ...key];
      const fault = (written: string, why: string) => [{ path: here, message: `has {${written}}, ${why}` }];
      if (!names.has(head)) return fault(head, "which no step sets");
      if (second === undefined) return [];
      const members = MEMBERS[head];
      if (members) return members.includes(second) ? [] : fault(`${head}.${second}`, hasOnly(head, members));
      if (head !== "steps") return [];
      if (!enabled_ids.has(second)) {
        return fault(`steps.${second}`, ids.has(second) ? "and this step is disabled" : "and no step has this id");
      }
      if (third === undefined || OF_STEP.includes(third)) return [];
      return fault(`steps.${second}.${third}`, hasOnly(`steps.${second}`, OF_STEP));
    });
    const unset = unsetVariablesOf(templates).map(({ path: key, variable }) => ({
      path: [...path, ...key],
      message: `has $${variable}, which is no function of JSONata, and which the expression does not set`,
    }));
    const doubled = [...textsIn(templates)].flatMap(({ path: key, text }) =>
      [...text.matchAll(DOUBLED)].filter(([, , head = ""]) => names.has(head)).map(([written, inner]) => ({
        path: [...path, ...key],
        message: `has ${written}, which stays a text: a placeholder has single braces, as in {${inner}}`,
      }))
    );
    return [...unknown, ...unset, ...doubled];
  });
}

/** What is in the names that every run defines. */
const MEMBERS: Record<string, readonly string[]> = {
  run: ["id", "date", "started_at", "trigger"],
  user: ["id", "login", "name", "email", "role"],
};
const OF_STEP = ["status", "body", "error"];

const hasOnly = (name: string, members: readonly string[]) => `and {${name}} has ${members.join(", ")}`;

/** Placeholders as other tools write them. Two braces are the character itself here. */
const DOUBLED = /\{\{\s*(([a-z]\w*)(?:\.\w+)*)\s*\}\}/g;
