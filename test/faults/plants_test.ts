/** The invariants catch each planted fault, in a scenario in which they find nothing without the fault. */
import assert from "node:assert/strict";
import { on_postgres } from "../stage/harness.ts";
import { type Edit, planted, plantedTree } from "./plant.ts";
import { PLANTS } from "./plants.ts";
import type { Scenario } from "./scenarios.ts";
import { type Base, dropBase, makeBase, openSite } from "./site.ts";
import { TREE } from "./workers.ts";

const shared: { base?: Base } = {};
const admin_url = Deno.env.get("TEST_POSTGRES_URL");
// Several workers need a database that several can open, and the oracle gives each an address that only Linux has.
const ignore = !on_postgres || Deno.build.os !== "linux";

Deno.test.beforeAll(async () => {
  if (admin_url && !ignore) shared.base = await makeBase(admin_url);
});
Deno.test.afterAll(async () => {
  if (shared.base) await dropBase(shared.base);
});

async function tell(scenario: Scenario, edits: readonly Edit[]): Promise<string[]> {
  await using site = await openSite(shared.base);
  if (edits.length === 0) return await scenario(site, undefined);
  await using tree = await plantedTree(edits);
  return await scenario(site, tree.path);
}

Deno.test("plants: each has a place in the tree as it is now", async () => {
  const all = PLANTS.flatMap(({ edits, always = [] }) => [...always, ...edits]);
  await Promise.all(all.map(async (edit) => planted(await Deno.readTextFile(`${TREE}/${edit.file}`), edit)));
});

for (const { name, edits, always = [], scenario, caught } of PLANTS) {
  Deno.test({
    name: `plants: ${name}`,
    ignore,
    async fn() {
      const [sound, planted] = await Promise.allSettled([
        tell(scenario, always),
        tell(scenario, [...always, ...edits]),
      ]);
      for (const result of [sound, planted]) if (result.status === "rejected") throw result.reason;
      assert.deepEqual(sound, { status: "fulfilled", value: [] }, "without it");
      const reported = planted.status === "fulfilled" ? planted.value.join("\n") : "";
      assert.match(reported, caught, `with it the invariants report: ${reported || "nothing"}`);
    },
  });
}
