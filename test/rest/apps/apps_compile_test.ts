/** Apps that are compiled: defaults, build times, `config`, and sources that do not compile. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { made } from "../../stage/people.ts";
import { onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/platform/apps.json";
const at = (id: string, rest = "") => `/platform/apps/${id}${rest}.json`;
const json = (app: unknown) => ({ json: { app } });

const COUNTER = `<script>
  let count = $state(0);
</script>

<button class="p-4 text-xl" onclick={() => count++}>{count}</button>
`;

/** A compile error: `line:column message`, followed by the offending line. */
const fault = (line: number, column: RegExp, offending: string) =>
  new RegExp(`^${line}:${column.source} \\S[^\\n]*\\n[^]*${offending.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);

inAccount("compiler: apps that compile", async ({ ask, play }) => {
  const brotli = (config: { size: { brotli: number } }) => config.size.brotli;
  await play([
    {
      name: "engines omitted: svelte and tailwind_all",
      method: "POST",
      path: ALL,
      sent: json({ name: "Counter", source_code: COUNTER }),
      status: 201,
      body: { app_engine: "svelte", css_engine: "tailwind_all", source_code: COUNTER },
      then({ body: { app_build_time, css_build_time, config } }) {
        assert.ok(Number.isInteger(app_build_time) && app_build_time > 0, "milliseconds");
        assert.equal(css_build_time, 0, "nothing of the CSS is compiled here");
        assert.match(config.compiler.svelte, /^5\.\d+\.\d+/);
        assert.equal(config.source_hash, createHash("sha256").update(COUNTER).digest("hex"));
        assert.ok(config.size.raw > brotli(config) && brotli(config) > 0);
        assert.deepEqual(config.warnings, []);
      },
    },
    {
      name: "tailwind: compiled on the server",
      method: "POST",
      path: ALL,
      sent: json({ name: "Counter", public: true, css_engine: "tailwind", source_code: COUNTER }),
      status: 201,
      async then({ body: { id, css_build_time, config } }) {
        assert.ok(Number.isInteger(css_build_time) && css_build_time > 0);
        assert.match(config.compiler.tailwindcss, /^4\./);
        const { body: page } = await ask("GET", `/a/${id}`, { token: null });
        const [style = ""] = page.match(new RegExp(`/a/${id}/[^"]+\\.css`)) ?? [];
        assert.match((await ask("GET", style, { token: null })).body, /\.p-4\b/, "a class that is used");
        const modules = [...page.matchAll(/<link rel="modulepreload" href="(\/vendor\/[^"]+)"/g)];
        assert.ok(modules.length > 0);
        const { status, headers } = await ask("GET", modules[0][1], { token: null });
        assert.equal(status, 200);
        assert.match(headers.get("cache-control") ?? "", /immutable/);
        assert.equal(headers.get("access-control-allow-origin"), "*");
      },
    },
    {
      name: "css none",
      method: "POST",
      path: ALL,
      sent: json({ name: "Counter", css_engine: "none", source_code: COUNTER }),
      status: 201,
      body: { css_build_time: 0 },
    },
    {
      name: "html: nothing is compiled",
      method: "POST",
      path: ALL,
      sent: json({ name: "Page", app_engine: "html", source_code: "<p class=p-4>" }),
      status: 201,
      body: { app_build_time: 0, css_build_time: 0, css_engine: "tailwind_all" },
      then: ({ body }) =>
        assert.equal(body.config.source_hash, createHash("sha256").update("<p class=p-4>").digest("hex")),
    },
    {
      name: "html: nothing is compiled",
      method: "POST",
      path: ALL,
      sent: json({ name: "Page", app_engine: "html", source_code: "<script>let = = 1;</script>" }),
      status: 201,
      body: { app_build_time: 0, css_build_time: 0 },
    },
  ]);
});

inAccount("compiler: sources that do not compile are 422 under source_code", async ({ ask, play }) => {
  const refused = (name: string, app: Record<string, unknown>, source_code: unknown): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: json({ name: "Broken", css_engine: "none", ...app }),
    status: 422,
    body: { source_code },
  });
  await play([
    refused(
      "an element that is not closed",
      { source_code: "<p>ok</p>\n<section>\n  <b>x</b>" },
      fault(2, /\d+/, "<section>"),
    ),
    refused(
      "a block that is not closed",
      { source_code: "<p>ok</p>\n\n{#if true}\n  x" },
      fault(3, /\d+/, "{#if true}"),
    ),
    refused(
      "a script that does not parse",
      { source_code: "<script>\n  let a = ;\n</script>" },
      fault(2, /\d+/, "let a = ;"),
    ),
    refused(
      "a rune in the wrong place",
      { source_code: "<script>\n  function f() { $effect }\n</script>" },
      fault(2, /\d+/, "$effect"),
    ),
    refused("an import of a package that no app may use", {
      source_code: '<script>\n  import left from "left-pad";\n</script>\n{left}',
    }, fault(2, /\d+/, 'import left from "left-pad"')),
    ...[
      "/etc/passwd",
      "./secret.js",
      "../../main.ts",
      "file:///etc/passwd",
      "https://evil.test/x.js",
      "node:fs",
      "data:text/javascript,1",
    ].map((
      path,
    ) =>
      refused(`an import of ${path}`, { source_code: `<script>\n  import x from "${path}";\n</script>{x}` }, /^2:\d+ /)
    ),
    refused("CSS that does not parse", { source_code: "<p>x</p>\n<style>\n  p { color: red;\n</style>" }, /^\d+:\d+ /),
  ]);
  assert.equal((await ask("GET", ALL)).headers.get("x-total-count"), "0");

  const app = made(
    await ask(
      "POST",
      ALL,
      json({ name: "Good", public: true, css_engine: "none", source_code: COUNTER }),
    ),
  );
  const { body: page } = await ask("GET", `/a/${app.id}`, { token: null });
  await play([
    {
      name: "update: refused whole",
      method: "PATCH",
      path: at(app.id),
      sent: json({ name: "Better", source_code: "{#if}" }),
      status: 422,
      body: { source_code: /^1:\d+ / },
    },
    {
      name: "update: an engine that the source is not for",
      method: "PATCH",
      path: at(app.id),
      sent: json({ app_engine: "html", source_code: "{#if}" }),
      status: 200,
    },
    {
      name: "update: and back, where it does not compile",
      method: "PATCH",
      path: at(app.id),
      sent: json({ app_engine: "svelte" }),
      status: 422,
      body: { source_code: /./ },
    },
    {
      name: "restore",
      method: "POST",
      path: at(app.id, "/versions/1/restore"),
      status: 200,
      body: { source_code: COUNTER },
    },
    {
      name: "replace: a result that does not compile",
      method: "PATCH",
      path: at(app.id, "/replace"),
      sent: { json: { field: "source_code", old: "</button>", new: "" } },
      status: 422,
      body: { source_code: /^5:\d+ / },
    },
    {
      name: "the refused requests changed nothing",
      method: "GET",
      path: at(app.id),
      status: 200,
      body: { name: "Good", source_code: COUNTER, lock_version: 2 },
    },
  ]);
  assert.equal((await ask("GET", `/a/${app.id}`, { token: null })).body, page, "and the page is the same as before");
});
