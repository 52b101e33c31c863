/** The documentation as the console shows it. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { pageModule, renderPages, searchable } from "../../../server/compiler/console/docs/docs_plugin.ts";
import { CHAPTERS } from "../../../server/compiler/console/docs/manuscript.ts";
import { renderPage } from "../../../server/compiler/console/docs/render.ts";

/** What opening a page may add, compressed. */
const MOST_BYTES = 25_000;
/** What the first search may add: the text of all guides. */
const MOST_BYTES_OF_SEARCH = 60_000;

const pages = await renderPages();

Deno.test("console docs: every file of docs/ is a page, with a title, and small", async () => {
  const written: string[] = [];
  for await (const { name } of Deno.readDir(new URL("../../../docs/", import.meta.url))) {
    if (name.endsWith(".md")) written.push(`docs/${name}`);
  }
  const files = CHAPTERS.map(({ file }) => file);
  assert.deepEqual(written.filter((file) => !files.includes(file)), [], "missing in manuscript.ts");
  assert.equal(new Set(CHAPTERS.map(({ id }) => id)).size, pages.size);
  // The folder of this tree is in the module, and not in the bundle.
  const tree = fileURLToPath(new URL("../../../", import.meta.url));
  const sizes = [...pages].map(([path, page]) => {
    const module = pageModule(page).replaceAll(tree, "/");
    return [path, brotliCompressSync(module).length] as const;
  });
  assert.deepEqual(sizes.filter(([, bytes]) => bytes > MOST_BYTES), []);
  assert.ok(brotliCompressSync(JSON.stringify(searchable(pages))).length < MOST_BYTES_OF_SEARCH);
  for (const page of pages.values()) assert.ok(page.title && page.sections.length > 0);
});

Deno.test("console docs: every link leads to a page, and to a heading of it", () => {
  const byId = new Map(CHAPTERS.map(({ id }, index) => [id, [...pages.values()][index]]));
  const broken: string[] = [];
  let count = 0;
  for (const { title, markup } of pages.values()) {
    for (const [, id = "", anchor] of markup.matchAll(/href="\/docs\/([^"#]*)(?:#([^"]*))?"/g)) {
      count++;
      const target = byId.get(id);
      if (!target || anchor && !target.markup.includes(`id="${anchor}"`)) broken.push(`${title}: ${id}#${anchor}`);
    }
  }
  assert.ok(count > 40);
  assert.deepEqual(broken, []);
});

Deno.test("console docs: HTML and braces of a page are text, and addresses of scripts no links", () => {
  const page = renderPage(
    { id: "x", group: "", summary: "", file: "docs/x.md" },
    "# Title\n\n<img src=x onerror=alert(1)> {1 + 1} `{@html x}` [a](javascript:alert(1)) [b](https://example.com/)\n\n" +
      "## A `b`: c\n\n```sh 422\necho '{}' </script>\n```\n",
  );
  assert.equal(page.title, "Title");
  assert.deepEqual(page.headings, [{ level: 2, text: "A b: c", anchor: "a-b-c" }]);
  assert.doesNotMatch(page.markup.replace(/code=\{"(?:\\.|[^"\\])*"\}/, ""), /[{}]|<img|javascript:/);
  assert.match(page.markup, /&lt;img src=x onerror=alert\(1\)&gt; &#123;1 \+ 1&#125;/);
  assert.match(page.markup, /<a href="https:\/\/example.com\/" target="_blank" rel="noreferrer">b<\/a>/);
  assert.match(page.markup, /language="sh"/);
  // Svelte compiles it, also with what would end a script.
  assert.match(pageModule(page), /from_html/);
});
