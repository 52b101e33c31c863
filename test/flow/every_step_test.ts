/**
 * Steps of every type are taken over by another server, cancelled and repeated, without doing again what they have done.
 * `test/faults/` kills and freezes processes at random while they execute the types that act outside of a run.
 */
import assert from "node:assert/strict";
import { STEP_TYPES } from "../../server/flow/steps/registry.ts";
import { createDatabase, on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import { startApi } from "./flow_stage.ts";

const call = (path: string) => ({ type: "connector", connector_code: "api", method: "get", params: { path } });

/** By type, the keys of a step. Its calls go to `/called`. */
const STEPS: Record<string, Record<string, unknown>> = {
  mutation: { set: { word: "{= $uppercase(input.word)}" } },
  connector: call("called"),
  code: { source: "export default () => Math.random()" },
  transform: { from: "{input.list}", sort: "-item.n" },
  if: { condition: '{input.word} == "w"', then: [call("called")] },
  switch: { value: "{input.word}", cases: { w: [call("called")] } },
  record: { action: "create", db_code: "log", data: { n: 1 } },
  for_each: { items: [1, 2], at_once: 2, collect: true, steps: [call("called")] },
  repeat: { while: "{index} < 1", steps: [call("called")] },
  wait: { seconds: 0.05 },
  approval: { question: "Go on?", roles: ["admin"] },
  flow: { flow_code: "child" },
  return: { data: "{input.word}" },
  fail: { message: "No {input.word}" },
};
const TYPES = Object.keys(STEPS);
const AFTER = { ...call("after"), id: "after" };

/** What follows a step waits for `/after`; what ends a run comes after it. */
function programOf(type: string): unknown[] {
  const step = { ...STEPS[type], type, id: "it" };
  return type === "return" || type === "fail" ? [AFTER, step] : [step, AFTER];
}

interface Step {
  place: string;
  status: string;
  output: unknown;
}

type Runs = ReadonlyMap<string, string>;

function talkTo({ request }: TestServer) {
  const post = async (path: string, json: unknown = {}) => {
    const { status, body } = await request("POST", path, { json });
    assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const inspect = async (id: string) => (await request("GET", `/connect/flow_processes/${id}.json`)).body;
  const each = (runs: Runs, is: (run: { status: string; steps: Step[] }, type: string) => boolean, what: string) =>
    Promise.all([...runs].map(([type, id]) => until(async () => is(await inspect(id), type), `${type} ${what}`)));
  return {
    post,
    inspect,
    /** Starts a run of each type, and answers the question. */
    async start(flows: ReadonlyMap<string, number>): Promise<Runs> {
      const runs = new Map<string, string>();
      for (const [type, id] of flows) {
        const input = { word: "w", list: [{ n: 1 }, { n: 2 }] };
        runs.set(type, (await post(`/connect/flows/${id}/run.json`, { input })).flow_process_id);
      }
      const open = async () => (await request("GET", "/connect/approvals.json")).body;
      await until(async () => (await open()).length === 1, "the question is asked");
      const [{ id }] = await open();
      await post(`/connect/approvals/${id}.json`, { choice: "approve" });
      return runs;
    },
    reachAfter: (runs: Runs) =>
      each(runs, ({ steps }) => steps.some((step) => step.place === "after" && step.status === "running"), "calls"),
    end: (runs: Runs, ends: (type: string) => string) =>
      each(runs, ({ status }, type) => status === ends(type), "has ended"),
    /** What its own steps have given, by type and place. */
    async outputs(runs: Runs) {
      const all: Record<string, unknown> = {};
      for (const [type, id] of runs) {
        for (const { place, output } of (await inspect(id)).steps as Step[]) {
          if (/^it\b/.test(place) && type !== "return" && type !== "fail") all[`${type} ${place}`] = output;
        }
      }
      return all;
    },
  };
}

const ends = (type: string) => type === "fail" ? "error" : "finished";

Deno.test({
  name: "every step type: taken over, cancelled and repeated without doing again what was done",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    assert.deepEqual(TYPES.toSorted(), STEP_TYPES.map(({ type }) => type).toSorted(), "the table has every type");
    await using api = startApi();
    let after: "held" | "fails" | "answers" = "held";
    api.answers.set("/called", (count) => Response.json({ count }));
    api.answers.set(
      "/after",
      (_, signal) =>
        after === "held"
          ? new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response())))
          : after === "fails"
          ? new Response("no", { status: 500 })
          : Response.json("after"),
    );
    const environment = {
      DATA_DIR: await Deno.makeTempDir({ prefix: "atrium_every_step_" }),
      EGRESS_ALLOW: api.host,
      ACTION_WAIT_MS: "0",
      ...on_postgres && { DATABASE_URL: await createDatabase() },
    };
    const first = await startServer(environment);
    const one = talkTo(first);
    const methods = { get: { method: "GET", path: "/{path}" } };
    await one.post("/connect/connectors.json", {
      connector: { name: "API", code: "api", url: api.origin, fields: { auth: { type: "none" }, methods } },
    });
    await one.post("/platform/dbs.json", { db: { name: "Log", code: "log", schema: { fields: { n: "integer" } } } });
    const addFlow = async (code: string, program: unknown): Promise<number> =>
      (await one.post("/connect/flows.json", { flow: { name: code, code, fields: { program } } })).id;
    await addFlow("child", [call("called"), { type: "return", data: "{run.id}" }]);
    const flows = new Map<string, number>();
    for (const type of TYPES) flows.set(type, await addFlow(`with_${type}`, programOf(type)));

    const runs = await one.start(flows);
    await one.reachAfter(runs);
    await until(() => api.count("/after") === TYPES.length, "all calls are there");
    const given = await one.outputs(runs);
    const done = () => api.count("/called");
    const before = done();
    await first.close();

    const second = await startServer(environment);
    const two = talkTo(second);
    const records = async () => (await second.sql`select from records`).length;
    await second.sweep();
    await two.reachAfter(runs);
    await until(() => api.count("/after") === 2 * TYPES.length, "all calls are repeated");
    assert.deepEqual(await two.outputs(runs), given, "a takeover repeats no step, or to the same result");

    for (const id of runs.values()) await two.post(`/connect/flow_processes/${id}/cancel.json`);
    await two.end(runs, () => "cancelled");
    assert.deepEqual(await two.outputs(runs), given, "a cancelled run keeps what it has done");
    assert.equal(api.count("/after"), 2 * TYPES.length, "nothing comes after a cancellation");
    assert.deepEqual([done(), await records()], [before, 1]);

    after = "fails";
    const failing = await two.start(flows);
    await two.end(failing, () => "error");
    const failed = await two.outputs(failing);
    const [called, stored] = [done(), await records()];
    after = "answers";
    const repeated = new Map<string, string>();
    for (const [type, id] of failing) {
      const retry = await two.post(`/connect/flow_processes/${id}/retry.json`, { from: "failed_step" });
      repeated.set(type, retry.id);
    }
    await two.end(repeated, ends);
    assert.deepEqual(await two.outputs(repeated), failed, "what stood before the failed step is taken over");
    assert.deepEqual([done(), await records()], [called, stored]);
    await second.close();
    await Deno.remove(environment.DATA_DIR, { recursive: true });
  },
});
