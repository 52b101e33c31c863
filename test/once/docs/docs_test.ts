/** The Markdown pages say nothing about links, settings, routes and JSON that is not so. */
import assert from "node:assert/strict";
import { startServer } from "../../stage/harness.ts";
import { anchorsOf, type Page, readPage, readPages } from "./pages.ts";

const pages = await readPages();

Deno.test("every relative link and image leads to a file, and to a heading of it", async () => {
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, target = ""] of page.prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (!/^[a-z]+:/.test(target) && !await leadsSomewhere(page, target)) broken.push(`${page.path}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

async function leadsSomewhere(page: Page, target: string): Promise<boolean> {
  const [path = "", anchor] = target.split("#");
  const file = path ? new URL(path, page.url) : page.url;
  if (!await Deno.stat(file).then(({ isFile }) => isFile, () => false)) return false;
  if (!anchor) return true;
  const aim = pages.find(({ url }) => url.href === file.href);
  return aim !== undefined && anchorsOf(aim).includes(anchor);
}

Deno.test("docs/running.md names every variable that config.ts reads, and no other", async () => {
  const { text } = await readPage("docs/running.md");
  const documented = [...text.matchAll(/^\| `([A-Z][A-Z_]+)` +\|/gm)].map(([, name]) => name);
  const config = await Deno.readTextFile(new URL("../../../server/config.ts", import.meta.url));
  const [, shape = ""] = /const Environment = z\.object\(\{\n([^]*?)\n\}\);/.exec(config) ?? [];
  const read = [...shape.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name);
  assert.ok(read.length > 10, "the variables of config.ts are found");
  assert.deepEqual(documented.filter((name) => !read.includes(name)), [], "rows of the table that nothing reads");
  assert.deepEqual(read.filter((name) => !text.includes(`\`${name}\``)), [], "variables that the page does not name");
});

Deno.test("README: commands are run in one way, each with settings that they read, and the tour stops the first server", async () => {
  const readme = await readPage("README.md");
  const config = await Deno.readTextFile(new URL("../../../server/config.ts", import.meta.url));
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../../deno.json", import.meta.url)));
  const commands = pages.flatMap(({ path, blocks }) =>
    blocks.filter(({ info }) => info.startsWith("sh")).flatMap(({ text }) =>
      text.split("\n").filter((line) => /\bdeno\b.* task\b|\bdeno task\b/.test(line)).map((line) => ({ path, line }))
    )
  );
  assert.ok(commands.length > 5, "the commands are found");
  for (const { path, line } of commands) {
    const [, settings = "", task = ""] = /^((?:[A-Z_]+=\S+ )*)deno task (\S+)/.exec(line) ?? [];
    assert.ok(Object.hasOwn(tasks, task), `${path}: ${line}`);
    for (const [, name] of settings.matchAll(/([A-Z_]+)=/g)) {
      assert.ok(config.includes(`  ${name}:`), `${path}: ${line}`);
    }
  }
  assert.match(readme.text, /Stop the first server[^]*ADMIN_TOKEN=\S+ EGRESS_ALLOW=\S+ deno task start/);
});

Deno.test("every route that the pages name is there, and docs/api.md names them all", async () => {
  const server = await startServer();
  const { body: { paths } } = await server.request("GET", "/openapi.json");
  await server.close();
  const pathOf = (path: string) => path.replace(/:\w+|\{\w+\}/g, "{}");
  const known = new Map(
    Object.entries(paths).map(([path, methods]) => [pathOf(path), Object.keys(methods as object)]),
  );
  const wrong: string[] = [];
  const named = new Set<string>();
  for (const page of pages.filter(({ path }) => path !== "CHANGELOG.md")) {
    for (const { method, path } of routesIn(page)) {
      const methods = known.get(pathOf(path));
      if (page.path === "docs/api.md") named.add(pathOf(path));
      if (!methods || method && !methods.includes(method)) wrong.push(`${page.path}: ${method ?? ""} ${path}`);
    }
  }
  assert.deepEqual(wrong, [], "routes that are not there");
  assert.deepEqual([...known.keys()].filter((path) => !named.has(path)), [], "routes that docs/api.md leaves out");
});

/** `GET /account.json`, `/platform/apps/:id.json`; not folders such as `/platform/`, nor addresses with an ellipsis. */
const routesIn = ({ prose }: Page) =>
  [
    ...prose.matchAll(
      /`(?:(GET|POST|PUT|PATCH|DELETE) )?(\/(?:account|hooks|platform|connect|a|logos|previews|vendor|schemas|apps|data|flows|runs|triggers|modules|departments|connectors|people|operations|profile|docs|console|sign_in|sign_out|invitation|password_reset|approval|enter|embed\.js|healthz|readyz|mcp)\b[^`?\s]*|\/(?=`))[^`]*`/g,
    ),
  ]
    .map(([, method, path = ""]) => ({ method: method?.toLowerCase(), path }))
    .filter(({ path }) => !/[…<]|.\/$/.test(path));

Deno.test("every JSON block is JSON", () => {
  for (const { path, blocks } of pages) {
    for (const { info, text } of blocks) {
      if (info === "json") assert.doesNotThrow(() => JSON.parse(text), `${path}:\n${text}`);
    }
  }
});

Deno.test("every file and folder that ARCHITECTURE.md and docs/ name is there", async () => {
  const missing: string[] = [];
  for (const { path, prose } of pages.filter(({ path }) => /^(ARCHITECTURE|docs\/)/.test(path))) {
    for (const [, name = ""] of prose.matchAll(/`([a-z_]+(?:\/[a-z_.]+)*(?:\.ts|\.js|\/))`/g)) {
      const found = await Promise.all(["", "server/"].map((folder) => exists(`${folder}${name}`)));
      // The names of files that every domain has.
      if (!found.includes(true) && !/^(router|schema|queries|write|tour)\.ts$/.test(name)) {
        missing.push(`${path}: ${name}`);
      }
    }
  }
  assert.deepEqual(missing, []);
});

const exists = (path: string) => Deno.stat(new URL(`../../../${path}`, import.meta.url)).then(() => true, () => false);
