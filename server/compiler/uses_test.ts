import assert from "node:assert/strict";
import { usesInHtml, usesOf } from "./uses.ts";

const SCRIPTS: [code: string, platform: boolean, requests: boolean][] = [
  [`document.querySelector("#platform-app").textContent = "fetch";`, false, false],
  ["// platform.db, fetch\n/* fetch() */ add([rect(1, 1), 'platform'])", false, false],
  ["const platforms = [1]; navigator.platform", false, false],
  ["let platform = { width: 90 }; platform.width", false, false],
  [`platform.db("todos").list()`, true, false],
  ["const { db, user } = window.platform;", true, false],
  ["globalThis?.platform", true, false],
  ["const platform = window.platform; platform.user", true, false],
  [`fetch("/x")`, false, true],
  ["const get = window.fetch;", false, true],
  ["new XMLHttpRequest()", false, true],
  [`new EventSource("/x")`, false, true],
  [`this.load.json("rows", "/platform/db/todos/list")`, false, true],
  ["load(`/platform/db/${code}/list`)", false, true],
  ["f(1) / platform / 2", true, false],
  ["let = = broken 'fetch", true, true],
];

for (const [code, platform, requests] of SCRIPTS) {
  Deno.test(`uses: ${code}`, () => assert.deepEqual(usesOf(code), { platform, requests }));
}

const DOCUMENTS: [document: string, platform: boolean, requests: boolean][] = [
  [`<div id="platform-app">fetch platform /db/</div>`, false, false],
  [`<script>document.title = "platform"</script>`, false, false],
  ["<p>x<script>platform.user</script>", true, false],
  ["<SCRIPT>platform.user", true, false],
  [`<button onclick="fetch('/x')">x</button>`, false, true],
  [`<a href="javascript:platform.user">x</a>`, true, false],
  [`<script src="https://code.test/axios.js"></script>`, false, true],
  [`<iframe srcdoc="<script>fetch('/x')</script>"></iframe>`, false, true],
];

for (const [document, platform, requests] of DOCUMENTS) {
  Deno.test(`uses: ${document}`, () => assert.deepEqual(usesInHtml(document), { platform, requests }));
}

Deno.test("uses: a document of elements that are not closed is read once", () => {
  assert.deepEqual(usesInHtml("<script>".repeat(25_000)), { platform: false, requests: false });
});
