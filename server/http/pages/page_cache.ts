/**
 * The apps that are open to be served, in memory: `/a/` answers without a query. Kept right by `forget` in this
 * process, by a notification from others, and by a look at the row's version every few seconds in case one got lost.
 */
import type { Pages } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import { findAccountOfHost } from "../../domains/account/queries.ts";
import { findServed, findServedVersion, type Served } from "../../domains/apps/served.ts";
import { faultOf, type Log } from "../../log.ts";
import { inScript, renderPage } from "./page_html.ts";
import { sizeOf, type Variants, variantsOf } from "../files/variants.ts";

const CHECKED_EVERY_MS = 5_000;
const REMEMBERED_BYTES = 64 * 1024 * 1024;
const REMEMBERED_HOSTS = 1_000;

export interface ServedApp extends Served {
  /** The page for nobody in particular. */
  page: Variants;
  script: Variants | undefined;
  style: Variants | undefined;
  /** The page for one viewer. @param user JSON @param token of its requests */
  pageFor(user: string, token: string): string;
}

export interface PageMemory extends Pages {
  /** An active app by its id. */
  byId(id: string): Promise<ServedApp | undefined>;
  /** The account that a request without a login belongs to. */
  accountOf(host: string): Promise<number | undefined>;
  /** An active app by its code, in the account of the host. */
  byCode(host: string, code: string): Promise<ServedApp | undefined>;
}

interface Entry {
  app: ServedApp;
  bytes: number;
  /** `performance.now()` of the last look at the row. */
  checked: number;
  codes: Set<string>;
}

export function createPages(sql: Pool, log: Log): PageMemory {
  const entries = new Map<string, Entry>();
  const ids = new Map<string, string>();
  const accounts = new Map<string, { id: number; until: number }>();
  let bytes = 0;
  /** Counts what was forgotten, so that a load that began before does not bring the old state back. */
  let generation = 0;
  let listening: Promise<unknown> | undefined;

  const forget = (id: string) => {
    generation++;
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    bytes -= entry.bytes;
    for (const code of entry.codes) ids.delete(code);
  };

  const listen = () => {
    listening ??= sql.listen("app_changed", forget, () => [...entries.keys()].forEach(forget)).catch((error) => {
      log.warn("not told of changed apps", faultOf(error));
      listening = undefined;
    });
  };

  const keep = (app: ServedApp, code: string | undefined) => {
    const entry: Entry = { app, bytes: bytesOf(app), checked: performance.now(), codes: new Set() };
    entries.set(app.id, entry);
    bytes += entry.bytes;
    if (code !== undefined) nameEntry(entry, code);
    while (bytes > REMEMBERED_BYTES && entries.size > 1) forget(entries.keys().next().value ?? app.id);
  };

  const nameEntry = (entry: Entry, code: string) => {
    entry.codes.add(code);
    ids.set(code, entry.app.id);
  };

  /** The remembered app where it is still the same. */
  const remembered = async (id: string | undefined): Promise<ServedApp | undefined> => {
    const entry = id === undefined ? undefined : entries.get(id);
    if (!entry) return;
    const now = performance.now();
    if (now - entry.checked < CHECKED_EVERY_MS) return entry.app;
    if (await findServedVersion(sql, entry.app.id) !== entry.app.lock_version) return void forget(entry.app.id);
    entry.checked = now;
    return entry.app;
  };

  const load = async (found: Promise<Served | undefined>, code?: string): Promise<ServedApp | undefined> => {
    listen();
    const before = generation;
    const served = await found;
    if (!served) return;
    const app = await serve(served);
    if (before === generation) {
      const known = entries.get(app.id);
      if (known && code !== undefined) nameEntry(known, code);
      else keep(app, code);
    }
    return app;
  };

  const accountOf = async (host: string): Promise<number | undefined> => {
    const known = accounts.get(host);
    const now = performance.now();
    if (known && known.until > now) return known.id;
    const id = await findAccountOfHost(sql, host);
    if (accounts.size >= REMEMBERED_HOSTS) accounts.clear();
    if (id !== undefined) accounts.set(host, { id, until: now + CHECKED_EVERY_MS });
    return id;
  };

  return {
    forget,
    accountOf,
    byId: async (id) => await remembered(id) ?? await load(findServed(sql, { id })),
    async byCode(host, url_code) {
      const account_id = await accountOf(host);
      if (account_id === undefined) return;
      const code = `${account_id}/${url_code}`;
      return await remembered(ids.get(code)) ?? await load(findServed(sql, { account_id, url_code }), code);
    },
  };
}

const bytesOf = ({ page, script, style, code, css }: ServedApp) =>
  2 * (code.length + css.length) + sizeOf(page) + (script ? sizeOf(script) : 0) + (style ? sizeOf(style) : 0);

/** Without the comment at its head, and without its last semicolon: what is a function is called. */
const scriptOf = async (file: string) =>
  (await Deno.readTextFile(new URL(`../../../client/app/${file}`, import.meta.url)))
    .replace(/^\/\*[^]*?\*\/\s*/, "").replace(/;\s*$/, "");

async function serve(app: Served): Promise<ServedApp> {
  const [shim, carry] = await Promise.all([scriptOf("shim.js"), scriptOf("shim_token.js")]);
  const script = app.engine === "html" ? undefined : variantsOf(app.code, "text/javascript; charset=utf-8");
  const style = app.css ? variantsOf(app.css, "text/css; charset=utf-8") : undefined;
  const parts = {
    ...app,
    script: `/a/${app.id}/${script?.hash}.js`,
    style: style && `/a/${app.id}/${style.hash}.css`,
  };
  const page = variantsOf(renderPage(parts, "null", shim), "text/html; charset=utf-8");
  const pageFor = prepared((user, token) => renderPage(parts, user, `${carry}(${token});${shim}`));
  return { ...app, script, style, page, pageFor };
}

/** A page with two gaps, made once: each viewer's is put together from its parts. */
function prepared(render: (user: string, token: string) => string): (user: string, token: string) => string {
  const [user, token] = [crypto.randomUUID(), crypto.randomUUID()];
  const [before = "", between = "", after = ""] = render(`"${user}"`, `"${token}"`)
    .split(new RegExp(`"${user}"|"${token}"`));
  return (viewer, sent) => before + inScript(viewer) + between + inScript(JSON.stringify(sent)) + after;
}
