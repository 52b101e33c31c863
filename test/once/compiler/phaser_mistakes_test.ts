import { type Mistake, proveMistakes } from "./mistakes.ts";

const MISTAKES: Mistake[] = [
  {
    name: "a comma between methods",
    source: "class Level extends Phaser.Scene {\n  preload() {\n  },\n  create() {}\n}\n",
    says: ['3:4 Expected identifier but found ","\n  },\n   ^'],
  },
  {
    name: "a function in a class",
    source: "class Level extends Phaser.Scene {\n  function create() {\n  }\n}\n",
    says: ['2:12 Expected ";" but found "create"\n  function create() {\n           ^'],
  },
  {
    name: "an object's property in a class",
    source: "class Level extends Phaser.Scene {\n  create: function () {}\n}\n",
    says: ['2:11 Unexpected "function"\n  create: function () {}\n          ^'],
  },
  {
    name: "a configuration that is not closed",
    source: "const config = {\n  type: Phaser.AUTO,\n  scene: { preload, create }\nnew Phaser.Game(config);\n",
    says: ['4:1 Expected "}" but found "new"\nnew Phaser.Game(config);\n^'],
  },
  {
    name: "super outside of a constructor",
    source: `class Level extends Phaser.Scene {\n  create() {\n    super("level");\n  }\n}\n`,
    says: ['3:5 Unexpected "super"\n    super("level");\n    ^'],
  },
  {
    name: "a class twice",
    source: "class A extends Phaser.Scene {}\nclass A extends Phaser.Scene {}\n",
    says: ['2:7 The symbol "A" has already been declared\nclass A extends Phaser.Scene {}\n      ^'],
  },
  {
    name: "a colour as in CSS",
    source: "new Phaser.Game({ backgroundColor: #3498db });\n",
    says: [
      '1:37 Syntax error "3"\nnew Phaser.Game({ backgroundColor: #3498db });\n                                    ^',
    ],
  },
  {
    name: "a private field that no class has",
    source: "class A extends Phaser.Scene {\n  update() { this.#speed += 1; }\n}\n",
    says: [
      '2:19 Private name "#speed" must be declared in an enclosing class\n  update() { this.#speed += 1; }\n                  ^',
    ],
  },
  {
    name: "await in create",
    source: `class A extends Phaser.Scene {\n  create() {\n    const best = await fetch("/best");\n  }\n}\n`,
    says: [/^3:18 "await" can only be used inside an "async" function\n {4}const best = await fetch/],
  },
  {
    name: "break out of forEach",
    source: "const a = [1];\na.forEach((x) => {\n  if (x) break;\n});\nnew Phaser.Game();\n",
    says: [/^3:10 Cannot use "break" here.*\n {2}if \(x\) break;\n {9}\^$/],
  },
  {
    name: "a type without its name",
    source:
      `class A extends Phaser.Scene {\n  private hero!: Phaser.GameObjects.Sprite\n  create() { this.hero = this.add.sprite(1, 2, "x" as); }\n}\n`,
    says: [/^3:54 Unexpected "\)"\n/],
  },
  {
    name: "the library overwritten",
    source: `window.onload = () => {\n  Phaser = Phaser || {};\n};\n`,
    says: [`2:3 Cannot assign to "Phaser" because it is the engine's own\n  Phaser = Phaser || {};\n  ^`],
  },
  {
    name: "a name that Phaser does not export",
    source: `import { Game, Sceen } from "phaser";\nnew Game({ scene: Sceen });\n`,
    says: ['1:16 "phaser" has no export "Sceen"\nimport { Game, Sceen } from "phaser";\n               ^'],
  },
  {
    name: "a name of the other version",
    source: `import { Game, FX } from "phaser@4";\nnew Game({ FX });\n`,
    says: [/^1:16 "phaser@4" has no export "FX"\n/],
  },
  {
    name: "a version that is not there",
    source: `import Phaser from "phaser@5";\nnew Phaser.Game();\n`,
    says: [
      '1:20 "phaser@5" cannot be imported; an app may import phaser, phaser@3, phaser@4, platform\n' +
      'import Phaser from "phaser@5";\n                   ^',
    ],
  },
  {
    name: "scenes in separate files, reported together",
    source:
      `import { Boot } from "./scenes/Boot";\nimport { Play } from "./scenes/Play";\nnew Phaser.Game({ scene: [Boot, Play] });\n`,
    says: [/^1:22 "\.\/scenes\/Boot" cannot be imported/, /^2:22 "\.\/scenes\/Play" cannot be imported/],
  },
];

Deno.test("phaser: each mistake has its place in the author's source", (test) =>
  proveMistakes(test, "phaser", MISTAKES));
