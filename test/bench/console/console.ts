/**
 * The console in Chromium: what it loads, when it paints, how soon a key is painted, how soon a preview follows, and the
 * memory of a tab after an hour's work. The times are those of this machine; the aims are those of the design.
 */
import { fill } from "../../screens/fill.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { addSession, made } from "../../stage/people.ts";
import type { Section } from "../measure/section.ts";
import { layOut, median } from "../measure/table.ts";
import {
  firstPaint,
  keysToPaint,
  openBrowser,
  openPage,
  paletteToPaint,
  previewLatency,
  untilTrue,
} from "./browser.ts";
import { type ConsoleBytes, weighConsole } from "./bytes.ts";
import { type Memory, type Use, useConsole } from "./use.ts";

interface Options {
  rounds: number;
  /** Rounds of use before memory is read. A person who acts every five seconds takes three minutes for one. */
  uses?: number;
}

interface Figure {
  name: string;
  values: number[];
  unit: "KB" | "ms" | "";
  aim?: number;
}

/** Bytes. */
const MOST_OF_FIRST = 100_000;
const MOST_OF_PAGE = 25_000;
const MOST_OF_EDITOR = 210_000;

/** A source of some 3 KB. */
const SOURCE = `<script>let n = $state(0);</script>
<button onclick={() => n++}>clicked {n}</button>
${"<p>One of many paragraphs, as pages have them.</p>\n".repeat(56)}`;

const kb = (bytes: number) => (bytes / 1000).toFixed(1);
const verdict = (value: number, most: number) => value <= most ? "met" : "MISSED";

/** A session of the admin, and the addresses of every page. */
async function furnish(server: TestServer) {
  await fill(server.request);
  const app = { name: "Measured", app_engine: "svelte", css_engine: "none", source_code: SOURCE };
  const { id } = made(await server.request("POST", "/platform/apps.json", { json: { app } }));
  const { body: { user } } = await server.request("GET", "/account/me.json");
  const first = async (list: string) => (await server.request("GET", `${list}?per_page=1`)).body[0].id;
  return {
    cookie: (await addSession(server, user.id)).cookie,
    app: `/apps/${id}`,
    table: "/data/repairs/records",
    pages: [
      ...["/", "/apps", "/apps/new", "/data", "/flows", `/flows/${await first("/connect/flows.json")}`, "/runs"],
      `/runs/${await first("/connect/flow_processes.json")}`,
      ...["/triggers", `/triggers/${await first("/account/crons.json")}`, "/connectors"],
      ...[`/connectors/${await first("/connect/connectors.json")}`, "/modules", "/modules/crm", "/departments"],
      ...[`/departments/${await first("/account/departments.json")}`, "/people", "/operations", "/profile", "/account"],
      ...["/docs", "/docs/api", "/data/repairs/schema"],
    ],
  };
}

type Furnished = Awaited<ReturnType<typeof furnish>>;

async function measureTimes(url: string, { cookie, app }: Furnished, rounds: number): Promise<Figure[]> {
  const browser = await openBrowser();
  try {
    const [paints, palettes, previews, keys]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < rounds; round++) {
      const page = await openPage(browser, url, cookie);
      await page.goto(`${url}/apps`);
      await page.locator("h1").first().waitFor();
      paints.push(await firstPaint(page));
      palettes.push(await paletteToPaint(page));
      await page.goto(url + app);
      await untilTrue(page, "watched.ready.length > 0");
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      for (const key of "abc") previews.push(await previewLatency(page, key));
      keys.push(...await keysToPaint(page, [..."some words to type"].map((key) => key === " " ? "Space" : key)));
      await page.context().close();
    }
    return [
      { name: "first contentful paint", values: paints, unit: "ms", aim: 1000 },
      { name: "key to paint", values: keys, unit: "ms", aim: 50 },
      { name: "palette", values: palettes, unit: "ms", aim: 100 },
      { name: "preview of 3 KB, after the pause", values: previews, unit: "ms", aim: 120 },
    ];
  } finally {
    await browser.close();
  }
}

async function measureUse(url: string, { cookie, ...furnished }: Furnished, rounds: number): Promise<Use> {
  const browser = await openBrowser();
  try {
    return await useConsole(await openPage(browser, url, cookie), { url, ...furnished, rounds });
  } finally {
    await browser.close();
  }
}

function tellBytes({ first, first_chunks, pages }: ConsoleBytes): string {
  const editors = pages.flatMap(({ later }) => later).filter(({ name }) => name === "editor");
  const editor = Math.max(...editors.map(({ bytes }) => bytes));
  const head = ["", "KB", "chunks", "aim", "", "loaded when needed"];
  const rows = pages.map(({ page, bytes, chunks, later }) => {
    const parts = later.length > 8 ? [`${later.length} files`] : later.map(({ name, bytes }) => `${name} ${kb(bytes)}`);
    return [page, kb(bytes), String(chunks), "≤25", verdict(bytes, MOST_OF_PAGE), parts.join(", ")];
  });
  const shared = [
    ["first load", kb(first), String(first_chunks), "≤100", verdict(first, MOST_OF_FIRST), ""],
    ["editor", kb(editor), "", "≤210", verdict(editor, MOST_OF_EDITOR), ""],
  ];
  return layOut([head, ...shared, ...rows], 1);
}

function tellTimes(figures: readonly Figure[]): string {
  const number = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  const rows = figures.map(({ name, values, unit, aim = Infinity }) => [
    name,
    `${number(median(values))} ${unit}`,
    number(Math.min(...values)),
    number(Math.max(...values)),
    `≤${aim} ${verdict(median(values), aim)}`,
  ]);
  return layOut([["", "median", "min", "max", "aim"], ...rows], 1);
}

function tellUse({ actions, start, middle, end }: Use): string {
  const row = (name: string, { heap_mb, nodes, listeners }: Memory) => [
    name,
    heap_mb.toFixed(1),
    String(nodes),
    String(listeners),
  ];
  return layOut([
    ["", "heap MB", "DOM nodes", "listeners"],
    row("at the start", start),
    row(`after ${Math.round(actions / 2)} actions`, middle),
    row(`after ${actions} actions`, end),
  ], 1);
}

/** An hour of a person who acts every five seconds. */
const USES = 20;

export const consoleSection = ({ rounds, uses = USES }: Options): Section => ({
  name: "console",
  missing: undefined,
  async measure(stack) {
    const server = await startServer();
    stack.defer(() => server.close());
    await server.console.prepare();
    const url = server.listen();
    const furnished = await furnish(server);
    const document = await fetch(`${url}/apps`, { headers: { accept: "text/html", cookie: furnished.cookie } });
    const bytes = await weighConsole(server, await document.text());
    const times = await measureTimes(url, furnished, rounds);
    const use = await measureUse(url, furnished, uses);
    return { result: { bytes, times, use }, report: [tellBytes(bytes), tellTimes(times), tellUse(use)].join("\n\n") };
  },
});
