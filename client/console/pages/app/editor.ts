/** The code editor: CodeMirror in a shadow root, because it writes style elements, which the console's policy forbids. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { vue } from "@codemirror/lang-vue";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { svelte } from "@replit/codemirror-lang-svelte";
import { changedLines } from "../../parts/versions/changed_lines.ts";
import { completions, type NameInScope, namesInScope, types } from "./completions.ts";
import type { Known } from "./platform_names.ts";
import { saidMistakes, sayMistakes } from "./said_mistakes.ts";

export type Engine = "svelte" | "vue" | "react" | "js" | "html" | "kaboom" | "phaser";
/** `ts` and `json`: sources and programs of flows. */
type Language = Engine | "ts" | "json";

/** A mistake in the source. Lines and columns count from 1. */
export interface Mistake {
  line: number;
  column: number;
  text: string;
}

export interface Editor {
  text(): string;
  /** Replaces the whole text. The history of changes continues. */
  setText(text: string): void;
  show(mistakes: readonly Mistake[], warnings: readonly Mistake[]): void;
  /** Marks the lines that differ from the published source. */
  mark(published: string): void;
  /** Completes and explains these names from now on. */
  know(known: Known): void;
  goTo(mistake: Mistake): void;
  focus(): void;
  destroy(): void;
}

const LANGUAGES: Record<Language, () => Extension> = {
  svelte: () => svelte(),
  vue: () => vue(),
  react: () => javascript({ jsx: true, typescript: true }),
  js: () => javascript(),
  html: () => html(),
  kaboom: () => javascript({ typescript: true }),
  phaser: () => javascript({ typescript: true }),
  ts: () => javascript({ typescript: true }),
  json: () => javascript(),
};

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--syn-key)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--syn-str)" },
  { tag: [tags.tagName, tags.typeName, tags.className], color: "var(--syn-tag)" },
  { tag: [tags.attributeName, tags.propertyName], color: "var(--syn-attr)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--syn-num)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.bracket, tags.operator, tags.angleBracket], color: "var(--muted)" },
]);

/**
 * Replaces a selection by what is typed without the browser's help: Chromium keeps the look of the replaced text as an
 * inline style, which the console's policy refuses and reports.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const { state, composing } = view;
    const { main: { from, to, empty } } = state.selection;
    if (inputType !== "insertText" || !data || empty || isComposing || composing || state.readOnly) return false;
    const insert = () => state.update(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const handled = state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!handled) view.dispatch(insert());
    return true;
  },
});

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--raised)", color: "var(--fg)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  // The mistake itself is marked; all brackets behind it have no partner.
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-changes .cm-gutterElement": { width: "3px" },
  ".cm-changes .cm-changed": { backgroundColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "1.5px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--over)",
    color: "var(--fg)",
    border: "0",
    borderRadius: "8px",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "240px", padding: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    padding: "2px 8px 2px 4px",
    borderRadius: "var(--r1)",
    maxWidth: "520px",
    overflow: "hidden",
    textOverflow: "ellipsis",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--fg)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)" },
  ".cm-tooltip .cm-completionInfo": { padding: "6px 10px", fontFamily: "var(--sans)", maxWidth: "320px" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  ".cm-type": { padding: "6px 10px", maxWidth: "440px", fontFamily: "var(--sans)" },
  ".cm-type code": { fontFamily: "var(--mono)", fontSize: "12px", color: "var(--syn-tag)" },
  ".cm-type p": { margin: "2px 0 0", color: "var(--muted)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--fg)" },
  ".cm-panels input, .cm-panels button": { font: "inherit" },
  ".cm-diagnostic": { padding: "6px 12px", fontFamily: "var(--sans)" },
});

/** The bar beside a line that differs from the published source. */
class ChangedMark extends GutterMarker {
  override elementClass = "cm-changed";
}
const CHANGED = new ChangedMark();
const setChanged = StateEffect.define<readonly number[]>();

/** Lines that differ, by the positions of their starts. */
const changed = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setChanged)) return RangeSet.of(effect.value.map((position) => CHANGED.range(position)));
    }
    return marks.map(transaction.changes);
  },
});

const MARK_AFTER_MS = 150;

/** @param label for screen readers */
export function createEditor(
  place: HTMLElement,
  { engine, text, label, readonly, onChange, onCursor, names }: {
    engine: Language;
    text: string;
    label: string;
    readonly: boolean;
    onChange(text: string): void;
    /** The caret has moved, by the person or by a change. */
    onCursor?(position: number): void;
    /** Names in scope of a step, which are completed instead of those of the platform. */
    names?(): readonly NameInScope[];
  },
): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  let known: Known = { db_code: null, fields: [], actions: [] };
  // One source for all calls: CodeMirror drops the answer of a source that it does not find again.
  const ofPlatform = [{ autocomplete: names ? namesInScope(names, engine === "json") : completions(() => known) }];
  let published = text;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const view: EditorView = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        saidMistakes,
        changed,
        gutter({ class: "cm-changes", markers: (view) => view.state.field(changed) }),
        foldGutter(),
        highlightActiveLineGutter(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        EditorState.languageData.of(() => ofPlatform),
        ...names ? [] : [types(() => known)],
        syntaxHighlighting(COLOURS),
        THEME,
        EditorState.tabSize.of(2),
        EditorState.readOnly.of(readonly),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        typedOver,
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        LANGUAGES[engine](),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
          if (update.docChanged || update.selectionSet) onCursor?.(update.state.selection.main.head);
          if (!update.docChanged) return;
          clearTimeout(timer);
          timer = setTimeout(mark, MARK_AFTER_MS);
        }),
      ],
    }),
  });

  function mark() {
    const { doc } = view.state;
    const positions: number[] = [];
    let number = 1;
    for (const { kind } of changedLines(published, doc.toString())) {
      if (kind === "removed") continue;
      if (kind === "added") positions.push(doc.line(number).from);
      number++;
    }
    view.dispatch({ effects: setChanged.of(positions) });
  }

  const positionOf = ({ line, column }: Mistake): number => {
    const { doc } = view.state;
    const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
    return Math.min(from + column - 1, to);
  };
  return {
    text: () => view.state.doc.toString(),
    setText: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    mark(next) {
      published = next;
      mark();
    },
    know: (next) => void (known = next),
    show(mistakes, warnings) {
      const of = (severity: "error" | "warning") => (mistake: Mistake): Diagnostic => {
        const from = positionOf(mistake);
        const word = view.state.wordAt(from);
        return {
          from,
          to: word?.to ?? Math.min(from + 1, view.state.doc.length),
          severity,
          message: mistake.text,
        };
      };
      const diagnostics = [...mistakes.map(of("error")), ...warnings.map(of("warning"))];
      const said = mistakes.map((mistake) => ({
        position: view.state.doc.lineAt(positionOf(mistake)).to,
        text: mistake.text,
      }));
      view.dispatch(setDiagnostics(view.state, diagnostics), { effects: sayMistakes(said) });
    },
    goTo(mistake) {
      view.dispatch({ selection: { anchor: positionOf(mistake) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy() {
      clearTimeout(timer);
      view.destroy();
    },
  };
}
