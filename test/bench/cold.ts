/**
 * A hosted instance that a request starts: its first answer, its memory then, and its first compile. From the packed
 * server, from the sources, and beside an empty server, in turns.
 */
import { PACKED } from "../../server/packed/packed.ts";
import { migrate } from "../../db/migrate.ts";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { packServer } from "../stage/places/host.ts";
import { startPostgres } from "../stage/postgres/postgres.ts";
import { memoryOf } from "./measure/memory.ts";
import type { Section } from "./measure/section.ts";
import { launch } from "./measure/servers.ts";
import { layOut, median } from "./measure/table.ts";

const TOKEN = "token-of-the-bench";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const AIMS = ["300", "80", "2000"];

interface Start {
  first_answer_ms: number;
  memory_mb: number;
  first_compile_ms: number;
}

/** The first round fills the caches of Deno and of the database, and is not counted. */
export const cold = ({ rounds }: { rounds: number }): Section => ({
  name: "cold",
  missing: undefined,
  async measure(stack) {
    const cluster = await startPostgres();
    if (!cluster) throw new Error("cold needs PostgreSQL 14 or newer");
    stack.defer(() => cluster.stop());
    const folder = await Deno.makeTempDir({ prefix: "atrium_cold_" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const database = await openDatabase({ database_url: cluster.url(), data_dir: "" }, createLog(() => {}));
    await migrate(database.sql);
    await database.close();
    const env = {
      DENO_DEPLOYMENT_ID: "bench",
      DENO_KV_DEFAULT_PATH: `${folder}/kv.sqlite3`,
      DATABASE_URL: cluster.url(),
      SECRET_KEYS: "k1:0123456789abcdef0123456789abcdef",
      ADMIN_TOKEN: TOKEN,
      ADMIN_PASSWORD: "password of the bench",
    };
    const log = `${folder}/log`;

    await packServer(Deno.execPath());
    const manifest = new URL("manifest.json", PACKED);
    const aside = new URL("manifest.json.aside", PACKED);

    async function startSources(round: number): Promise<Start> {
      await Deno.rename(manifest, aside);
      try {
        return await startOurs(round);
      } finally {
        await Deno.rename(aside, manifest);
      }
    }

    async function startOurs(round: number): Promise<Start> {
      const args = ["--allow-all", "--quiet", "main.ts"];
      const server = await launch({ args, env, log, first: "/account.json", headers: HEADERS });
      try {
        const memory_mb = memoryOf(server.pid).server;
        const source_code = `<p class="p-4">${crypto.randomUUID()}</p>`;
        const app = { name: `App ${round}`, app_engine: "svelte", css_engine: "tailwind", source_code };
        const began = performance.now();
        const body = JSON.stringify({ app });
        const answer = await fetch(`${server.origin}/platform/apps.json`, { method: "POST", headers: HEADERS, body });
        if (answer.status !== 201) throw new Error(await answer.text());
        return { first_answer_ms: server.started_ms, memory_mb, first_compile_ms: performance.now() - began };
      } finally {
        await server.stop();
      }
    }

    async function startEmpty(): Promise<Pick<Start, "first_answer_ms" | "memory_mb">> {
      const args = ["--allow-all", "--quiet", "test/bench/measure/empty_server.ts"];
      const server = await launch({ args, env: {}, log, first: "/" });
      const memory_mb = memoryOf(server.pid).server;
      await server.stop();
      return { first_answer_ms: server.started_ms, memory_mb };
    }

    const packed: Start[] = [];
    const sources: Start[] = [];
    const empty: Pick<Start, "first_answer_ms" | "memory_mb">[] = [];
    for (let round = 0; round <= rounds; round++) {
      const [one, two, other] = [await startOurs(round), await startSources(round), await startEmpty()];
      if (round === 0) continue;
      packed.push(one);
      sources.push(two);
      empty.push(other);
    }
    const middle = (values: number[]) => median(values).toFixed(0);
    const report = layOut([
      ["", "first answer ms", "memory MB", "first compile ms"],
      ...Object.entries({ packed, sources }).map(([name, starts]) => [
        name,
        middle(starts.map((one) => one.first_answer_ms)),
        middle(starts.map((one) => one.memory_mb)),
        middle(starts.map((one) => one.first_compile_ms)),
      ]),
      ["empty", middle(empty.map((one) => one.first_answer_ms)), middle(empty.map((one) => one.memory_mb)), ""],
      ["aim", ...AIMS],
    ], 1);
    return {
      result: { packed, sources, empty },
      report: `${report}\n\nmedians of ${rounds} starts, memory: PSS before the first compile`,
    };
  },
});
