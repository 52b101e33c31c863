import assert from "node:assert/strict";
import { looksTyped } from "./typed.ts";

const TYPED = [
  "interface Props {\n  name: string;\n}",
  "export type State = 'on' | 'off';",
  "import type { ReactNode } from 'react';",
  "import React, { type FC, useState } from 'react';",
  "const list = ['a', 'b'] as const;",
  "const root = document.querySelector('#a') as HTMLDivElement;",
  "export default function App({ name }: Props) { return <p>{name}</p>; }",
  "export default function App({ name }: { name: string }) { return <p>{name}</p>; }",
  "const add = (a: number, b = 2) => a + b;",
  "function pick(all, key?: string) {}",
  "const total = (): number => 1;",
  "const [count, setCount] = useState<number>(0);",
  "const [rows, setRows] = useState<{ id: string }[]>([]);",
  "let names: string[] = [];",
  "enum Color { Red }",
];

const PLAIN = [
  'export default function App({ name, size = 2 }) {\n  return <p title="(note: a)">{name} (see: below)</p>;\n}',
  "const type = 1; const as = type; const x = { type, as };",
  "import { a as b } from 'react';",
  "const x = on ? { a: 1 } : { b: 2 };\nconst y = on ? (a) : [b];\nconst z = { a, b: c, d: [1] };",
  "const go = on ? f(x) : { y };",
  "for (let i = 0; i < n; i++) if (a < b && c > d) go(i);",
  "// const a: number = 1;\n/* interface Props {} */\nexport default () => <p>The type of it</p>;",
  "switch (a) { case 'b': return c; default: return (d) }",
];

Deno.test("typed: sources with TypeScript are told from plain ones", () => {
  for (const source of TYPED) assert.equal(looksTyped(source), true, source);
  for (const source of PLAIN) assert.equal(looksTyped(source), false, source);
});
