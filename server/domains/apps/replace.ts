/** Partial edits: replaces one fragment of one field. Source: spec, "Replace". */
import type { z } from "zod";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import { parseExactly } from "../../input/exact_json.ts";
import { invalid } from "../../errors.ts";
import { fieldsOf } from "../../input/messages.ts";
import type { Written } from "./queries.ts";
import { AppChanges, type Replacement } from "./schema.ts";

/** Characters. No field may be longer. */
const LONGEST = 500_000;

/**
 * Returns the change of the app that a replacement asks for.
 *
 * @throws {Refusal} 422 if the fragment is absent or ambiguous, or if the result is invalid
 */
export function replaced(app: Written, replacement: Replacement): AppChanges {
  const { field, replace_all } = replacement;
  const before = field === "fields" ? JSON.stringify(app.fields, null, 2) : app[field] ?? "";
  const old = oneOf(replacement.old, replacement.old_string, "old");
  const by = oneOf(replacement.new, replacement.new_string, "new");
  if (old === "") throw invalid({ old: ["can't be blank"] });
  const pieces = before.split(old);
  const count = pieces.length - 1;
  if (count === 0) throw invalid({ old: [`does not occur in ${field}`] });
  if (count > 1 && !replace_all) {
    throw invalid({ old: [`occurs ${count} times in ${field}; make it longer, or send replace_all`] });
  }
  // `aa` in `aaa`: the pieces do not show the second place.
  if (!replace_all && before.indexOf(old, before.indexOf(old) + 1) !== -1) {
    throw invalid({ old: [`occurs at places that overlap in ${field}; make it longer, or send replace_all`] });
  }
  // Checked before joining: the result could be larger than the memory.
  if (before.length + count * (by.length - old.length) > LONGEST) throw invalid({ [field]: ["would become too long"] });
  const after = pieces.join(by);
  return checked({ [field]: field === "fields" ? parseFields(after) : after });
}

/** The value of a key that has two names (spec, "Replace"). */
function oneOf(value: string | undefined, alias: string | undefined, key: "old" | "new"): string {
  const given = value ?? alias;
  if (given === undefined) throw invalid({ [key]: ["can't be blank"] });
  if (value !== undefined && alias !== undefined && value !== alias) {
    throw invalid({ [key]: [`differs from ${key}_string`] });
  }
  return given;
}

function parseFields(text: string): unknown {
  try {
    if (!deeperThan(text, DEPTH_LIMIT)) return parseExactly(text);
  } catch {
    throw invalid({ fields: ["is no valid JSON any more"] });
  }
  throw invalid({ fields: [`is nested deeper than ${DEPTH_LIMIT} levels`] });
}

function checked(changes: Record<string, unknown>): AppChanges {
  const result: z.ZodSafeParseResult<AppChanges> = AppChanges.safeParse(changes);
  if (!result.success) throw invalid(fieldsOf(result.error.issues));
  return result.data;
}
