/**
 * Measures the size of an app's page: the compressed bytes that this server sends, against Vite's production build of the
 * same source with brotli's best quality. Headers are not counted.
 */
import { startServer, type TestServer } from "../../stage/harness.ts";
import { print } from "../../stage/print.ts";
import { findProgram } from "../../stage/programs.ts";
import type { Section } from "../measure/section.ts";
import { layOut } from "../measure/table.ts";
import { openVite, type Vite } from "./vite.ts";
import { type App, APPS } from "./weight_apps.ts";

/** Bytes. */
interface Ours {
  page: number;
  /** The app's own code and styles. */
  own: number;
  /** Files that it shares with other apps. */
  shared: number;
  requests: number;
  /** Shared files that a second app of the engine loads after the first, with a browser cache. */
  second_shared: number;
}

interface Theirs {
  page: number;
  files: number;
  requests: number;
}

export interface Weight {
  app: string;
  ours: Ours;
  vite: Theirs;
  /** Without the pages: ours contains the context and the shim, Vite's is empty. */
  ratio: number;
}

/** Path → bytes of the page and of everything that it loads; the page is first. */
async function loadAll({ handler, base_url }: TestServer, path: string): Promise<Map<string, number>> {
  const loaded = new Map<string, number>();
  const load = async (path: string) => {
    const response = await handler(new Request(`${base_url}${path}`, { headers: { "accept-encoding": "br" } }));
    const body = await response.bytes();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    loaded.set(path, body.length);
  };
  await load(path);
  const page = await (await handler(new Request(`${base_url}${path}`))).text();
  const paths = [...page.matchAll(/<(?:link|script)\b[^>]* (?:href|src)="([^"]+)"/g)].map(([, path = ""]) => path);
  await Array.fromAsync(new Set(paths), load);
  return loaded;
}

async function serve(server: TestServer, { engine, css_engine }: App, source_code: string): Promise<string> {
  const fields = { name: "App", app_engine: engine, css_engine, source_code, public: true };
  const url_code = `weighed-${crypto.randomUUID()}`;
  const { status, body } = await server.request("POST", "/platform/apps.json", {
    json: { app: { ...fields, url_code } },
  });
  if (status !== 201) throw new Error(`an app is refused: ${JSON.stringify(body)}`);
  return `/a/${url_code}`;
}

async function weighOurs(server: TestServer, app: App): Promise<Ours> {
  const first = await loadAll(server, await serve(server, app, app.source));
  const second = await loadAll(server, await serve(server, app, app.second));
  const sum = (files: Map<string, number>, wanted: (path: string) => boolean) =>
    [...files].reduce((sum, [path, bytes]) => sum + (wanted(path) ? bytes : 0), 0);
  const [page = ""] = first.keys();
  const isShared = (path: string) => path.startsWith("/vendor/");
  return {
    page: first.get(page) ?? NaN,
    own: sum(first, (path) => path !== page && !isShared(path)),
    shared: sum(first, isShared),
    requests: first.size,
    second_shared: sum(second, (path) => isShared(path) && !first.has(path)),
  };
}

async function weighTheirs(vite: Vite, { engine, css_engine, source }: App): Promise<Theirs> {
  const { html, files } = await vite.build(engine, source, css_engine);
  return { page: html, files: files.reduce((sum, { brotli }) => sum + brotli, 0), requests: 1 + files.length };
}

function reportOf(weights: readonly Weight[]): string {
  const head = [
    "app",
    "page",
    "own",
    "shared",
    "requests",
    "Vite: page",
    "files",
    "requests",
    "ours ÷ it",
    "aim",
    "second",
  ];
  const rows = weights.map(({ app, ours, vite, ratio }) => [
    app,
    ...[ours.page, ours.own, ours.shared, ours.requests, vite.page, vite.files, vite.requests].map(String),
    ratio.toFixed(3),
    `≤1 ${ratio <= 1 ? "met" : "MISSED"}`,
    `+${ours.second_shared}`,
  ]);
  return [
    layOut([head, ...rows], 1),
    "",
    "bytes with brotli; own and shared together against Vite's files; second: what else another app of the kind loads",
  ].join("\n");
}

export const weight = (): Section => ({
  name: "weight",
  missing: findProgram("node") && findProgram("npm") ? undefined : "Vite runs on Node.js: apt-get install nodejs npm",
  async measure(stack) {
    print("opening Vite and a server");
    const vite = stack.use(await openVite());
    const server = await startServer();
    stack.defer(() => server.close());
    const weights = await Array.fromAsync(APPS, async (app): Promise<Weight> => {
      print(`weight: ${app.name}`);
      const ours = await weighOurs(server, app);
      const theirs = await weighTheirs(vite, app);
      return { app: app.name, ours, vite: theirs, ratio: (ours.own + ours.shared) / theirs.files };
    });
    return { result: { weights }, report: reportOf(weights) };
  },
});
