/** What the editor completes beyond the language: the `platform` module, the database's fields and the app's actions. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";

export interface Known {
  db_code: string | null;
  fields: readonly string[];
  actions: readonly string[];
}

/** Source: client/app/platform.d.ts. */
const MODULE: readonly Completion[] = [
  { label: "db", type: "function", detail: "(code?)", info: "The records of a database" },
  {
    label: "action",
    type: "function",
    detail: "(name, input?)",
    info: "Runs an action of this app, and waits for its result",
  },
  { label: "user", type: "variable", info: "Who is signed in, or null" },
  { label: "context", type: "variable", info: "The app's id, name and place" },
  { label: "PlatformError", type: "class", info: "status, code and fields of a refused request" },
];

const OF_DB: readonly Completion[] = [
  { label: "list", type: "method", detail: "({ filter, sort, q, page })" },
  { label: "get", type: "method", detail: "(id)" },
  { label: "create", type: "method", detail: "(fields)" },
  { label: "update", type: "method", detail: "(id, fields)" },
  { label: "delete", type: "method", detail: "(id)" },
  {
    label: "subscribe",
    type: "method",
    detail: "((change) => …)",
    info: "Calls with every change; returns a function that ends it",
  },
];

/** @param known asked at each completion, because it comes later than the editor */
export const completions = (known: () => Known) => (context: CompletionContext): CompletionResult | null => {
  const result = (
    before: { from: number } | null,
    options: readonly Completion[],
    offset = 0,
  ): CompletionResult | null =>
    before && options.length > 0 ? { from: before.from + offset, options, validFor: /^[\w-]*$/ } : null;
  const at = (pattern: RegExp) => context.matchBefore(pattern);
  const textOf = (found: { from: number; to: number } | null) =>
    found ? context.state.sliceDoc(found.from, found.to) : "";
  const { db_code, fields, actions } = known();

  const imported = at(/import\s*\{[^}]*$/);
  if (imported) return result(at(/\w*$/), MODULE);
  const in_action = at(/\baction\(\s*["'][\w-]*$/);
  if (in_action) return result(at(/[\w-]*$/), actions.map((label) => ({ label, type: "constant" })));
  const in_db = at(/\bdb\(\s*["'][\w-]*$/);
  if (in_db) return result(at(/[\w-]*$/), db_code ? [{ label: db_code, type: "constant", detail: "this app's" }] : []);
  const after_db = at(/\bdb\([^()]*\)\s*\.\s*\w*$/);
  if (after_db) return result(at(/\w*$/), OF_DB);
  const of_fields = fields.map((label): Completion => ({ label, type: "property", detail: "field" }));
  const in_call = at(/\.(?:create|update|list)\([^()]*$/);
  if (in_call && /[{,]\s*\w*$/.test(textOf(in_call))) return result(at(/\w*$/), of_fields);
  const member = at(/\.\w*$/);
  if (member && (context.explicit || member.to - member.from > 1)) return result(member, of_fields, 1);
  const word = at(/\w+$/);
  return word && (context.explicit || word.to - word.from > 1) ? result(word, MODULE) : null;
};
