/** React components, in JSX or TSX. */
import { CompileFailure } from "../../compiler.ts";
import { AUTHOR, type Compiled, type Found } from "../engine.ts";
import type { Position } from "../../bundle/positions.ts";
import { explainSyntaxError } from "./syntax_errors.ts";
import { MESSAGES } from "./messages.ts";
import { MOUNT } from "./runtime_names.ts";

export { sample } from "./sample.ts";

const MOUNTED = `
import * as app from "${AUTHOR}";
import { mount } from "${MOUNT}";
mount(app.default);
`;

/** A source without these words cannot mount itself. */
const ROOTS = /\b(?:createRoot|hydrateRoot)\b/;

const CLIENT = "react-dom/client";

const BASE = {
  globals: { React: ["react", "default"], ReactDOM: [CLIENT, "default"] },
  css: "",
  warnings: [],
  locate: (place: Position) => place,
} satisfies Partial<Compiled>;

/** Guesses from the text whether the app mounts itself. `prove` corrects a wrong guess, at the price of a second build. */
export const compile = (source: string): Compiled => ROOTS.test(source) ? selfMounting(source) : mounted(source);

function mounted(source: string): Compiled {
  return {
    ...BASE,
    code: MOUNTED,
    ...authorOf(source),
    prove({ exports }) {
      if (!exports("default")) throw new CompileFailure([MESSAGES.nothing_shown]);
      return undefined;
    },
  };
}

function selfMounting(source: string): Compiled {
  return {
    ...BASE,
    code: `import "${AUTHOR}";`,
    ...authorOf(source),
    prove: (found) => mountsItself(found) ? undefined : mounted(source),
  };
}

function mountsItself({ uses, code }: Found): boolean {
  return uses(CLIENT, "createRoot") || uses(CLIENT, "hydrateRoot") || uses(CLIENT, "default") && ROOTS.test(code);
}

const authorOf = (source: string): Pick<Compiled, "author" | "explain"> => ({
  author: { code: source, loaders: ["tsx", "jsx"] },
  explain: (mistake) => explainSyntaxError(source, mistake),
});
