/** The programs in docs/flows.md are saved as they stand. Those that need nothing else are executed. */
import assert from "node:assert/strict";
import { addTeam, startStage } from "../../flow/flow_stage.ts";
import { readPage } from "./pages.ts";

/** What the runs of these examples return. */
const RESULTS: Record<string, unknown> = {
  Filters: {
    total: 86.16,
    greeting: "Dear ADA LOVELACE",
    names: ["Ada", "Lovelace"],
    tomorrow: "29 March 2026",
    note: "none",
  },
  Expressions: { total: 28.5, dear: ["Ink"], text: "2 items for 28.5" },
  Code: { low: 4.1, high: 4.4 },
  Lists: {
    dearest: [{ city: "GDYNIA", price: 30 }, { city: "ŁÓDŹ", price: 12.5 }],
    by_city: [{ key: "Gdynia", total: 137, orders: 3 }, { key: "Łódź", total: 12.5, orders: 1 }],
  },
};

/** Steps that need something outside of their program, or time. */
const NEEDS = /"type": "(connector|record|flow|wait|approval)"/;

Deno.test("docs/flows.md: each program can be saved, and those that need nothing else return what they say", async () => {
  const { text } = await readPage("docs/flows.md");
  await using stage = await startStage();
  const { addFlow, run, ask } = await addTeam(stage);
  const results: Record<string, unknown> = {};
  let heading = "";
  let declared: { name: string; fields: { program: unknown } } | undefined;
  for (const [, title, block] of text.matchAll(/^#+ (.+)$|^```json\n([^]*?)^```$/gm)) {
    heading = title ?? heading;
    const program = block === undefined ? undefined : JSON.parse(block);
    // A whole flow, and after it what its run is given and returns.
    if (program?.flow?.input) declared = program.flow;
    if (declared && program?.data !== undefined) {
      const { fields, name: _name, ...more } = declared;
      const { id } = await addFlow(fields.program, more);
      const { body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input: program.input } });
      assert.deepEqual(body.data, program.data, heading);
      declared = undefined;
    }
    if (!Array.isArray(program)) continue;
    if (NEEDS.test(block ?? "")) await addFlow(program);
    else {
      const { status, data, process } = await run(program);
      assert.equal(status, "finished", `${heading}: ${process.error}`);
      results[heading] ??= data;
    }
  }
  for (const [title, data] of Object.entries(RESULTS)) assert.deepEqual(results[title], data, title);
});
