/**
 * Steps of every type are taken over by another server, cancelled and repeated, without doing again what they have done,
 * and so are steps whose time is over. `test/faults/` kills and freezes processes at random while they execute every type.
 */
import assert from "node:assert/strict";
import { STEP_TYPES } from "../../server/flow/steps/registry.ts";
import { createDatabase, on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import { FLOWS } from "../faults/flows.ts";
import { startApi } from "./flow_stage.ts";
import { testBeside } from "../stage/scenario.ts";

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

const hanging = { ...call("hangs"), id: "inner", timeout: 1 };
const ENDLESS = "($f := function($n) { $f($n + 1) }; $f(1))";
/**
 * By type, the keys of a step that exceeds its timeout, or that contains one which does. The types `wait`, `return` and
 * `fail` have no timeout. `record_steps_test.ts` tests the timeout of the record step, which needs another process's lock.
 */
const LATE: Record<string, Record<string, unknown>> = {
  connector: { ...call("hangs"), timeout: 1 },
  code: { source: "export default () => { for (;;); }", timeout: 1 },
  transform: { from: [1], map: `{= ${ENDLESS} }` },
  mutation: { set: { never: `{= ${ENDLESS} }` } },
  if: { condition: "1 == 1", then: [hanging] },
  switch: { value: "w", cases: { w: [hanging] } },
  for_each: { items: [1], steps: [hanging] },
  repeat: { while: "{index} < 1", steps: [hanging] },
  approval: { question: "In time?", roles: ["admin"], within: 1 },
  flow: { flow_code: "late_child" },
};
const IS_LATE = /(there was no whole answer within 1 s|took longer than 1 s|nobody has answered in time)$/;

/** The types of a program's steps. */
const typesIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
      key === "type" && typeof inner === "string" ? [inner] : typesIn(inner)
    );

/** Held until the test lets it go, also on a busy machine. */
const AFTER = { ...call("after"), id: "after", timeout: 300 };

/** What follows a step waits for `/after`; what ends a run comes after it. */
function programOf(type: string): unknown[] {
  const step = { ...STEPS[type], type, id: "it" };
  return type === "return" || type === "fail" ? [AFTER, step] : [step, AFTER];
}

interface Step {
  place: string;
  status: string;
  error: string | null;
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
  const startAll = async (flows: ReadonlyMap<string, number>): Promise<Runs> => {
    const runs = new Map<string, string>();
    for (const [type, id] of flows) {
      const input = { word: "w", list: [{ n: 1 }, { n: 2 }] };
      runs.set(type, (await post(`/connect/flows/${id}/run.json`, { input })).flow_process_id);
    }
    return runs;
  };
  /** Answers the questions of this text once there are so many. */
  const answer = async (question: string, count: number) => {
    const open = async () =>
      (await request("GET", "/connect/approvals.json")).body.filter((one: { question: string }) =>
        one.question === question
      );
    await until(async () => (await open()).length === count, `${question} is asked`);
    for (const { id } of await open()) await post(`/connect/approvals/${id}.json`, { choice: "approve" });
  };
  return {
    post,
    inspect,
    answer,
    startAll,
    /** Starts a run of each type, and answers the question. */
    async start(flows: ReadonlyMap<string, number>): Promise<Runs> {
      const runs = await startAll(flows);
      await answer("Go on?", 1);
      return runs;
    },
    reachAfter: (runs: Runs, as = "running") =>
      each(
        runs,
        ({ steps }) => steps.some((step) => step.place === "after" && step.status === as),
        "has come to the end",
      ),
    end: (runs: Runs, ends: (type: string) => string) =>
      each(runs, ({ status }, type) => status === ends(type), "has ended"),
    /** The errors of its steps, by type. */
    async errors(runs: Runs) {
      const all: Record<string, unknown> = {};
      for (const [type, id] of runs) {
        const failed = ((await inspect(id)).steps as Step[]).filter(({ place, error }) => place !== "after" && error);
        all[type] = failed.map(({ error }) => error)[0];
      }
      return all;
    },
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

testBeside({
  name: "every step type: taken over, cancelled and repeated without doing again what was done",
  async fn() {
    assert.deepEqual(TYPES.toSorted(), STEP_TYPES.map(({ type }) => type).toSorted(), "the table has every type");
    const of_faults = new Set(Object.values(FLOWS).flatMap(({ program }) => typesIn(program)));
    assert.deepEqual([...of_faults].toSorted(), TYPES.toSorted(), "the fault test's flows have every type");
    await using api = startApi();
    let after: "held" | "fails" | "answers" = "held";
    const forever = (signal: AbortSignal) =>
      new Promise<Response>((resolve) => signal.addEventListener("abort", () => resolve(new Response())));
    api.answers.set("/hangs", (_, signal) => forever(signal));
    api.answers.set("/called", (count) => Response.json({ count }));
    api.answers.set(
      "/after",
      (_, signal) =>
        after === "held"
          ? forever(signal)
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
    await addFlow("late_child", [hanging]);
    const flows = new Map<string, number>();
    for (const type of TYPES) flows.set(type, await addFlow(`with_${type}`, programOf(type)));

    const late_flows = new Map<string, number>();
    for (const [type, keys] of Object.entries(LATE)) {
      const step = { ...keys, type, id: "it", on_error: "continue" };
      const held = { type: "approval", id: "after", question: "Was it late?", roles: ["admin"] };
      late_flows.set(type, await addFlow(`late_${type}`, [step, held]));
    }

    const runs = await one.start(flows);
    const late = await one.startAll(late_flows);
    await one.reachAfter(runs);
    await one.reachAfter(late, "waiting");
    await until(() => api.count("/after") === TYPES.length, "all calls are there");
    const errors = await one.errors(late);
    for (const [type, error] of Object.entries(errors)) {
      assert.match(`${error}`, IS_LATE, `the time of ${type} is over`);
    }
    const hung = api.count("/hangs");
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
    await two.answer("Was it late?", late.size);
    await two.end(late, () => "finished");
    assert.deepEqual(await two.errors(late), errors, "a replay keeps that a step's time was over");

    for (const id of runs.values()) await two.post(`/connect/flow_processes/${id}/cancel.json`);
    await two.end(runs, () => "cancelled");
    assert.deepEqual(await two.outputs(runs), given, "a cancelled run keeps what it has done");
    assert.equal(api.count("/hangs"), hung, "a call whose time was over is not repeated");
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
