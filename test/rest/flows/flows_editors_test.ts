/** What editors of flows read: the types of steps, and the latest runs. */
import assert from "node:assert/strict";
import { addAccount, made } from "../../stage/people.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const at = (id: number, rest = "") => `/connect/flows/${id}${rest}.json`;
const create = async (ask: Ask, flow: Record<string, unknown>) =>
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));

inAccount("flows: types of steps, a run that is not waited for, and the latest runs", async ({ server, ask, play }) => {
  const { id, code } = await create(ask, { name: "Busy", fields: { program: [{ type: "wait", seconds: 0 }] } });
  const user = { fields: { program: [{ type: "flow", flow_code: code }] } };
  const other = await create(ask, { name: "Caller", ...user });
  const run = { json: { wait: false } };
  const { body } = await ask("POST", at(id, "/run"), run);
  const other_account = await addAccount(server);
  await until(
    async () => (await ask("GET", `/connect/flow_processes/${body.flow_process_id}.json`)).body.status === "finished",
    "the run has ended",
  );
  const types: { type: string; title: string }[] = (await ask("GET", "/connect/flows/step_types.json")).body;
  assert.equal(types.find(({ type }) => type === "mutation")?.title, "Set names");
  const path = `/connect/flows/activity.json?ids=${id},${other.id},999999`;
  await play([
    {
      name: "the latest runs of flows, and what uses them",
      method: "GET",
      path,
      status: 200,
      body: [
        {
          flow_id: id,
          runs: [{ id: body.flow_process_id, status: "finished" }],
        },
        { flow_id: other.id, runs: [], used_by: [] },
      ],
    },
    {
      name: "not of another account",
      method: "GET",
      path,
      sent: { token: other_account.token },
      status: 200,
      body: [],
    },
    { name: "ids are numbers", method: "GET", path: "/connect/flows/activity.json?ids=x", status: 400 },
  ]);
});
