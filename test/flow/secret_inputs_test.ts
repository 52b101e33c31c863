/** Inputs that are stored encrypted and never shown. */
import assert from "node:assert/strict";
import { rotateRunSecrets } from "../../server/flow/flow.ts";
import { createKeys } from "../../server/secrets/keys.ts";
import { until } from "../stage/until.ts";
import { onStage, type Team } from "./flow_stage.ts";

const [K1, K2] = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"];
const inTeam = onStage({ ACTION_WAIT_MS: "0", SECRET_KEYS: `k1:${K1},k2:${K2}` });

const SECRET = "hunter2-hunter2";
const post = (id: string, path: string, body: unknown) => ({
  type: "connector",
  id,
  connector_code: "api",
  method: "post",
  params: { path, body },
});

type InTeam = Parameters<Parameters<typeof inTeam>[1]>[0];

async function start({ ask }: Team, id: number, input: Record<string, unknown>, more = {}) {
  const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input, ...more } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.flow_process_id as string;
}

const reaches = ({ inspect }: Team, id: string, status: string) =>
  until(async () => (await inspect(id)).status === status, `the run is ${status}`);

/** Everything that is stored of runs, as far as it is text. */
async function proveNotStored({ server: { sql, data_dir, logged } }: InTeam, secret = SECRET): Promise<void> {
  for (
    const table of ["flow_processes", "flow_waits", "flow_values", "flow_examples", "flow_approvals", "audit_entries"]
  ) {
    const rows = await sql.unsafe(`select 1 from ${table} t where t::text like '%${secret}%' limit 1`);
    assert.equal(rows.length, 0, table);
  }
  const bytes = new TextEncoder().encode(secret);
  for await (const { name } of Deno.readDir(data_dir)) {
    if (!name.startsWith("kv.sqlite3")) continue;
    const file = await Deno.readFile(`${data_dir}/${name}`);
    for (let at = file.indexOf(bytes[0] ?? 0); at !== -1; at = file.indexOf(bytes[0] ?? 0, at + 1)) {
      assert.ok(!bytes.every((byte, offset) => file[at + offset] === byte), name);
    }
  }
  assert.ok(!logged.some((line) => line.includes(secret)), "the log");
}

inTeam("secret inputs: sent to connectors, and neither shown nor stored, also while the run waits", async (team) => {
  const { ask, addFlow, inspect, api } = team;
  api.answers.set("/echo", () => Response.json({ said: api.calls.at(-1)?.body, padded: btoa(SECRET) }));
  const { id, secret_inputs } = await addFlow([
    { type: "mutation", id: "made", set: { header: "Bearer {input.password}" } },
    post("echo", "echo", "{header}"),
    {
      type: "if",
      id: "asked",
      condition: '{input.password} starts_with "hunter2-"',
      then: [post("again", "echo", "{json_object.said}")],
    },
    {
      type: "code",
      id: "code",
      source: "export default ({ input }) => { console.log(input.password); return input.password; }",
    },
    { type: "approval", id: "boss", question: "Use {input.password}?", roles: ["admin"], link: true },
    post("last", "echo", "{input.password} {input.pin}"),
    { type: "return", data: { header: "{header}", user: "{input.user}" } },
  ], { secret_inputs: ["password", "pin", "password"] });
  assert.deepEqual(secret_inputs, ["password", "pin"]);
  const run = await start(team, id, { password: SECRET, pin: 4711, user: "ada" });
  await reaches(team, run, "waiting");
  assert.deepEqual((await inspect(run)).input, { password: "[secret]", pin: "[secret]", user: "ada" });
  await proveNotStored(team);
  const { body: [approval] } = await ask("GET", "/connect/approvals.json");
  assert.equal(approval.question, "Use [redacted]?");
  await ask("POST", `/connect/approvals/${approval.id}.json`, { json: { choice: "approve" } });
  await reaches(team, run, "finished");
  assert.deepEqual(api.calls.map(({ body }) => JSON.parse(body)), [
    `Bearer ${SECRET}`,
    '"Bearer [redacted]"',
    `${SECRET} 4711`,
  ]);
  const whole = await inspect(run);
  assert.deepEqual(whole.data, { header: "Bearer [redacted]", user: "ada" });
  const shown = JSON.stringify(whole);
  assert.ok(!shown.includes(SECRET) && !shown.includes(btoa(SECRET)), shown);
  const [made, echo] = whole.steps;
  assert.deepEqual([made.output, echo.input.params.body], [{ header: "Bearer [redacted]" }, "Bearer [redacted]"]);
  await proveNotStored(team);
});

inTeam("secret inputs: repeated, passed to a called flow, kept in an example, with keys that change", async (team) => {
  const { ask, addFlow, inspect, api, server } = team;
  let fails = true;
  api.answers.set("/login", () => fails ? new Response(`no ${SECRET}`, { status: 500 }) : Response.json({ ok: true }));
  const child = await addFlow([post("login", "login", "{input.auth.token}"), { type: "return", data: "{input}" }]);
  const { id } = await addFlow([
    post("first", "login", "{input.password}"),
    { type: "flow", id: "sub", flow_code: child.code, input: { auth: { token: "t {input.password}" }, user: "ada" } },
    { type: "return", data: "{steps.sub.body}" },
  ], { secret_inputs: ["password"], input: { properties: { password: { type: "string", minLength: 8 } } } });
  const at = (rest: string) => `/connect/flows/${id}/${rest}.json`;
  const short = await ask("POST", at("run"), { json: { input: { password: "short" } } });
  assert.deepEqual(short.body, { "input.password": ["is too short (minimum is 8 characters)"] });
  const failed = await start(team, id, { password: SECRET }, { idempotency_key: "once" });
  await reaches(team, failed, "error");
  assert.ok(!JSON.stringify(await inspect(failed)).includes(SECRET));
  const again = (input: unknown) => ask("POST", at("run"), { json: { input, idempotency_key: "once" } });
  assert.equal((await again({ password: SECRET })).body.flow_process_id, failed);
  assert.deepEqual(Object.keys((await again({ password: `${SECRET}!` })).body), ["idempotency_key"]);

  const keys = createKeys([{ id: "k2", material: K2 }, { id: "k1", material: K1 }]);
  const rotated = await rotateRunSecrets(server.sql, keys);
  assert.ok(rotated.rotated >= 1 && rotated.unreadable.length === 0, JSON.stringify(rotated));
  assert.equal((await rotateRunSecrets(server.sql, keys)).rotated, 0);

  fails = false;
  for (const json of [{ from: "failed_step" }, { input: { password: "[secret]", more: 1 } }]) {
    const retry = await ask("POST", `/connect/flow_processes/${failed}/retry.json`, { json });
    assert.equal(retry.status, 201, JSON.stringify(retry.body));
    await reaches(team, retry.body.id, "finished");
    const { input, data, steps } = await inspect(retry.body.id);
    assert.equal(input.password, "[secret]");
    assert.deepEqual(data, { auth: { token: "[redacted]" }, user: "ada" });
    assert.deepEqual(api.calls.slice(-2).map(({ body }) => JSON.parse(body)), [SECRET, `t ${SECRET}`]);
    const called = await inspect(steps.at(1).begun.awaits);
    assert.deepEqual(called.input, { auth: "[secret]", user: "ada" });
    const kept = await ask("POST", at("examples"), { json: { run_id: retry.body.id, name: `${retry.body.id}` } });
    assert.equal(kept.status, 201, JSON.stringify(kept.body));
  }
  assert.equal((await ask("POST", at("examples/check"), { json: {} })).body.ok, true);
  const calls = api.calls.length;
  const dry = await ask("POST", at("run"), {
    json: { input: { password: SECRET }, dry_run: true, answers: { first: { body: SECRET }, sub: { body: 1 } } },
  });
  assert.deepEqual([dry.body.status, dry.body.data, api.calls.length], ["finished", 1, calls]);
  assert.ok(!JSON.stringify(dry.body).includes(SECRET));
  await proveNotStored(team);
});
