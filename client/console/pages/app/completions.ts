/** What the editor completes and explains: the `platform` module, the database's fields and the app's actions. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import { type Known, MODULE, type Named, namedAt, OF_DB, OF_USER } from "./platform_names.ts";

const completionOf = ({ name, kind, type, says }: Named): Completion => ({
  label: name,
  type: kind,
  detail: type.replace(/^: /, ""),
  info: says,
});

const constant = (label: string, detail?: string): Completion => ({ label, type: "constant", ...detail && { detail } });

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

  if (at(/import\s*\{[^}]*$/) || at(/\bplatform\.\w*$/)) return result(at(/\w*$/), MODULE.map(completionOf));
  if (at(/\baction\(\s*["'][\w-]*$/)) return result(at(/[\w-]*$/), actions.map((action) => constant(action)));
  if (at(/\bdb\(\s*["'][\w-]*$/)) return result(at(/[\w-]*$/), db_code ? [constant(db_code, "this app's")] : []);
  if (at(/\bdb\([^()]*\)\s*\.\s*\w*$/)) return result(at(/\w*$/), OF_DB.map(completionOf));
  if (at(/\buser\??\.\w*$/)) return result(at(/\w*$/), OF_USER.map(completionOf));
  const in_call = at(/\.(?:create|update|list)\([^()]*$/);
  if (in_call && /[{,]\s*\w*$/.test(textOf(in_call))) return result(at(/\w*$/), fields.map(completionOf));
  const member = at(/\.\w*$/);
  if (member && (context.explicit || member.to - member.from > 1)) return result(member, fields.map(completionOf), 1);
  const word = at(/\w+$/);
  return word && (context.explicit || word.to - word.from > 1) ? result(word, MODULE.map(completionOf)) : null;
};

/** Characters before a name that decide what it is. */
const LOOKED_BACK = 200;

/** Shows the type of a name of the platform below the pointer. */
export const types = (known: () => Known) =>
  hoverTooltip(({ state }: EditorView, position) => {
    const word = state.wordAt(position);
    if (!word) return null;
    const before = state.sliceDoc(Math.max(0, word.from - LOOKED_BACK), word.from);
    const imports = /\bfrom\s*["']platform["']/.test(state.doc.toString());
    const named = namedAt(before, state.sliceDoc(word.from, word.to), known(), imports);
    if (!named) return null;
    return {
      pos: word.from,
      end: word.to,
      above: true,
      create() {
        const dom = document.createElement("div");
        const type = document.createElement("code");
        const text = document.createElement("p");
        dom.className = "cm-type";
        type.textContent = named.name + named.type;
        text.textContent = named.says;
        dom.append(type, text);
        return { dom };
      },
    };
  });

export interface NameInScope {
  path: string;
  value?: unknown;
}

/** Completes names of a flow's step. @param in_braces only within `{` of templates */
export const namesInScope = (names: () => readonly NameInScope[], in_braces: boolean) =>
(
  context: CompletionContext,
): CompletionResult | null => {
  const found = context.matchBefore(in_braces ? /\{[\w.]*$/ : /[\w.]+$/);
  if (!found) return null;
  const options = names().map(({ path, value }): Completion => {
    const text = JSON.stringify(value ?? null);
    return { label: path, type: "variable", detail: text.length > 40 ? `${text.slice(0, 40)}…` : text };
  });
  return { from: found.from + (in_braces ? 1 : 0), options, validFor: /^[\w.]*$/ };
};
