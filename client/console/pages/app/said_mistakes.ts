/** The messages of mistakes, at the ends of their lines. They do not move the lines below. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";

interface Said {
  /** Of the line's end. */
  position: number;
  text: string;
}

const setSaid = StateEffect.define<readonly Said[]>();

class SaidMistake extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: SaidMistake): boolean {
    return other.text === this.text;
  }

  /** Screen readers are told by the list below the editor. */
  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "cm-said";
    element.textContent = this.text;
    element.setAttribute("aria-hidden", "true");
    return element;
  }
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setSaid)) continue;
      const widgets = effect.value.map(({ position, text }) =>
        Decoration.widget({ widget: new SaidMistake(text), side: 1 }).range(position)
      );
      return Decoration.set(widgets, true);
    }
    return shown.map(transaction.changes);
  },
  provide: (shown) => EditorView.decorations.from(shown),
});

const theme = EditorView.theme({
  ".cm-said": {
    marginLeft: "16px",
    padding: "1px 8px",
    borderRadius: "4px",
    backgroundColor: "var(--bad-soft)",
    color: "var(--bad)",
    fontFamily: "var(--sans)",
    fontSize: "12px",
    fontWeight: "500",
    fontStyle: "normal",
  },
});

export const saidMistakes: Extension = [field, theme];

/** Shows the first message of each line. */
export const sayMistakes = (mistakes: readonly Said[]): StateEffect<readonly Said[]> => {
  const by_line = new Map(mistakes.toReversed().map((mistake) => [mistake.position, mistake]));
  return setSaid.of([...by_line.values()]);
};
