/** `/embed.js` as it ships. */
import assert from "node:assert/strict";
import { EMBED_MINIFIED, embedScript } from "../../server/compiler/runtime/prebuild.ts";
import { classic } from "../../server/http/files/embed_script.ts";

Deno.test("embed.js: at most 4 KB, and the build of its source (deno task build)", async () => {
  const built = await Deno.readTextFile(EMBED_MINIFIED);
  assert.equal(built, await embedScript());
  assert.ok(built.length <= 4_096 && classic(built).length <= 4_096, `${classic(built).length} bytes`);
  assert.match(built, /export function embed\(/);
  assert.equal(built.split("import.meta").length, 2);
  // A script, not a module: parsing it throws where it has an export or import.meta.
  new Function(classic(built));
});
