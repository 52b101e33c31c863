/** Webhook triggers: addresses, signatures, repeated deliveries, answers, overlap and pause. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";
import type { TestServer } from "../../stage/harness.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const at = (id: number, rest = "") => `/account/crons/${id}${rest}.json`;
const SECRET = "whsec_0123456789";

const RETURN_ALL = [{
  type: "return",
  data: { body: "{input.body}", raw: "{input.raw_body}", id: "{input.delivery_id}", kind: "{trigger.kind}" },
}];

async function addHook(ask: Ask, webhook: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const code = `hook_${crypto.randomUUID().slice(0, 8).replaceAll("-", "_")}`;
  const flow = { code, name: code, fields: { program: RETURN_ALL }, ...more.flow as Record<string, unknown> };
  const { id: flow_id } = made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const cron = { kind: "webhook", target_code: code, webhook, ...more.cron as Record<string, unknown> };
  return { ...made(await ask("POST", "/account/crons.json", { json: { cron } })), flow_id };
}

/** Sends the bytes as they are. */
async function send(
  { handler }: TestServer,
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const { pathname, search } = new URL(url);
  const response = await handler(
    new Request(`http://atrium.test${pathname}${search}`, { method: "POST", body, headers }),
  );
  return { status: response.status, body: await response.json() };
}

const FORM = "application/x-www-form-urlencoded";

const hmac = (text: string | Uint8Array, algorithm = "sha256") => createHmac(algorithm, SECRET).update(text);

inAccount(
  "webhooks: the address is shown once, stored as a hash, rotated, and not in the log",
  async ({ server, ask }) => {
    const { id, webhook_url, webhook, schedule, overlap, next_times } = await addHook(ask, { answer: "result" });
    assert.match(webhook_url, /^http.*\/hooks\/[\w-]{43}$/);
    assert.deepEqual([schedule, overlap, next_times, webhook.has_secret], [null, "allow", [], false]);
    assert.equal((await ask("GET", at(id))).body.webhook_url, null);
    const secret = webhook_url.split("/").at(-1);
    const [row] = await server.sql<
      { text: string }[]
    >`select row_to_json(w)::text as text from webhooks w where id = ${id}`;
    assert.ok(row && !row.text.includes(secret));
    const json = { "content-type": "application/json" };
    const first = await send(server, `${webhook_url}?a=1`, '{"n": 1}', json);
    assert.deepEqual(first, { status: 200, body: { body: { n: 1 }, raw: '{"n": 1}', id: null, kind: "webhook" } });
    const marked = await send(server, webhook_url, '\ufeff{"n": 2}', json);
    assert.deepEqual(marked.body.body, { n: 2 }, "behind a byte order mark");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const repeated = await send(server, webhook_url, "a=1&b=2&a=3", form);
    assert.deepEqual(repeated.body.body, { a: ["1", "3"], b: "2" });
    const rotated = (await ask("POST", at(id, "/rotate_address"))).body.webhook_url;
    assert.notEqual(rotated, webhook_url);
    assert.equal((await send(server, webhook_url, "{}", json)).status, 404);
    const { target_code } = (await ask("GET", at(id))).body;
    const timed = made(
      await ask("POST", "/account/crons.json", { json: { cron: { target_code, schedule: "0 9 * * *" } } }),
    );
    const refused = await Promise.all([timed.id, 999_999].map((other) => ask("POST", at(other, "/rotate_address"))));
    assert.deepEqual(refused[0]?.body, refused[1]?.body);
    assert.equal(refused[0]?.status, 404);
    assert.equal(
      (await send(server, rotated, "x=1&y=2", { "content-type": "application/x-www-form-urlencoded" })).body.body.y,
      "2",
    );
    assert.equal((await send(server, rotated, new Uint8Array([0xff, 0xfe]))).body.raw, null);
    assert.equal((await send(server, rotated, "x".repeat(262_145))).status, 413);
    assert.equal(server.logged.join().includes(secret), false);
    assert.ok(server.logged.join().includes("/hooks/[hidden]"));
  },
);

inAccount("webhooks: signatures over the raw body, with a tolerance of time", async ({ server, ask }) => {
  const now = Math.floor(Date.now() / 1000);
  const body = '{"id":"evt_1",  "ż": 1}';
  const stripe = (time: number, text = body) =>
    `t=${time},v1=${"0".repeat(64)},v1=${hmac(`${time}.${text}`).digest("hex")}`;
  const custom = { signature: "hmac", header: "X-Sig", algorithm: "sha512", encoding: "base64", prefix: "v0=" };
  const timed = { signature: "hmac", header: "x-sig", timestamp_header: "X-Time", tolerance: 60 };
  const github = `sha256=${hmac(body).digest("hex")}`;
  const of_custom = `v0=${hmac(body, "sha512").digest("base64")}`;
  const of_timed = (time: number) => ({ "x-time": `${time}`, "x-sig": hmac(`${time}.${body}`).digest("hex") });
  const rows: [name: string, webhook: Record<string, unknown>, headers: Record<string, string>, status: number][] = [
    ["stripe", { signature: "stripe" }, { "stripe-signature": stripe(now) }, 202],
    ["stripe, too old", { signature: "stripe" }, { "stripe-signature": stripe(now - 400) }, 401],
    ["stripe, in the future", { signature: "stripe" }, { "stripe-signature": stripe(now + 400) }, 401],
    [
      "stripe, of another body",
      { signature: "stripe" },
      { "stripe-signature": stripe(now, '{"id":"evt_1","ż":1}') },
      401,
    ],
    ["stripe, without", { signature: "stripe" }, {}, 401],
    ["github", { signature: "github" }, { "x-hub-signature-256": github }, 202],
    ["github, wrong", { signature: "github" }, { "x-hub-signature-256": `${github.slice(0, -1)}x` }, 401],
    ["github, without its prefix", { signature: "github" }, { "x-hub-signature-256": github.slice(7) }, 401],
    ["hmac", custom, { "x-sig": of_custom }, 202],
    ["hmac, empty", custom, { "x-sig": "v0=" }, 401],
    ["hmac with a time", timed, of_timed(now), 202],
    ["hmac with an old time", timed, of_timed(now - 100), 401],
    ["stripe, with text behind it", { signature: "stripe" }, { "stripe-signature": `${stripe(now)}zz` }, 401],
    ["stripe, with a second value", { signature: "stripe" }, { "stripe-signature": `${stripe(now)}=zz` }, 401],
    ["github, with text behind it", { signature: "github" }, { "x-hub-signature-256": `${github}zz` }, 401],
    ["github, with half a byte", { signature: "github" }, { "x-hub-signature-256": `${github}0` }, 401],
    ["github, in capitals", { signature: "github" }, {
      "x-hub-signature-256": `sha256=${github.slice(7).toUpperCase()}`,
    }, 202],
    ["hmac, with text behind it", custom, { "x-sig": `${of_custom}zz` }, 401],
    ["hmac, with signs that are no base64", custom, { "x-sig": of_custom.replace("v0=", "v0=!*") }, 401],
    ["hmac, without padding", custom, { "x-sig": of_custom.replace(/=+$/, "") }, 401],
    ["hmac with a time, with text behind it", timed, { ...of_timed(now), "x-sig": `${of_timed(now)["x-sig"]}zz` }, 401],
    ["hmac with another time", timed, { ...of_timed(now), "x-time": `${now - 1}` }, 401],
  ];
  await inTurn(rows, async ([name, webhook, headers, status]) => {
    const { webhook_url } = await addHook(ask, { ...webhook, secret: SECRET });
    assert.equal((await send(server, webhook_url, body, headers)).status, status, name);
  });
});

inAccount("webhooks: a delivery that comes again starts no second run", async ({ server, ask }) => {
  const { id, webhook_url } = await addHook(ask, { signature: "github", secret: SECRET });
  const body = '{"a":1}';
  const headers = { "x-hub-signature-256": `sha256=${hmac(body).digest("hex")}`, "x-github-delivery": "d-1" };
  const answers = await Promise.all([1, 2, 3].map(() => send(server, webhook_url, body, headers)));
  const [run, ...others] = new Set(answers.map(({ body }) => body.flow_process_id));
  assert.ok(run && others.length === 0);
  assert.equal(answers.filter(({ body }) => body.duplicate).length, 2);
  assert.equal(
    (await send(server, webhook_url, body, { ...headers, "x-github-delivery": "d-2" })).body.duplicate,
    undefined,
  );
  // Long ids differ although they begin alike; a name that is sent twice keeps both values.
  const long = (end: string) => ({ ...headers, "x-github-delivery": "d".repeat(300) + end });
  const lives = [];
  for (const end of ["a", "b", "a"]) lives.push((await send(server, webhook_url, body, long(end))).body.duplicate);
  assert.deepEqual(lives, [undefined, undefined, true]);
  const ledger = (await ask("GET", at(id, "/runs"))).body.slice(2);
  assert.deepEqual(ledger.map(({ state }: { state: string }) => state), ["ran", "ran"]);
});

inAccount(
  "webhooks: an event of Stripe that is sent again with another type starts no second run",
  async ({ server, ask }) => {
    const { webhook_url } = await addHook(ask, { signature: "stripe", secret: SECRET, answer: "result" });
    const body = '{"id":"evt_1","type":"charge"}';
    const now = Math.floor(Date.now() / 1000);
    const signed = (text: string) => ({ "stripe-signature": `t=${now},v1=${hmac(`${now}.${text}`).digest("hex")}` });
    const TYPES = [FORM, "application/json", "text/plain", `${FORM}; charset=utf-8`, "multipart/form-data; boundary=a"];
    const answers = [];
    for (const type of TYPES) {
      answers.push(
        await send(server, webhook_url, body, { ...signed(body), "content-type": type }),
      );
    }
    const first = { body: { id: "evt_1", type: "charge" }, raw: body, id: "evt_1", kind: "webhook" };
    assert.deepEqual(answers, TYPES.map(() => ({ status: 200, body: first })));
    const at_once = await addHook(ask, { signature: "stripe", secret: SECRET });
    const again = [];
    for (const type of TYPES) {
      again.push(
        await send(server, at_once.webhook_url, body, { ...signed(body), "content-type": type }),
      );
    }
    assert.deepEqual(again.map(({ body }) => body.duplicate), [undefined, true, true, true, true]);
    assert.equal(new Set(again.map(({ body }) => body.flow_process_id)).size, 1);
    const marked = `\ufeff${body}`;
    assert.equal((await send(server, at_once.webhook_url, marked, signed(marked))).body.duplicate, true);
  },
);

inAccount("webhooks: an object or a list of JSON is JSON whatever the type says", async ({ server, ask }) => {
  const rows: [body: string, type: string, read: unknown][] = [
    ['{"a":1}', FORM, { a: 1 }],
    ["[1]", FORM, [1]],
    ["payload=%7B%7D", FORM, { payload: "{}" }],
    ["payload=%7B%7D", "application/json", "payload=%7B%7D"],
    ["17", FORM, { 17: "" }],
    ["null", FORM, { null: "" }],
    ['"a"', FORM, { '"a"': "" }],
    ['{"a"=1', FORM, { '{"a"': "1" }],
    ["null", "application/json", null],
  ];
  for (const signature of ["github", "hmac", "none"]) {
    const { webhook_url } = await addHook(ask, {
      signature,
      answer: "result",
      ...signature === "hmac" && { header: "x-hub-signature-256", prefix: "sha256=" },
      ...signature !== "none" && { secret: SECRET },
    });
    await inTurn(rows, async ([body, type, read]) => {
      const headers = { "x-hub-signature-256": `sha256=${hmac(body).digest("hex")}`, "content-type": type };
      const answer = await send(server, webhook_url, body, headers);
      assert.deepEqual(answer.body.body, read, `${signature}: ${body} as ${type}`);
    });
  }
});

inAccount("webhooks: overlap, pause and obstacles have rows in the ledger", async ({ server, ask }) => {
  const skip = await addHook(ask, {}, { cron: { overlap: "skip" } });
  const queue = await addHook(ask, {}, { cron: { overlap: "queue" } });
  const states = async (id: number): Promise<string[]> =>
    (await ask("GET", `${at(id, "/runs")}?sort=due_at`)).body.map(({ state }: { state: string }) => state);
  // A run that has not ended, of another process.
  const open = (id: number) =>
    server.sql`
    insert into cron_runs (cron_id, account_id, due_at, by_hand, state, flow_process_id, taken_at, started_at)
    select id, account_id, now() - interval '1 minute', true, 'ran', gen_random_uuid(), now(), now()
    from crons where id = ${id}
  `;
  await open(skip.id);
  assert.equal((await send(server, skip.webhook_url, "{}")).body.state, "skipped");
  assert.deepEqual(await states(skip.id), ["ran", "skipped"]);
  await open(queue.id);
  for (const n of [1, 2]) {
    const { status, body } = await send(server, queue.webhook_url, `{"n":${n}}`);
    assert.deepEqual([status, body.state, body.flow_process_id], [202, "queued", null]);
  }
  await server.sql`update cron_runs set outcome = 'finished' where cron_id = ${queue.id} and by_hand`;
  await until(async () => {
    await server.tick();
    return !(await states(queue.id)).includes("queued");
  }, "both deliveries were started");
  const runs = (await ask("GET", `${at(queue.id, "/runs")}?sort=due_at`)).body.slice(1);
  const dataOf = async (run: string) => (await ask("GET", `/connect/flow_processes/${run}.json`)).body;
  await until(async () => (await dataOf(runs[1].flow_process_id)).status === "finished", "the last run has ended");
  const seen = await Promise.all(
    runs.map(({ flow_process_id }: { flow_process_id: string }) => dataOf(flow_process_id)),
  );
  assert.deepEqual(seen.map(({ data }) => data.body.n), [1, 2]);
  const [{ count } = { count: 0 }] = await server.sql<{ count: number }[]>`
    select count(*)::int as count from cron_runs where cron_id = ${queue.id} and payload is not null
  `;
  assert.equal(count, 0, "what was sent is not kept twice");

  await ask("PATCH", at(skip.id), { json: { cron: { active: false } } });
  assert.equal((await send(server, skip.webhook_url, "{}")).status, 503);
  const gone = await addHook(ask, {}, { cron: { max_failures: 1 } });
  await ask("DELETE", `/connect/flows/${gone.flow_id}.json?force=true`);
  const refused = await send(server, gone.webhook_url, "{}");
  assert.equal(refused.status, 503);
  const { active, paused_reason } = (await ask("GET", at(gone.id))).body;
  assert.equal(active, false);
  assert.match(paused_reason, /^1 failure in a row; the last one: there is no flow/);
});

inAccount("webhooks: what was not started can be delivered again", async ({ server, ask }) => {
  const input = { type: "object", properties: { body: { type: "object", required: ["n"] } } };
  const flow = { active: false, input, fields: { program: [{ type: "return", data: "{input.body.n}" }] } };
  const hook = await addHook(ask, { answer: "result" }, { flow, cron: { max_failures: 1 } });
  const deliver = (body: string) => send(server, hook.webhook_url, body, { "webhook-id": "one" });
  const off = await deliver('{"n":1}');
  assert.equal(off.status, 503);
  await ask("PATCH", `/connect/flows/${hook.flow_id}.json`, { json: { flow: { active: true } } });
  const wrong = await deliver("{}");
  assert.equal(wrong.status, 422, JSON.stringify(wrong.body));
  assert.equal((await ask("GET", at(hook.id))).body.active, true, "a sender's mistake is no failure of the trigger");
  for (const duplicate of [false, true]) {
    const { status, body } = await deliver('{"n":1}');
    assert.deepEqual([status, body], [200, 1], `duplicate: ${duplicate}`);
  }
  const { body: rows } = await ask("GET", `${at(hook.id, "/runs")}?sort=due_at`);
  assert.deepEqual(rows.map(({ state }: { state: string }) => state), ["skipped", "skipped", "ran"]);
});

inAccount("webhooks: a delivery that waited and was given up can be delivered again", async ({ server, ask }) => {
  const hook = await addHook(ask, {}, { cron: { overlap: "queue" } });
  await server.sql`
    insert into cron_runs (cron_id, account_id, due_at, by_hand, state, flow_process_id, taken_at, started_at)
    select id, account_id, now() - interval '1 minute', true, 'ran', gen_random_uuid(), now(), now()
    from crons where id = ${hook.id}
  `;
  const deliver = () => send(server, hook.webhook_url, "{}", { "webhook-id": "one" });
  assert.equal((await deliver()).body.state, "queued");
  assert.equal((await deliver()).body.duplicate, true);
  await ask("PATCH", at(hook.id), { json: { cron: { active: false } } });
  const states = async () =>
    (await ask("GET", `${at(hook.id, "/runs")}?sort=due_at`)).body.map(({ state }: { state: string }) => state);
  await until(async () => {
    await server.tick();
    return (await states()).includes("skipped");
  }, "it is given up");
  assert.equal((await deliver()).status, 503);
  await ask("PATCH", at(hook.id), { json: { cron: { active: true } } });
  const again = await deliver();
  assert.deepEqual([again.body.state, again.body.duplicate], ["queued", undefined]);
});

inAccount("webhooks: an accepted delivery waits for hours, and is given up after a day", async ({ server, ask }) => {
  const hook = await addHook(ask, {}, { cron: { overlap: "queue", catch_up: 0 } });
  await server.sql`
    insert into cron_runs (cron_id, account_id, due_at, by_hand, state, flow_process_id, taken_at, started_at)
    select id, account_id, now() - interval '1 day', true, 'ran', gen_random_uuid(), now(), now()
    from crons where id = ${hook.id}
  `;
  const rows = async () => (await ask("GET", `${at(hook.id, "/runs")}?sort=due_at`)).body.slice(1);
  for (const hours of [24, 5]) {
    assert.equal((await send(server, hook.webhook_url, `{"hours":${hours}}`)).body.state, "queued");
    await server.sql`
      update cron_runs
      set due_at = now() - ${hours}::int * interval '1 hour', created_at = now() - ${hours}::int * interval '1 hour'
      where cron_id = ${hook.id} and state = 'queued' and due_at > now() - interval '1 minute'
    `;
  }
  await server.sql`update cron_runs set outcome = 'finished' where cron_id = ${hook.id} and by_hand`;
  await until(async () => {
    await server.tick();
    return (await rows()).every(({ state }: { state: string }) => state !== "queued");
  }, "none waits");
  const [old, run] = await rows();
  assert.deepEqual([run.state, run.reason], ["late", "waited for the run before"]);
  assert.deepEqual([old.state, old.reason], ["missed", "not started within 23 hours"]);
});

inAccount("webhooks: a fail step answers with its data", async ({ server, ask }) => {
  const flow = { fields: { program: [{ type: "fail", message: "Not for the sender", data: { wrong: ["sku"] } }] } };
  const { webhook_url } = await addHook(ask, { answer: "result" }, { flow });
  const { status, body } = await send(server, webhook_url, "{}");
  assert.deepEqual([status, body.error, body.data], [500, "The flow failed", { wrong: ["sku"] }]);
});

inAccount("webhooks: failures in a row pause the trigger", async ({ server, ask }) => {
  const flow = { fields: { program: [{ type: "fail", message: "No" }] } };
  const { id, webhook_url } = await addHook(ask, { answer: "result" }, { flow, cron: { max_failures: 2 } });
  for (const _ of [1, 2]) await send(server, webhook_url, "{}");
  await until(async () => (await ask("GET", at(id))).body.active === false, "it is paused");
  assert.match((await ask("GET", at(id))).body.paused_reason, /^2 failures in a row; the last one: .*No$/);
  assert.equal((await send(server, webhook_url, "{}")).status, 503);
});

inAccount("webhooks: the result of a flow that calls others is the answer", async ({ server, ask }) => {
  const { target_code } = await addHook(ask);
  const flow = {
    fields: { program: [{ type: "flow", id: "call", flow_code: target_code }, { type: "return", data: "ok" }] },
  };
  const slow = { fields: { program: [{ type: "wait", seconds: 0.3 }, { type: "return", data: "ok" }] } };
  const { target_code: slow_code } = await addHook(ask, {}, { flow: slow });
  const { webhook_url } = await addHook(ask, { answer: "result" }, { flow });
  assert.deepEqual(await send(server, webhook_url, "{}"), { status: 200, body: "ok" });
  const twice = {
    fields: {
      program: [{ type: "flow", id: "call", flow_code: slow_code, input: {} }, { type: "return", data: "slow" }],
    },
  };
  const outer = await addHook(ask, { answer: "result" }, { flow: twice });
  assert.deepEqual(await send(server, outer.webhook_url, "{}"), { status: 200, body: "slow" });
  const long = await addHook(ask, {}, { flow: { fields: { program: [{ type: "wait", seconds: 3600 }] } } });
  const program = [{ type: "flow", id: "call", flow_code: long.target_code }];
  const waiting = await addHook(ask, { answer: "result" }, { flow: { fields: { program } } });
  assert.equal((await send(server, waiting.webhook_url, "{}")).status, 202);
});

inAccount("webhooks: what does not fit together is refused by its field", async ({ ask }) => {
  const rows: [cron: Record<string, unknown>, field: string][] = [
    [{ kind: "webhook", schedule: "0 9 * * *" }, "schedule"],
    [{ kind: "flow", schedule: null }, "schedule"],
    [{ kind: "changes" }, "kind"],
    [{ kind: "flow", schedule: "0 9 * * *", webhook: {} }, "webhook"],
    [{ kind: "webhook", webhook: { signature: "github" } }, "webhook.secret"],
    [{ kind: "webhook", webhook: { signature: "hmac", secret: SECRET } }, "webhook.header"],
    [{ kind: "webhook", webhook: { secret: SECRET } }, "webhook.secret"],
    [{ kind: "webhook", webhook: { signature: "none", secre: "x" } }, "webhook.secre"],
  ];
  await ask("POST", "/connect/flows.json", { json: { flow: { code: "watch", name: "watch" } } });
  await inTurn(rows, async ([cron, field]) => {
    const { status, body } = await ask("POST", "/account/crons.json", {
      json: { cron: { target_code: "watch", ...cron } },
    });
    assert.deepEqual([status, Object.keys(body)], [422, [field]], JSON.stringify(body));
  });
});

inAccount("webhooks: a run that begins to wait is answered with 202, not as a failure", async ({ server, ask }) => {
  const flow = { fields: { program: [{ type: "wait", seconds: 86_400 }] } };
  const { webhook_url } = await addHook(ask, { answer: "result" }, { flow });
  const { status, body } = await send(server, webhook_url, "{}");
  assert.deepEqual([status, body.state], [202, "ran"]);
  const run = await ask("GET", `/connect/flow_processes/${body.flow_process_id}.json`);
  assert.match(run.body.status, /^(pending|waiting)$/);
});
