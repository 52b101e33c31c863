import assert from "node:assert/strict";
import { Fault } from "./files.ts";
import { filesOf, thingsOf, tidy, withEndingsOf } from "./folder.ts";

const app = (key: string, value: Record<string, unknown> = {}) => ({
  kind: "app",
  key,
  value: { name: "Counter", source_code: "<p>1</p>", app_engine: "html", ...value },
});

Deno.test("folder: the files of a thing are read as the same thing", () => {
  const things = [
    app("counter"),
    app("game", { app_engine: "phaser" }),
    app("board", { app_engine: "react" }),
    { kind: "db", key: "orders", value: { name: "Orders" } },
    ...["con", "aux", "nul", "com1", "lpt9", "console", "com", "com10"].map((key) => app(key)),
  ];
  for (const thing of things) {
    assert.deepEqual(thingsOf(filesOf(thing, new Map())), { things: [thing], faults: [] });
  }
});

Deno.test("folder: a source of React with types is a .tsx; the ending that it has here stays, in the base, too", () => {
  const typed = app("board", { app_engine: "react", source_code: "const a: string = 'b';" });
  assert.ok(filesOf(typed, new Map()).has("apps/board.tsx"));
  assert.ok(filesOf(typed, new Map([["apps/board.jsx", ""]])).has("apps/board.jsx"));
  const base = new Map([["apps/board.jsx", "1"], ["apps/board.json", "{}"], ["apps/other.jsx", "2"]]);
  const here = new Map([["apps/board.tsx", "3"], ["apps/board.json", "{}"]]);
  assert.deepEqual([...withEndingsOf(here, base).keys()], ["apps/board.tsx", "apps/board.json", "apps/other.jsx"]);
});

Deno.test("folder: names that Windows keeps for devices get a sign that no key has", () => {
  assert.deepEqual([...filesOf(app("con"), new Map()).keys()], ["apps/con~.json", "apps/con~.html"]);
  assert.deepEqual(thingsOf(new Map([["dbs/nul.json", "{}"]])).faults, ["dbs/nul.json: must be called nul~.json"]);
  assert.match(thingsOf(new Map([["dbs/orders~.json", "{}"]])).faults.join(), /lower-case letters/);
});

Deno.test("folder: a server's things never name a place outside of their folders", () => {
  const keys = ["..", "../x", "/etc/passwd", "a/b", "a\\b", "C:x", "Counter", "", "x".repeat(111), "a\0", "a.b", "é"];
  const places = [
    ...keys.map((key) => app(key)),
    { ...app("counter"), kind: "constructor" },
    { ...app("counter"), kind: "__proto__" },
    { ...app("counter"), kind: "../apps" },
  ];
  for (const thing of places) {
    assert.throws(() => filesOf(thing, new Map()), Fault, `${thing.kind}/${thing.key}`);
  }
  const strange = filesOf(app("x", { app_engine: "constructor" }), new Map());
  assert.deepEqual([...strange.keys()], ["apps/x.json", "apps/x.txt"]);
});

Deno.test("folder: a conflict that is left in a source or in settings is a fault", () => {
  const settings = `{ "name": "Counter" }`;
  const source = "<<<<<<< yours\n<p>1</p>\n||||||| base\n=======\n<p>2</p>\n>>>>>>> server x\n";
  const marked = (json: string, html: string) =>
    thingsOf(new Map([["apps/counter.json", json], ["apps/counter.html", html]])).faults;
  assert.deepEqual(marked(settings, source), [
    "apps/counter.json: has a conflict to be resolved, in apps/counter.html",
  ]);
  assert.deepEqual(marked(source, "<p>1</p>"), ["apps/counter.json: has a conflict to be resolved"]);
  assert.deepEqual(marked(settings, "<<<<<<<\n=======\n"), []);
});

Deno.test("folder: spaces and the order of keys are no change of a JSON file", () => {
  const pulled =
    `{\n  "name": "A",\n  "schema": {\n    "fields": {\n      "b": "string",\n      "a": "string"\n    }\n  }\n}\n`;
  const typed = `{ "schema": { "fields": { "b": "string", "a": "string" } }, "name": "A" }`;
  assert.equal(tidy("dbs/a.json", typed, pulled), pulled);
  assert.notEqual(
    tidy("dbs/a.json", typed.replace(`"b": "string", "a": "string"`, `"a": "string", "b": "string"`), pulled),
    pulled,
  );
  assert.equal(tidy("dbs/a.json", `{ "name": `, pulled), `{ "name": `);
  assert.equal(tidy("apps/a.js", `{ "name": 1 }`, undefined), `{ "name": 1 }`);
});
