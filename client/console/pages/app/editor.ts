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
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { svelte } from "@replit/codemirror-lang-svelte";

export type Engine = "svelte" | "vue" | "react" | "js" | "html" | "kaboom" | "phaser";

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
  show(mistakes: readonly Mistake[]): void;
  goTo(mistake: Mistake): void;
  focus(): void;
  destroy(): void;
}

const LANGUAGES: Record<Engine, () => Extension> = {
  svelte: () => svelte(),
  vue: () => vue(),
  react: () => javascript({ jsx: true, typescript: true }),
  js: () => javascript(),
  html: () => html(),
  kaboom: () => javascript({ typescript: true }),
  phaser: () => javascript({ typescript: true }),
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

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--raised)", color: "var(--fg)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
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
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--fg)" },
  ".cm-panels input, .cm-panels button": { font: "inherit" },
  ".cm-diagnostic": { padding: "6px 12px", fontFamily: "var(--sans)" },
});

/** @param label for screen readers */
export function createEditor(
  place: HTMLElement,
  { engine, text, label, readonly, onChange }: {
    engine: Engine;
    text: string;
    label: string;
    readonly: boolean;
    onChange(text: string): void;
  },
): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
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
        syntaxHighlighting(COLOURS),
        THEME,
        EditorState.tabSize.of(2),
        EditorState.readOnly.of(readonly),
        EditorView.contentAttributes.of({ "aria-label": label }),
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
        }),
      ],
    }),
  });

  const positionOf = ({ line, column }: Mistake): number => {
    const { doc } = view.state;
    const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
    return Math.min(from + column - 1, to);
  };
  return {
    text: () => view.state.doc.toString(),
    setText: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    show(mistakes) {
      const diagnostics = mistakes.map((mistake): Diagnostic => {
        const from = positionOf(mistake);
        const word = view.state.wordAt(from);
        return {
          from,
          to: word?.to ?? Math.min(from + 1, view.state.doc.length),
          severity: "error",
          message: mistake.text,
        };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo(mistake) {
      view.dispatch({ selection: { anchor: positionOf(mistake) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
