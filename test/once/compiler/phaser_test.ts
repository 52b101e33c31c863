import assert from "node:assert/strict";
import { exportsOf, importsOf, openCompiler } from "./scratch.ts";

/** Games, the version whose file they load, and what they import from it. */
const GAMES: Record<string, [version: 3 | 4, ...names: string[]]> = {
  "new Phaser.Game({});": [3, "default"],
  "const { Scene } = Phaser; new Phaser.Game({ scene: Scene });": [3, "default"],
  "const Menu = new Phaser.Class({ Extends: Phaser.Scene }); new Phaser.Game({ scene: Menu });": [3, "default"],
  'import Phaser from "phaser"; new Phaser.Game();': [3, "default"],
  'import Phaser from "phaser@3"; new Phaser.Game();': [3, "default"],
  'import "phaser"; new Phaser.Game();': [3, "default"],
  'import * as Phaser from "phaser"; new Phaser.Game({ type: Phaser.AUTO });': [3, "AUTO", "Game"],
  'import { Scene, Game, Math as M, Class } from "phaser"; new Game(Scene, M, Class);': [
    3,
    "Class",
    "Game",
    "Math",
    "Scene",
  ],
  "class A extends Phaser.Scene { private n?: Phaser.GameObjects.Text }\nnew Phaser.Game({ scene: A } as Phaser.Types.Core.GameConfig);":
    [3, "default"],
  "new window.Phaser.Game();": [3, "VERSION"],
  'import Phaser from "phaser@4"; new Phaser.Game();': [4, "default"],
  'import { Game, Filters } from "phaser@4"; new Game(Filters);': [4, "Filters", "Game"],
  'import * as Phaser from "phaser@4"; new Phaser.Game();': [4, "Game"],
  'import { Scene } from "phaser@4"; new Phaser.Game({ scene: Scene });': [4, "Scene", "default"],
  'import "phaser@4"; new Phaser.Game();': [4, "default"],
  '// Runs on "phaser@4", too.\nimport { Game } from "phaser"; new Game();': [3, "Game"],
};

Deno.test("phaser: a game imports the version that it names, and no other", async () => {
  await using compiler = openCompiler();
  const files = new Map<number, Set<string>>();
  for (const [source_code, [version, ...names]] of Object.entries(GAMES)) {
    const { code, css, imports, scripts, config } = await compiler.compile({
      engine: "phaser",
      css_engine: "tailwind_all",
      source_code,
    });
    const [[imported = "", found] = [], ...others] = importsOf(code);
    assert.deepEqual([[...found ?? []].toSorted(), others], [names, []], source_code);
    assert.deepEqual([css, scripts, config.warnings], ["", [], []], source_code);
    assert.deepEqual(imports, [`/vendor/${imported}`], source_code);
    // A game that does not name the other version must not cause its download.
    const versions = source_code.includes("phaser@4") ? ["phaser", "esbuild", "phaser4"] : ["phaser", "esbuild"];
    assert.deepEqual(Object.keys(config.compiler), versions, source_code);
    files.set(version, (files.get(version) ?? new Set()).add(imported));
  }
  assert.deepEqual([...files.values()].map(({ size }) => size), [1, 1]);
  for (const [version, [file = ""]] of files) {
    const vendor = await compiler.vendor(file);
    assert.ok(vendor, `Phaser ${version}`);
    const exported = exportsOf(vendor);
    for (const name of ["default", "AUTO", "Class", "Game", "Math", "Physics", "Scene", "VERSION"]) {
      assert.ok(exported.has(name), `Phaser ${version}: ${name}`);
    }
    assert.match(new TextDecoder().decode(vendor.body.slice(0, 40)), new RegExp(`^/\\* phaser@${version}\\.`));
  }
});
