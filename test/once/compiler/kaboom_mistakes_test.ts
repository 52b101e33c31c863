import { type Mistake, proveMistakes } from "./mistakes.ts";

const MISTAKES: Mistake[] = [
  {
    name: "a parenthesis that is missing",
    source: "kaboom();\nadd([\n  rect(10, 10),\n  pos(4, 4\n]);\n",
    says: ['5:1 Expected ")" but found "]"\n]);\n^'],
  },
  {
    name: "a handler that is not closed",
    source: `kaboom();\nonKeyPress("space", () => {\n  jump();\n`,
    says: ["4:1 Unexpected end of file\n\n^"],
  },
  {
    name: "a string without end",
    source: `kaboom();\nadd([text("hello]);\n`,
    says: ['2:20 Unterminated string literal\nadd([text("hello]);\n                   ^'],
  },
  {
    name: "a name twice",
    source: "kaboom();\nconst player = add([]);\nconst player = add([]);\n",
    says: ['3:7 The symbol "player" has already been declared\nconst player = add([]);\n      ^'],
  },
  {
    name: "a constant that changes",
    source: "const lives = 3;\nkaboom();\nonUpdate(() => { lives -= 1; });\n",
    says: [
      '3:18 Cannot assign to "lives" because it is a constant\nonUpdate(() => { lives -= 1; });\n                 ^',
    ],
  },
  {
    name: "await in a plain function",
    source: "kaboom();\nonClick(() => {\n  await wait(1);\n});\n",
    says: ['3:3 "await" can only be used inside an "async" function\n  await wait(1);\n  ^'],
  },
  {
    name: "a missing comma, behind a tab",
    source: "kaboom({\n\twidth: 320\n\theight: 240,\n});\n",
    says: ['3:2 Expected "}" but found "height"\n\theight: 240,\n\t^'],
  },
  {
    name: "parameters without parentheses",
    source: `kaboom();\nscene("game", {score} => {\n});\n`,
    says: ['2:23 Expected ")" but found "=>"\nscene("game", {score} => {\n                      ^'],
  },
  {
    name: "two calls on a line, behind letters of several bytes",
    source: `kaboom();\nadd([text("żółć 😀")]) add([]);\n`,
    says: ['2:24 Expected ";" but found "add"\nadd([text("żółć 😀")]) add([]);\n                       ^'],
  },
  {
    name: "a value that is missing behind a type",
    source: "kaboom();\nlet speed: number = ;\n",
    says: ['2:21 Unexpected ";"\nlet speed: number = ;\n                    ^'],
  },
  {
    name: "an else of nothing",
    source: "kaboom();\nonUpdate(() => {\n  if (a) go();\n  } else stop();\n});",
    says: ['4:5 Expected ")" but found "else"\n  } else stop();\n    ^'],
  },
  {
    name: "markup",
    source: `kaboom();\nconst menu = <h1>Menu</h1>;\n`,
    says: ["2:14 Markup cannot stand here\nconst menu = <h1>Menu</h1>;\n             ^"],
  },
  {
    name: "a page around the script",
    source: `<script>\nkaboom();\n</script>\n`,
    says: ["1:1 Markup cannot stand here\n<script>\n^"],
  },
  {
    name: "missing files, reported together",
    source: `import level from "./level.js";\nimport hero from "../hero.png";\nkaboom();\nadd([level, hero]);\n`,
    says: [
      '1:19 "./level.js" cannot be imported; an app may import kaboom, kaplay, kaboom/global, kaplay/global, platform\n' +
      'import level from "./level.js";\n                  ^',
      /^2:18 "\.\.\/hero\.png" cannot be imported; an app may import kaboom/,
    ],
  },
  {
    name: "the library from elsewhere",
    source: `import kaboom from "https://games.example/kaboom.mjs";\nkaboom();\n`,
    says: [/^1:20 "https:\/\/games\.example\/kaboom\.mjs" cannot be imported: this server allows no remote imports/],
  },
  {
    name: "a name that Kaboom does not export",
    source: `import { kaboom } from "kaboom";\nkaboom();\n`,
    says: ['1:10 "kaboom" has no export "kaboom"\nimport { kaboom } from "kaboom";\n         ^'],
  },
  {
    name: "a name that Kaplay does not export",
    source: `import kaplay, { addSprite } from "kaplay";\nkaplay();\naddSprite();\n`,
    says: ['1:18 "kaplay" has no export "addSprite"\nimport kaplay, { addSprite } from "kaplay";\n                 ^'],
  },
];

Deno.test("kaboom: each mistake has its place in the author's source", (test) =>
  proveMistakes(test, "kaboom", MISTAKES));
