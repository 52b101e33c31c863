/** A successful call of every route that writes flows, for `writes.ts`. */
import type { Sent } from "../../stage/harness.ts";
import { type Ask, made } from "../../stage/people.ts";
import type { Written } from "./user_writes.ts";

const json = (json: unknown): Sent => ({ json });
let count = 0;
const name = () => `Written flow ${++count}`;
const create = async (ask: Ask, path: string, body: unknown) => made(await ask("POST", path, json(body)));
const flow = (ask: Ask) => create(ask, "/connect/flows.json", { flow: { name: name() } });
const RETURN = { type: "return", data: 1 };
const LIST = { type: "record", action: "list", db_code: "none" };

/** The path of a flow's examples, with a run that may become one. */
async function examples(ask: Ask) {
  const path = `/connect/flows/${(await flow(ask)).id}`;
  const { body } = await ask("POST", `${path}/run.json`, json({}));
  return { path: `${path}/examples`, run_id: body.flow_process_id };
}
async function example(ask: Ask) {
  const { path, run_id } = await examples(ask);
  return `${path}/${(await create(ask, `${path}.json`, { run_id })).id}.json`;
}

/** By the name of a procedure. */
export const FLOW_WRITES: Record<string, Written> = {
  "flows.create": {
    row: "flow.create",
    call: ({ ask }) => ask("POST", "/connect/flows.json", json({ flow: { name: name() } })),
  },
  "flows.update": {
    row: "flow.update",
    call: async ({ ask }) =>
      await ask("PATCH", `/connect/flows/${(await flow(ask)).id}.json`, json({ flow: { name: name() } })),
  },
  "flows.test_step": {
    row: "flow.test_step",
    call: async ({ ask }) =>
      await ask(
        "POST",
        `/connect/flows/${(await flow(ask)).id}/test_step.json`,
        json({ step: "step_1", program: [LIST] }),
      ),
  },
  "flows.examples.create": {
    row: "flow_example.create",
    call: async ({ ask }) => {
      const { path, run_id } = await examples(ask);
      return await ask("POST", `${path}.json`, json({ run_id }));
    },
  },
  "flows.examples.update": {
    row: "flow_example.update",
    call: async ({ ask }) => await ask("PATCH", await example(ask), json({ name: name() })),
  },
  "flows.examples.delete": {
    row: "flow_example.delete",
    call: async ({ ask }) => await ask("DELETE", await example(ask)),
  },
  "flows.restore": {
    row: "flow.update",
    call: async ({ ask }) => {
      const { id } = await flow(ask);
      await ask("PATCH", `/connect/flows/${id}.json`, json({ flow: { fields: { program: [RETURN] } } }));
      return await ask("POST", `/connect/flows/${id}/versions/1/restore.json`);
    },
  },
  "flows.delete": {
    row: "flow.delete",
    call: async ({ ask }) => await ask("DELETE", `/connect/flows/${(await flow(ask)).id}.json`),
  },
};
