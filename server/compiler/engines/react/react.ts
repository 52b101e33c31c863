/** React components, in JSX or TSX. */
import { CompileFailure } from "../../compiler.ts";
import { AUTHOR, type Compiled, type Found } from "../engine.ts";
import type { Position } from "../../bundle/positions.ts";
import { explainSyntaxError } from "./syntax_errors.ts";
import { MESSAGES } from "./messages.ts";
import { MOUNT } from "./runtime_names.ts";

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

export const sample = `import { useState, type FormEvent } from "react";

interface Item { name: string; done: boolean }

function List({ items, onToggle }: { items: Item[]; onToggle(item: Item): void }) {
  if (items.length === 0) return <p className="text-gray-500">None</p>;
  return (
    <ul className="divide-y">
      {items.map((item) => (
        <li key={item.name} className={item.done ? "py-2 line-through opacity-50" : "py-2"}>
          <label><input type="checkbox" checked={item.done} onChange={() => onToggle(item)} /> {item.name}</label>
        </li>
      ))}
    </ul>
  );
}

export default function App() {
  const [items, setItems] = useState<Item[]>([]);
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name"));
    setItems([...items, { name, done: false }]);
  };
  return (
    <>
      <style>{".mx-auto { line-height: 1.5 }"}</style>
      <form className="mx-auto max-w-md p-4" onSubmit={add}>
        <input name="name" className="rounded border px-3 py-1" />
        <button className="rounded bg-blue-600 px-3 py-1 text-white hover:bg-blue-700">Add</button>
      </form>
      <List
        items={items}
        onToggle={(item) => setItems(items.map((one) => one === item ? { ...one, done: !one.done } : one))}
      />
    </>
  );
}
`;

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
