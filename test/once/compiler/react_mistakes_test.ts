import { type Mistake, proveMistakes } from "./mistakes.ts";

const MISTAKES: Mistake[] = [
  {
    name: "a wrong closing tag",
    source: "export default function App() {\n  return <div>\n    <p>hi</span>\n  </div>;\n}",
    says: [`3:12 Unexpected closing "span" tag does not match opening "p" tag\n    <p>hi</span>\n           ^`],
  },
  {
    name: "elements side by side below line separators",
    source: "const a = `\u2028\u2028`;\nexport default () => (\n  <p>a</p>\n  <p>{a}</p>\n);",
    says: ["4:3 Elements side by side need one around them: <>…</>\n  <p>{a}</p>\n  ^"],
  },
  {
    name: "a line separator on the first line",
    source: "const a = `\u2028`; const b = ;\nexport default () => <p>{a}</p>;",
    says: ['1:26 Unexpected ";"\nconst a = `\u2028`; const b = ;\n                         ^'],
  },
  {
    name: "an unclosed element",
    source: "export default () => (\n  <ul>\n    <li>a\n  </ul>\n);",
    says: [
      `4:5 Unexpected closing "ul" tag does not match opening "li" tag\n  </ul>\n    ^`,
      `5:3 Unexpected end of file before a closing "ul" tag\n);\n  ^`,
    ],
  },
  {
    name: "elements side by side",
    source: "export default () => (\n  <p>a</p>\n  <p>b</p>\n);",
    says: ["3:3 Elements side by side need one around them: <>…</>\n  <p>b</p>\n  ^"],
  },
  {
    name: "adjacent elements after a duplicate declaration",
    source: "const a = 1, a = 2;\nexport default () => {\n\treturn <A />\n\t<div><i /><b /></div>;\n};",
    says: [
      /^1:14 The symbol "a" has already been declared\n/,
      "4:2 Elements side by side need one around them: <>…</>\n\t<div><i /><b /></div>;\n\t^",
    ],
  },
  {
    name: "an unclosed brace in an element",
    source: "export default ({ on }) => (\n  <ul>\n    {on && <li>a</li>\n  </ul>\n);",
    says: [`4:3 Expected "}" but found "</ul>"\n  </ul>\n  ^`],
  },
  {
    name: "an unclosed brace of a function",
    source: "export default function App() {\n  return <p>a</p>; // b",
    says: ["2:24 Unexpected end of file\n  return <p>a</p>; // b\n                       ^"],
  },
  {
    name: "an unclosed parenthesis",
    source: "export default () => {\n  useEffect(() => {\n    go();\n  }, [];\n  return <p />;\n};",
    says: [`4:8 Expected ")" but found ";"\n  }, [];\n       ^`],
  },
  {
    name: "a statement in an element",
    source: "export default ({ on }) => <p>{if (on) { 1 }}</p>;",
    says: [/^1:32 Unexpected "if"\n/],
  },
  {
    name: "a style that is an object, in one pair of braces",
    source: `export default () => <p style={color: "red"}>a</p>;`,
    says: [/^1:37 Expected "\}" but found ":"\n/],
  },
  { name: "a spread of nothing", source: "export default () => <p {...} />;", says: [/^1:29 Unexpected "\}"\n/] },
  {
    name: "a comment of HTML",
    source: "export default () => (\n  <div>\n    <!-- a -->\n  </div>\n);",
    says: [/^3:6 Expected identifier but found "!"\n/],
  },
  {
    name: "imports, reported together, after multi-byte characters",
    source: `const żółć = "😀"; import a from "lodash";\nimport b from "./b.json";\n\timport "./style.css";\n` +
      "export default () => <p>{a}{b}{żółć}</p>;",
    says: [
      /^1:34 "lodash" cannot be imported; an app may import react, react-dom, react-dom\/client, platform\n/,
      /^2:15 "\.\/b\.json" cannot be imported/,
      /^3:9 "\.\/style\.css" cannot be imported.*\n\timport "\.\/style\.css";\n\t {7}\^$/,
    ],
  },
  {
    name: "an import in TypeScript that JavaScript could not read",
    source: `import _ from "lodash";\nexport default () => useState<number[]>(_);`,
    says: [/^1:15 "lodash" cannot be imported/],
  },
  {
    name: "names that a module does not have",
    source: `import { useStat, useState } from "react";\nimport { render } from "react-dom";\n` +
      "export default () => render(useStat(useState<number>(1)));",
    says: [
      `1:10 "react" has no export "useStat"\nimport { useStat, useState } from "react";\n         ^`,
      `2:10 "react-dom" has no export "render"\nimport { render } from "react-dom";\n         ^`,
    ],
  },
  {
    name: "declared twice, two times, behind a surrogate pair",
    source: `const s = "😀"; const s = 1;\nlet b = 1;\nfunction b() {}\nexport default () => <p>{s}{b}</p>;`,
    says: [/^1:23 The symbol "s" has already been declared\n/, /^3:10 The symbol "b" has already been declared\n/],
  },
  {
    name: "two default exports",
    source: "export default () => <p />;\nexport default () => <b />;",
    says: [/^2:8 Multiple exports with the same name "default"\n/],
  },
  {
    name: "a type that is missing",
    source: "const a: = 1;\nexport default () => <p>{a}</p>;",
    says: [/^1:10 Unexpected "="\n/],
  },
  {
    name: "types and values in one `import type`",
    source: `import type React, { useState } from "react";\nexport default () => <p>{useState(1)}</p>;`,
    says: [/^1:18 Expected "from" but found ","\n/],
  },
  {
    name: "await outside an async function",
    source: `export default function App() {\n  const it = await fetch("/");\n  return <p>{it.status}</p>;\n}`,
    says: [/^2:14 "await" can only be used inside an "async" function\n/],
  },
  {
    name: "assigning to a constant",
    source: "export default () => {\n  const [n] = [1];\n  n = 2;\n  return <p>{n}</p>;\n};",
    says: [/^3:3 Cannot assign to "n" because it is a constant\n/],
  },
  {
    name: "assigning to a value",
    source: "export default () => {\n  1 = 2;\n};",
    says: [/^2:3 Invalid assignment target\n/],
  },
  {
    name: "an unterminated string",
    source: `const a = "abc;\nexport default () => <p>{a}</p>;`,
    says: [/^1:16 Unterminated string literal\n/],
  },
  {
    name: "an unterminated regular expression",
    source: "export default () => <p />;\n\tconst a = /[abc;\n",
    says: [/^2:18 Unterminated regular expression\n/],
  },
  {
    name: "a decorator on a function",
    source: "@mine function App() {}\nexport default App;",
    says: [/^1:1 Decorators are not valid here\n/],
  },
  {
    name: "a private name that is not there",
    source: "class A { #a = 1; }\nexport default () => <p>{new A().#b}</p>;",
    says: [/^2:34 Private name "#b" must be declared in an enclosing class\n/],
  },
  {
    name: "lines that end as on Windows",
    source: "const a = 1;\r\nconst b = ;\r\nexport default () => <p />;",
    says: ['2:11 Unexpected ";"\nconst b = ;\n          ^'],
  },
  {
    name: "nothing to show",
    source: "function App() {\n  return <p />;\n}",
    says: ['nothing is shown: export a component as default, or call createRoot from "react-dom/client" yourself'],
  },
  {
    name: "a brace that never closes, with Tailwind",
    source: `export default () => <p className="p-4">{</p>;`,
    css: "tailwind",
    says: [/^1:42 Expected "\}" but found "<\/p>"\n/],
  },
];

Deno.test("react: each mistake has its place in the author's source", async (test) => {
  await proveMistakes(test, "react", MISTAKES);
});
