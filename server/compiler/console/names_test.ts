import assert from "node:assert/strict";
import { namesByContent, renamed } from "./names.ts";

const encode = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]));

function named(files: Record<string, string>): Record<string, string> {
  const contents = encode(files);
  const result = renamed(contents, namesByContent(contents));
  return Object.fromEntries([...result].map(([name, body]) => [name, new TextDecoder().decode(body)]));
}

const SOURCE = {
  "main-AAAAAAAA.js": `import "./chunk-BBBBBBBB.js"; import("./Page-CCCCCCCC.js"); "not-MINE0000.js"`,
  "chunk-BBBBBBBB.js": "export const é = 1;",
  "chunk-DDDDDDDD.js": "export const two = 2;",
  // Leads back to what loads it.
  "Page-CCCCCCCC.js": `import "./chunk-DDDDDDDD.js"; import("./main-AAAAAAAA.js")`,
};

const withOther = (from: string, to: string) =>
  Object.fromEntries(
    Object.entries(SOURCE).map(([name, text]) => [name.replace(from, to), text.replaceAll(from, to)]),
  );

const nameOf = (files: Record<string, string>, text: string) =>
  Object.entries(files).find(([, content]) => content.includes(text))?.[0];

Deno.test("names: they are of the content, whatever esbuild has called a file", () => {
  const files = named(SOURCE);
  assert.deepEqual(named(withOther("AAAAAAAA", "ZZZZZZZZ")), files);
  assert.deepEqual(named(withOther("BBBBBBBB", "YYYYYYYY")), files);
  assert.equal(Object.keys(files).length, 4);
  const chunk = nameOf(files, "é = 1");
  assert.match(chunk ?? "", /^chunk-[A-Z2-7]{8}\.js$/);
  const [[main, text = ""] = []] = Object.entries(files).filter(([name]) => name.startsWith("main-"));
  assert.notEqual(main, "main-AAAAAAAA.js");
  assert.ok(text.includes(`"./${chunk}"`) && text.includes(`"not-MINE0000.js"`));
});

Deno.test("names: a change renames its file and every file that leads to it, and no other", () => {
  const before = named(SOURCE);
  const after = named({ ...SOURCE, "chunk-BBBBBBBB.js": "export const é = 3;" });
  const kept = Object.keys(after).filter((name) => name in before);
  assert.deepEqual(kept, [nameOf(before, "two = 2")]);
});

Deno.test("names: files that differ only in the order of what they load have different names", () => {
  const order = (one: string, other: string) => `import { x } from "./${one}"; import { y } from "./${other}";`;
  const files = named({
    "a-AAAAAAAA.js": order("chunk-CCCCCCCC.js", "chunk-DDDDDDDD.js"),
    "a-BBBBBBBB.js": order("chunk-DDDDDDDD.js", "chunk-CCCCCCCC.js"),
    "chunk-CCCCCCCC.js": "1",
    "chunk-DDDDDDDD.js": "2",
  });
  assert.equal(Object.keys(files).length, 4);
  assert.throws(() => named({ "a-AAAAAAAA.js": "1", "a-BBBBBBBB.js": "1" }), /two files of the bundle have one name/);
});
