/** Keeps active apps with their rendered pages in memory, so that `/a/` answers without a query. */
import type { PageBuild, Pages } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import { findAccountOfHost } from "../../domains/account/queries.ts";
import { findEmbeddingHosts } from "../../domains/embedding/queries.ts";
import { findServed, findServedId, findServedVersion } from "../../domains/apps/served.ts";
import type { Log } from "../../log.ts";
import { hostOf } from "../../input/host.ts";
import { accountKey, type Held, ofAccount, readAccountKey, remember } from "../../remembered.ts";
import { variantsOf } from "../files/variants.ts";
import { CODE, ID, segment } from "./app_path.ts";
import { buildPage, bytesOf, readShims, type ServedApp, type Shims, shimWithToken } from "./page_build.ts";
import { renderPage } from "./page_html.ts";

const BELIEVED_MS = 5_000;
const REMEMBERED_BYTES = 64 * 1024 * 1024;
const REMEMBERED_CODES = 10_000;
const REMEMBERED_HOSTS = 1_000;
const REMEMBERED_ADDRESSES = 1_000;
/** Characters. */
const LONGEST_ADDRESS = 300;

interface Embedders {
  account_id: number;
  hosts: readonly string[];
}

export interface PageCache extends Pages {
  /** What runs before an app's own code. */
  shims(): Promise<Shims>;
  /** Finds an active app by its id. */
  byId(id: string): Promise<ServedApp | undefined>;
  /** Finds the account of a request without a login. */
  accountOf(host: string): Promise<number | undefined>;
  /** Finds an active app by its code, in the account of the host. */
  byCode(host: string, code: string): Promise<ServedApp | undefined>;
  /**
   * A public app whose page needs no page token, found by its code. Undefined where that needs a query.
   *
   * @param url the request's
   * @param path of `url`, as sent
   * @param at `performance.now()`
   */
  cachedPublic(url: string, path: string, at: number): CachedPage | undefined;
}

export interface CachedPage {
  app: ServedApp;
  /** As `embeddingHosts` has them. */
  hosts: readonly string[];
}

/** What the page at an address is made of. */
interface Parts {
  account: Held<number>;
  id: Held<string>;
  app: Held<ServedApp>;
  embedders: Held<Embedders>;
}

/** The page, if no part has ended. */
function pageOf({ account, id, app, embedders }: Parts, at: number): CachedPage | undefined {
  if (account.until <= at || id.until <= at || app.until <= at || embedders.until <= at) return undefined;
  const [served, hosts] = [app.value, embedders.value?.hosts];
  return served?.public && !served.asks && hosts ? { app: served, hosts } : undefined;
}

export function createPages(sql: Pool, log: Log): PageCache {
  const notified = { sql, log, channel: "app_changed" };
  let reading: Promise<Shims> | undefined;
  const shims = () => reading ??= readShims();
  const apps = remember<string, ServedApp>({
    async load(id) {
      const served = await findServed(sql, id);
      return served && buildPage(served, await shims());
    },
    believed_ms: BELIEVED_MS,
    limit: { bytes: REMEMBERED_BYTES, sizeOf: bytesOf },
    isCurrent: async (app) => await findServedVersion(sql, app) === app.lock_version,
    notified: { ...notified, matches: ({ id }, changed) => id === changed },
  });
  const ids = remember<string, string>({
    load: (key) => findServedId(sql, ...readAccountKey(key)),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED_CODES,
    notified: { ...notified, matches: (id, changed) => id === changed },
  });
  const accounts = remember<string, number>({
    load: (host) => findAccountOfHost(sql, host),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED_HOSTS,
  });
  const hosts = remember<number, Embedders>({
    async load(account_id) {
      const hosts = await findEmbeddingHosts(sql, account_id);
      return hosts && { account_id, hosts };
    },
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED_HOSTS,
    notified: ofAccount(sql, log, "embedding_changed"),
  });
  /** By the whole address, which is one lookup instead of four. */
  const addresses = new Map<string, Parts>();
  const findParts = (host: string, code: string, at: number): Parts | undefined => {
    if (!CODE.test(code) || ID.test(code)) return undefined;
    const account = accounts.hold(host, at);
    const id = account?.value === undefined ? undefined : ids.hold(accountKey(account.value, code), at);
    const app = id?.value === undefined ? undefined : apps.hold(id.value, at);
    const embedders = app?.value && hosts.hold(app.value.account_id, at);
    return account && id && app && embedders && { account, id, app, embedders };
  };
  return {
    shims,
    weigh: async (build) => sizeOfPage(build, await shims()),
    embeddingHosts: async (account_id) => (await hosts.find(account_id))?.hosts ?? [],
    forgetEmbedding: hosts.forget,
    forget(id) {
      apps.forget(id);
      ids.forgetWhere((named) => named === id);
    },
    accountOf: accounts.find,
    forgetHosts: accounts.forgetAll,
    byId: (id) => apps.find(id.toLowerCase()),
    async byCode(host, url_code) {
      const account_id = await accounts.find(host);
      const id = account_id === undefined ? undefined : await ids.find(accountKey(account_id, url_code));
      return id === undefined ? undefined : await apps.find(id);
    },
    cachedPublic(url, path, at) {
      const known = addresses.get(url);
      const found = known && pageOf(known, at);
      if (found) return found;
      const parts = findParts(hostOf(url), segment(path, 2), at);
      if (!parts) return undefined;
      if (addresses.size >= REMEMBERED_ADDRESSES) addresses.clear();
      if (url.length <= LONGEST_ADDRESS) addresses.set(url, parts);
      return pageOf(parts, at);
    },
  };
}

/** With the longest of addresses and without a name. */
function sizeOfPage({ engine, css_engine, code, css, imports, scripts, asks }: PageBuild, shims: Shims) {
  const file = `/a/${"0".repeat(36)}/${"0".repeat(32)}`;
  const page = renderPage(
    {
      id: "",
      name: "",
      db_code: null,
      engine,
      css_engine,
      code,
      script: `${file}.js`,
      style: css ? `${file}.css` : undefined,
      imports,
      scripts,
    },
    "null",
    asks ? shimWithToken(shims, '""', "null") : shims.always,
  );
  const { identity, br } = variantsOf(page, "text/html");
  return { raw: identity.length, brotli: br?.length ?? identity.length };
}
