import assert from "node:assert/strict";
import { exported, findPackageFile } from "./packages.ts";

Deno.test("packages: an exports field is read as a browser's bundler reads it", () => {
  const exports = {
    ".": { node: "./node.js", browser: { development: "./dev.js", default: "./browser.js" }, default: "./index.js" },
    "./store": { types: "./store.d.ts", default: "./store.js" },
    "./types": { types: "./types.d.ts" },
    "./closed": null,
  };
  assert.equal(exported(exports, "."), "./browser.js");
  assert.equal(exported(exports, "./store"), "./store.js");
  for (const path of ["./types", "./closed", "./unknown"]) assert.equal(exported(exports, path), undefined, path);
  assert.equal(exported("./main.js", "."), "./main.js");
  assert.equal(exported("./main.js", "./store"), undefined);
  const many = { ".": [{ require: "./main.cjs" }, "./main.js"], "./utils/*": { import: "./dist/utils/*.js" } };
  assert.equal(exported(many, "."), "./main.js");
  assert.equal(exported(many, "./utils/url"), "./dist/utils/url.js");
  assert.equal(exported(exports, ".", new Set(["node"])), "./node.js");
});

Deno.test("packages: files of this project's packages, and of theirs", () => {
  const svelte = findPackageFile("svelte");
  assert.match(svelte.path, /svelte.*index-client\.js$/);
  assert.match(findPackageFile("clsx", svelte.path).path, /clsx\.mjs$/);
  assert.throws(() => findPackageFile("svelte/nothing"), /not exported/);
});

Deno.test("packages: a package without exports may be asked for a folder, or a file without its ending", () => {
  const node = new Set(["node", "import", "default"]);
  const formats = findPackageFile("ajv-formats", findPackageFile("@modelcontextprotocol/sdk/server").path, node);
  assert.match(findPackageFile("ajv/dist/compile/codegen", formats.path).path, /codegen[/\\]index\.js$/);
  assert.match(findPackageFile("ajv/dist/core", formats.path).path, /core\.js$/);
  assert.throws(() => findPackageFile("ajv/dist/nothing", formats.path), /not exported/);
});
