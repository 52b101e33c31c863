import assert from "node:assert/strict";
import { noticePage, type PageParts, renderPage } from "./page_html.ts";

const PARTS: PageParts = {
  id: "1",
  name: "Counter",
  db_code: null,
  engine: "svelte",
  css_engine: "tailwind",
  code: "",
  script: "/a/1/abc.js",
  style: "/a/1/abc.css",
  imports: ["/vendor/svelte.js"],
  scripts: [],
};
const SHIM = "window.shimmed = true;";
const HOSTILE = [
  "</script><script>window.hacked = true</script>",
  "<!-- <script> never closed",
  "</ScRiPt >",
  "<!--<script></script>-->",
  "]]></title><img src=x onerror=alert(1)>",
  `" onload="alert(1)' x='`,
  "\u2028\u2029 & &amp; \\u003c",
];

const APP = { id: "1", name: "Counter", db_code: null };

/** What the script before the app's own leaves in `window`, as a browser would read it: up to the first end tag. */
function windowOf(page: string): Record<string, unknown> {
  const [, script = ""] = /<script>([^]*?)<\/script/i.exec(page) ?? [];
  const window = {};
  new Function("window", script)(window);
  return window;
}

Deno.test("page: the parts are in their order", () => {
  const page = renderPage(PARTS, "null", SHIM);
  const order = [
    "<!doctype html>",
    "modulepreload",
    "stylesheet",
    "PlatformAppContext",
    "shimmed",
    "platform-app",
    "/abc.js",
  ];
  const places = order.map((part) => page.indexOf(part));
  assert.deepEqual(places, places.toSorted((a, b) => a - b));
  assert.ok(!places.includes(-1));
  assert.match(page, /<script type="module" src="\/a\/1\/abc\.js">/);
  const plain = renderPage({ ...PARTS, engine: "js", style: undefined, scripts: ["/vendor/tw.js"] }, "null", SHIM);
  assert.match(plain, /shimmed[^]*<script src="\/vendor\/tw\.js">[^]*<script src="\/a\/1\/abc\.js">/);
  assert.doesNotMatch(plain, /stylesheet|type="module"/);
});

Deno.test("page: names and users are escaped", () => {
  for (const text of HOSTILE) {
    const user = { login: text, name: text, role: "user", team_names: [text] };
    const page = renderPage({ ...PARTS, name: text, db_code: text }, JSON.stringify(user), SHIM);
    const app = { ...APP, name: text, db_code: text };
    assert.deepEqual(windowOf(page), { PlatformAppContext: { user, app }, shimmed: true }, text);
    assert.equal(page.match(/<script\b/gi)?.length, 2, text);
    assert.equal(page.match(/<\/script/gi)?.length, 2, text);
    assert.doesNotMatch(page, /<!--/, text);
    assert.doesNotMatch(page.replace(/<script>[^]*?<\/script>/g, ""), /<img|onload="/, text);
    assert.equal(page.match(/<title>([^<]*)<\/title>/)?.length, 2, text);
  }
});

Deno.test("page: without a viewer the user is null, and an app without a database has none", () => {
  const { PlatformAppContext } = windowOf(renderPage(PARTS, "null", SHIM));
  assert.deepEqual(PlatformAppContext, { user: null, app: APP });
});

const html = (code: string, scripts: string[] = []) =>
  renderPage({ ...PARTS, engine: "html", code, scripts }, "null", SHIM);

Deno.test("page: an html app's scripts come after the shim and before the app", () => {
  const page = html("<!doctype html><title>x</title><script>platform</script>", ["/vendor/platform.js"]);
  assert.match(
    page,
    /^<!doctype html><script>[^]*shimmed[^<]*<\/script><script src="\/vendor\/platform\.js"><\/script><title>/,
  );
});

Deno.test("page: an html app's doctype stays first, and the app is unchanged", () => {
  const heads = [
    "<!doctype html>",
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"\n"http://www.w3.org/TR/html4/strict.dtd">',
    "\uFEFF \n<!-- made by hand --><!doctype html>",
    "<!-- <!doctype html> in a comment --><!-- another --><!doctype html>",
    "<!--><!doctype html>",
    "<!---><!doctype html>",
    "<!-- --!><!doctype html>",
  ];
  for (const head of heads) {
    const page = html(`${head}<html><body>x</body></html>`);
    assert.ok(page.startsWith(`${head}<script>`), page);
    assert.ok(page.endsWith("</script><html><body>x</body></html>"), page);
  }
});

Deno.test("page: without a doctype the shim comes first", () => {
  for (
    const code of [
      "<p>x</p>",
      "",
      "<!-- a --><p><!doctype html>",
      "<!-- never closed <!doctype html>",
      "text <!doctype html>",
    ]
  ) {
    const page = html(code);
    assert.ok(page.startsWith("<script>") && page.endsWith(`</script>${code}`), code);
  }
});

Deno.test("page: a hostile html app does not hold the server", () => {
  const began = performance.now();
  for (const piece of ["<!--a-->", "<!---->", "<!-->", "<!--->", "\uFEFF", " ", "<!--", "-->", "<!-- --!>"]) {
    html(piece.repeat(20_000));
  }
  html(`<!--${"-".repeat(200_000)}`);
  html(`<!doctype ${"<".repeat(200_000)}`);
  assert.ok(performance.now() - began < 10_000, `${performance.now() - began} ms`);
});

Deno.test("page: a notice escapes its text", () => {
  const page = noticePage("<b>Title</b>", `"quoted" & </p><script>`);
  assert.match(page, /<h1>&lt;b&gt;Title&lt;\/b&gt;<\/h1>/);
  assert.doesNotMatch(page, /<script/);
});
