/** Retries of all failed runs that match a filter: nothing twice, nothing beyond the filter, and an end on request. */
import assert from "node:assert/strict";
import { addPerson, as, type Ask, made } from "../stage/people.ts";
import { onSharedServer } from "../stage/scenario.ts";
import { until } from "../stage/until.ts";

const inAccount = onSharedServer({ ACTION_WAIT_MS: "1000" });
const RETRIES = "/connect/flow_process_retries.json";
const at = (id: string) => `/connect/flow_process_retries/${id}`;

interface Run {
  id: string;
  status: string;
  retry_of: string | null;
}

async function addFailing(ask: Ask, count: number) {
  const program = [{ type: "fail", id: "stop", message: "No" }];
  const flow = made(
    await ask("POST", "/connect/flows.json", {
      json: { flow: { name: `Fails ${crypto.randomUUID()}`, fields: { program } } },
    }),
  );
  const start = (shop: string) => ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input: { shop } } });
  for (let index = 0; index < count; index++) await start(index % 2 === 0 ? "north" : "south");
  const runs = async (): Promise<Run[]> =>
    (await ask("GET", `/connect/flow_processes.json?flow_code=${flow.code}&per_page=500`)).body;
  await until(
    async () => (await runs()).filter(({ status }) => status === "error").length === count,
    "all have failed",
  );
  return { code: flow.code as string, id: flow.id as number, runs };
}

inAccount(
  "retry of many: those that match, once each, with progress, also when it is asked for again",
  async ({ ask }) => {
    const flow = await addFailing(ask, 8);
    const before = await flow.runs();
    const retry = { id: crypto.randomUUID(), flow_code: flow.code, input: "shop=north" };
    const asked = () => ask("POST", RETRIES, { json: { retry } });
    const first = await asked();
    assert.deepEqual([first.status, first.body.id, first.body.total, first.body.refused], [201, retry.id, 4, 0]);
    assert.ok((await asked()).body.done <= 4);
    await until(async () => (await ask("GET", at(`${retry.id}.json`))).body.state === "finished", "all are repeated");
    // An end that is asked for too late, and the same request again, change nothing.
    assert.equal((await ask("POST", at(`${retry.id}/cancel.json`))).body.state, "finished");
    const last = (await asked()).body;
    assert.deepEqual([last.state, last.done, last.refused, last.refusals], ["finished", 4, 0, []]);
    await until(async () => (await flow.runs()).length === 12, "each has one new run");
    const repeated = (await flow.runs()).flatMap(({ retry_of }) => retry_of ?? []);
    assert.equal(new Set(repeated).size, 4);
    assert.ok(repeated.every((id) => before.some((run) => run.id === id)), "new runs are not repeated");
    // What was repeated is not repeated again: its repetition, which has failed, is.
    const { status, body } = await ask("POST", RETRIES, {
      json: { retry: { flow_code: flow.code, input: "shop=north" } },
    });
    assert.deepEqual([status, body.total], [201, 4]);
    await until(async () => (await ask("GET", at(`${body.id}.json`))).body.state === "finished", "once more");
    const again = (await flow.runs()).flatMap(({ retry_of }) => retry_of ?? []);
    assert.deepEqual([again.length, new Set(again).size], [8, 8]);
    const misspelled = await ask("POST", RETRIES, { json: { retry: { flow_code: flow.code, fromm: "2026-01-01" } } });
    assert.deepEqual([misspelled.status, Object.keys(misspelled.body)], [400, ["error", "code"]]);
  },
);

inAccount(
  "retry of many: one that was interrupted goes on where it was, and repeats no run twice",
  async ({ ask, server }) => {
    const flow = await addFailing(ask, 5);
    const id = crypto.randomUUID();
    const asked = () => ask("POST", RETRIES, { json: { retry: { id, flow_code: flow.code } } });
    await asked();
    const read = async () => (await ask("GET", at(`${id}.json`))).body;
    await until(async () => (await read()).state === "finished", "all are repeated");
    // As if the process had died after it had started the runs and before it noted the last of them.
    await server.sql`
    update flow_retries set state = 'running', last_id = null, done = 0, claimed_until = now() - interval '1 second' where id = ${id}
  `;
    assert.equal((await read()).state, "interrupted");
    const { length } = await flow.runs();
    await asked();
    await until(async () => (await read()).state === "finished", "it was continued");
    assert.equal((await read()).done, 5);
    assert.equal((await flow.runs()).length, length, "the runs of the first attempt are found by their keys");
  },
);

inAccount(
  "retry of many: it is cancelled, is its user's own, and says what it could not repeat",
  async ({ ask, server }) => {
    const flow = await addFailing(ask, 4);
    await ask("PATCH", `/connect/flows/${flow.id}.json`, { json: { flow: { active: false } } });
    const { body } = await ask("POST", RETRIES, { json: { retry: { flow_code: flow.code } } });
    const read = async () => (await ask("GET", at(`${body.id}.json`))).body;
    await until(async () => (await read()).state === "finished", "all were tried");
    const { done, refused, refusals } = await read();
    assert.deepEqual([done, refused, refusals.length], [4, 4, 4]);
    assert.match(refusals[0].reason, /flow/);

    const other = await addPerson(ask, "admin");
    for (const [method, path] of [["GET", at(`${body.id}.json`)], ["POST", at(`${body.id}/cancel.json`)]] as const) {
      assert.equal((await as(ask, other.token)(method, path)).status, 404, path);
    }
    const stolen = await as(ask, other.token)("POST", RETRIES, { json: { retry: { id: body.id } } });
    assert.equal(stolen.status, 404, "another user's id");
    assert.equal((await ask("POST", RETRIES, { json: { retry: { id: "x" } } })).status, 422);

    // One that was interrupted is cancelled, and the same request again does not continue it.
    await server.sql`
    update flow_retries set state = 'running', claimed_until = now() - interval '1 second' where id = ${body.id}
  `;
    assert.equal((await ask("POST", at(`${body.id}/cancel.json`))).body.state, "cancelled");
    const again = await ask("POST", RETRIES, { json: { retry: { id: body.id } } });
    assert.deepEqual([again.body.state, again.body.done], ["cancelled", 4]);
    // Another one waits for the one that goes on.
    await server.sql`
    update flow_retries set state = 'running', claimed_until = now() + interval '1 hour' where id = ${body.id}
  `;
    const refused_one = await ask("POST", RETRIES, { json: { retry: {} } });
    assert.deepEqual([refused_one.status, refused_one.body.current.id], [409, body.id]);
  },
);

inAccount(
  "retry of many: repetitions that wait count, and failed ones count within the period only",
  async ({ ask }) => {
    const flow = await addFailing(ask, 2);
    const to = new Date().toISOString();
    const total = async (more: Record<string, unknown> = {}) => {
      const { body } = await ask("POST", RETRIES, { json: { retry: { flow_code: flow.code, ...more } } });
      await until(async () => (await ask("GET", at(`${body.id}.json`))).body.state === "finished", "all were tried");
      return body.total;
    };
    const ended = (count: number) =>
      until(
        async () => (await flow.runs()).filter(({ status }) => status === "error").length === count,
        `${count} have failed`,
      );
    assert.equal(await total({ to }), 2);
    await ended(4);
    assert.equal(await total({ to }), 2, "what failed in the period is repeated again, because it failed again");
    await ended(6);
    const program = [{ type: "wait", seconds: 3_600 }];
    await ask("PATCH", `/connect/flows/${flow.id}.json`, { json: { flow: { fields: { program } } } });
    assert.equal(await total(), 4, "the repetitions of both times");
    await until(async () => (await flow.runs()).filter(({ status }) => status === "waiting").length === 4, "all wait");
    assert.equal(await total(), 0);
  },
);
