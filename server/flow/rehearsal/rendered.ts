/** Every template of a program, filled with the values that its steps have seen. */
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { walk } from "../program/walk.ts";
import { RunFault } from "../run/execution/interruption.ts";
import { stepTypeOf } from "../steps/registry.ts";
import { templatesOf } from "../steps/rendered_keys.ts";
import type { Step } from "../steps/step.ts";
import type { Path } from "../steps/step_type.ts";
import { shortened } from "../template/shortened.ts";
import { renderIn, type Rendering } from "../template/rendering.ts";
import { hasPlaceholders, TemplateError, textsIn } from "../template/template.ts";

const MOST_TEMPLATES = 500;
/** Characters of a value. */
const MOST_VALUE = 2_000;

export interface Seen {
  place: string;
  /** The names at the latest execution of the step. */
  scope: JsonObject;
  /** The names in its latest round, or for its latest item. */
  inside: JsonObject | undefined;
  /** Its output: the values of a mutation's names. */
  output: JsonValue | undefined;
}

export interface RenderedTemplate {
  path: Path;
  /** Null if the step was not executed: then the values are those at the end. */
  place: string | null;
  template: string;
  value: JsonValue;
  shortened: boolean;
  warnings: string[];
  error: string | null;
}

/**
 * @param seen by the step's id
 * @param last the names at the end
 * @param evaluateAt evaluates expressions of the step at a place
 */
export async function renderedTemplates(
  program: readonly Step[],
  seen: ReadonlyMap<string, Seen>,
  last: JsonObject,
  evaluateAt: (place: string, scope: JsonObject) => Rendering["evaluate"],
): Promise<RenderedTemplate[]> {
  const rendered: RenderedTemplate[] = [];
  for (const { step, path } of walk(program)) {
    const { place = null, scope: before = last, inside, output } = seen.get(step.id) ?? {};
    const type = stepTypeOf(step);
    const names = new Set(type.names?.(step));
    const set: JsonObject = typeof output === "object" && output !== null && !Array.isArray(output) ? output : {};
    const scope = { ...before };
    for (const { path: key, text } of textsIn(templatesOf(step, type.templates))) {
      if (rendered.length === MOST_TEMPLATES) return rendered;
      if (!hasPlaceholders(text)) continue;
      const [, name = ""] = key;
      const is_name = key.length === 2 && names.has(`${name}`);
      const names_seen = inside && type.inside?.includes(`${key[0]}`) ? inside : scope;
      const evaluate = evaluateAt(place ?? step.id, names_seen);
      const one = await renderOne(text, { scope: names_seen, evaluate }, is_name ? set[name] : undefined);
      rendered.push({ path: [...path, ...key], place, template: text, ...one });
      // Later names of a mutation see the earlier ones.
      if (names.has(`${name}`)) scope[name] = set[name] ?? one.value;
    }
  }
  return rendered;
}

async function renderOne(text: string, rendering: Omit<Rendering, "warn">, known: JsonValue | undefined) {
  const warnings: string[] = [];
  const warn = (message: string) => void (warnings.includes(message) || warnings.push(message));
  try {
    const whole = known === undefined ? await renderIn(text, { ...rendering, warn }) : known;
    const { value, is_shorter } = shortened(whole, MOST_VALUE);
    return { value, shortened: is_shorter, warnings, error: null };
  } catch (error) {
    if (!(error instanceof TemplateError || error instanceof RunFault)) throw error;
    return { value: null, shortened: false, warnings, error: error.message };
  }
}
