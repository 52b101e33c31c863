/**
 * Killed, paused and stopped workers lose no run and repeat none. `deno task faults` runs
 * longer; `plants_test.ts` proves that violations are noticed.
 */
import assert from "node:assert/strict";
import { on_postgres } from "../stage/harness.ts";
import { launchCrew, runRound } from "./round.ts";
import { seeded } from "./random.ts";
import {
  databaseAwayAtItsEnd,
  frozenInsideATransaction,
  killedInItsFirstCall,
  stoppedInALongCall,
} from "./scenarios.ts";
import { dropBase, makeBase, openSite, type Site } from "./site.ts";
import { crashedAlone } from "./store_scenarios.ts";

const admin_url = Deno.env.get("TEST_POSTGRES_URL");

/** @param only the database that the test needs */
const test = (name: string, fn: (site: Site) => Promise<void>, only?: "postgres" | "embedded") =>
  Deno.test({
    name: `faults: ${name}`,
    // The oracle listens on 127.0.0.2 and above, which only Linux has without configuration.
    ignore: Deno.build.os !== "linux" || only !== undefined && (only === "postgres") !== on_postgres,
    async fn() {
      const base = on_postgres && admin_url ? await makeBase(admin_url) : undefined;
      {
        await using site = await openSite(base);
        await fn(site);
      }
      if (base) await dropBase(base);
    },
  });

test("workers are killed, paused and stopped at random, and every run ends once", async (site) => {
  const crew = await launchCrew(site, site.sql ? 2 : 1);
  for (const seed of [1, 2]) {
    const { acknowledged, broken } = await runRound(crew, seeded(seed));
    assert.deepEqual(broken, []);
    assert.ok(acknowledged >= 10, `${acknowledged} runs`);
  }
});

test("a worker that stops in a long call hands its run over", async (site) => {
  assert.deepEqual(await stoppedInALongCall(site, undefined), []);
});

test("a call that another worker repeats has the same body: run.started_at is fixed at creation", async (site) => {
  assert.deepEqual(await killedInItsFirstCall(site, undefined), []);
});

test("a worker frozen inside a transaction does not block the one that takes its run over", async (site) => {
  assert.deepEqual(await frozenInsideATransaction(site, undefined), []);
}, "postgres");

test("an outcome waits for a database that is away, and no step is done again", async (site) => {
  assert.deepEqual(await databaseAwayAtItsEnd(site, undefined), []);
}, "postgres");

test("after a crash on the embedded database runs resume at once: the folder's lock proves the death", async (site) => {
  assert.deepEqual(await crashedAlone(site), []);
}, "embedded");
