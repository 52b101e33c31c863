/** What a list of runs tells of their steps. */
import assert from "node:assert/strict";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

inTeam("failed steps: lists show failures after which a flow went on, and warnings", async ({ ask, run }) => {
  const call = (id: string) => ({
    type: "connector",
    id,
    connector_code: "api",
    method: "get",
    params: { path: "missing" },
    on_error: "continue",
  });
  const program = [
    call("first"),
    call("second"),
    { type: "if", id: "cond", condition: "{nothing.at_all} > 3", then: [] },
    { type: "return", data: "done" },
  ];
  const tolerant = await run(program);
  const clean = await run([{ type: "return", data: 1 }]);
  assert.deepEqual([tolerant.status, clean.status], ["finished", "finished"]);
  const { body } = await ask("GET", "/connect/flow_processes.json");
  const counts = (id: string) => {
    const { failed_steps, warnings } = body.find((listed: { id: string }) => listed.id === id);
    return [failed_steps, warnings];
  };
  // Of the condition: the name is missing, and an ordering against nothing is false.
  assert.deepEqual(counts(tolerant.flow_process_id), [2, 2]);
  assert.deepEqual(counts(clean.flow_process_id), [0, 0]);
  assert.deepEqual([tolerant.process.failed_steps, tolerant.process.warnings], [2, 2]);
});
