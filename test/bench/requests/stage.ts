import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Postgres, startPostgres } from "../../stage/postgres/postgres.ts";
import type { Page } from "./bare_queries.ts";
import { print } from "../../stage/print.ts";
import { freePort } from "../../stage/network/ports.ts";
import { seed, type Seeded } from "./seed.ts";
import { V8_FLAGS } from "../../../server/process/v8_flags.ts";
import { type Launch, launch, type Server } from "../measure/servers.ts";

/** The servers of the sections `requests` and `containment`, on equally filled databases. */
export interface Stage {
  ours: Server;
  bare: Server;
  token: string;
  /** Path of the public app's page. */
  page: string;
  seeded: Seeded;
  postgres_version: number;
  /** Milliseconds to the first answer with data, of each launch. */
  starts: { ours: number[]; bare: number[] };
}

const PAGE = "/a/bench";

const LAUNCHES = 5;

/** About 2 KB. */
const SOURCE = `<!doctype html><title>Bench</title><h1>Bench</h1>${
  "<p>A page of two thousand bytes or so.</p>".repeat(46)
}`;

async function post(url: string, token: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

/** The page's body and headers, for the bare server to answer with the same. */
async function pageOf(url: string): Promise<Page> {
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  // `Deno.serve` adds these two by itself.
  const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "content-length");
  return { body: await response.text(), headers };
}

/** Launches both in turn, several times. The last of each keeps running. */
async function launchBoth(ours: () => Promise<Server>, bare: () => Promise<Server>) {
  const starts: Stage["starts"] = { ours: [], bare: [] };
  const [last] = (await Array.fromAsync(Array.from({ length: LAUNCHES }), async (_, index) => {
    const both = { ours: await ours(), bare: await bare() };
    starts.ours.push(both.ours.started_ms);
    starts.bare.push(both.bare.started_ms);
    if (index < LAUNCHES - 1) await Promise.all([both.ours.stop(), both.bare.stop()]);
    return both;
  })).slice(-1);
  if (!last) throw new Error("nothing was launched");
  return { ...last, starts };
}

/**
 * Starts PostgreSQL and our server, which migrates its database and gets one public app. Then fills the database, and
 * starts the bare server on a copy of it.
 *
 * @param stack ends what this starts
 */
export async function setStage(stack: AsyncDisposableStack): Promise<Stage> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_bench_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const postgres: Postgres | undefined = await startPostgres();
  if (!postgres) throw new Error("PostgreSQL is missing: apt-get install postgresql, or brew install postgresql");
  stack.defer(() => postgres.stop());

  const token = `atr_${randomBytes(24).toString("hex")}`;
  const port = freePort();
  const site = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  const ours: Launch = {
    args: [V8_FLAGS, "-P", "main.ts"],
    env: {
      BASE_URL: site,
      DATA_DIR: `${folder}/data`,
      DATABASE_URL: await postgres.createDatabase("ours"),
      ADMIN_TOKEN: token,
      ADMIN_PASSWORD: randomBytes(12).toString("hex"),
      // As behind a reverse proxy: without one, the process forwards each connection itself.
      TRUSTED_PROXIES: "1",
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    },
    log: `${folder}/ours.log`,
    first: "/account/departments.json",
    headers,
  };

  const first = await launch(ours, port);
  await using maker = new AsyncDisposableStack();
  maker.defer(() => first.stop());
  const app = { name: "Bench", app_engine: "html", css_engine: "none", source_code: SOURCE, public: true };
  await post(`${site}/platform/apps.json`, token, { app: { ...app, url_code: "bench" } });
  await Deno.writeTextFile(`${folder}/page.json`, JSON.stringify(await pageOf(`${site}${PAGE}`)));
  print("building the runtimes, which the server under measure would else do meanwhile");
  await first.says("runtimes_");
  await maker.disposeAsync();

  const seeded = await seed(postgres.url("ours"));
  const bare: Launch = {
    args: ["-A", fileURLToPath(new URL("./bare.ts", import.meta.url))],
    env: {
      DATABASE_URL: await postgres.createDatabase("bare", "ours"),
      ACCOUNT: `${seeded.account}`,
      SITE: site,
      PAGE: `${folder}/page.json`,
    },
    log: `${folder}/bare.log`,
    first: `/departments/${seeded.ids.first}`,
  };
  const launched = await launchBoth(
    () => launch({ ...ours, first: `/account/departments/${seeded.ids.first}.json` }, port),
    () => launch(bare),
  );
  stack.defer(() => launched.ours.stop());
  stack.defer(() => launched.bare.stop());
  return { ...launched, token, page: PAGE, seeded, postgres_version: postgres.version };
}
