/** Limits of requests, writes, compilations and actions: per token, session, address and account, and an account's own. */
import assert from "node:assert/strict";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addEmbeddingKey, signJwt } from "../../stage/embedding/jwt.ts";
import { addPerson, addSession, type Ask, made } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";
import { tokenIn } from "../../stage/visitors.ts";

const onServer = onOwnServer();
const ME = "/account/me.json";

/** Sets the account's own limits as its admin does. */
const limited = async (ask: Ask, rate_limits: Record<string, number | null>) => {
  const { status, body } = await ask("PATCH", "/account.json", { json: { account: { rate_limits } } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.rate_limits, rate_limits);
};

/** Sends until one is refused. @returns how many were not, and the refusal */
async function until429(send: () => Promise<Answer>, most = 50): Promise<[number, Answer]> {
  for (let count = 0; count < most; count++) {
    const answer = await send();
    if (answer.status === 429) return [count, answer];
  }
  throw new Error(`none of ${most} is refused`);
}

onServer(
  "limits: requests of a token, of a session and of the account; the answer says when to come back",
  async (stage) => {
    const { ask, server } = stage;
    const [ann, bob] = [await addPerson(ask, "user"), await addPerson(ask, "user")];
    const { cookie } = await addSession(server, bob.id);
    // So few a minute that a slow machine gets none back meanwhile.
    await limited(ask, { requests: 3 });
    const [count, { headers, body }] = await until429(() => ask("GET", ME, { token: ann.token }));
    assert.ok(count >= 3 && count < 20, String(count));
    assert.match(headers.get("retry-after") ?? "", /^([1-9]|1\d|20)$/);
    assert.equal(headers.get("ratelimit-policy"), '"requests";q=3;w=60');
    assert.equal(headers.get("ratelimit"), `"requests";r=0;t=${headers.get("retry-after")}`);
    assert.match(headers.get("access-control-expose-headers") ?? "", /ratelimit, ratelimit-policy/);
    assert.deepEqual([body.code, body.error], ["too_many_requests", "At most 3 requests a minute: try again later"]);
    const own = { "sec-fetch-site": "same-origin", cookie };
    assert.equal((await ask("GET", ME, { token: bob.token })).status, 200, "another token has its own allowance");
    assert.equal((await ask("GET", ME, { token: null, headers: own })).status, 200, "and so has a session");
    await until429(() => ask("GET", ME, { token: null, headers: own }));
  },
);

onServer("limits: limits.json says which are in force, and how much of them is used", async ({ ask }) => {
  const read = async (token?: string) => {
    const { status, body } = await ask("GET", "/account/limits.json", { ...token && { token } });
    assert.equal(status, 200);
    return body;
  };
  const rate = ({ rates }: { rates: { name: string }[] }, wanted: string) => rates.find(({ name }) => name === wanted);
  // The tests' address is this machine's, which the defaults do not limit.
  assert.deepEqual(rate(await read(), "writes"), { name: "writes", limit: null, default: 3000, own: false, used: 0 });
  const ann = await addPerson(ask, "user");
  await limited(ask, { writes: 3, account_writes: 20, compiles: null });
  for (const name of ["A", "B", "C"]) made(await ask("POST", "/account/teams.json", { json: { team: { name } } }));
  const now = await read();
  const writes = rate(now, "writes");
  // One comes back every 20 seconds, and a machine may be slow.
  assert.ok(writes && "used" in writes && [1, 2, 3].includes(Number(writes.used)), JSON.stringify(writes));
  assert.deepEqual({ ...writes, used: 0 }, { name: "writes", limit: 3, default: 3000, own: true, used: 0 });
  assert.deepEqual(rate(now, "compiles"), { name: "compiles", limit: null, default: 60, own: true, used: 0 });
  assert.deepEqual(now.runs, {
    in_progress: 0,
    most: 10_000,
    waiting: 0,
    most_waiting: 10_000,
    at_once: 50,
    minutes: 10,
  });
  assert.deepEqual(rate(await read(ann.token), "writes"), {
    name: "writes",
    limit: 3,
    default: 3000,
    own: true,
    used: 0,
  });
});

onServer("limits: writes, compilations and runs are counted beside requests; null removes a limit", async ({ ask }) => {
  const flow = made(await ask("POST", "/connect/flows.json", { json: { flow: { name: "Flow" } } }));
  const source = { app_engine: "html", css_engine: "none", source_code: "x" };
  const app = made(await ask("POST", "/platform/apps.json", { json: { app: { name: "A", ...source } } }));
  await limited(ask, { requests: null, writes: 4, compiles: 2, actions: 2 });
  const [runs, refused] = await until429(() => ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} }));
  assert.ok(runs >= 2 && runs < 20);
  assert.match(refused.body.error, /^At most 2 runs a minute/);
  const rename = () => ask("PATCH", `/platform/apps/${app.id}.json`, { json: { app: { name: "B" } } });
  assert.match((await until429(rename))[1].body.error, /^At most 2 compilations a minute/);
  const team = () => ask("POST", "/account/teams.json", { json: { team: { name: crypto.randomUUID() } } });
  assert.match((await until429(team))[1].body.error, /^At most 4 writes a minute/);
  assert.equal((await ask("GET", "/account/teams.json")).status, 200, "reads go on");
});

onServer("limits: a whole account, whoever asks; other accounts go on", async ({ ask, admin, server }) => {
  const { token } = await addPerson(ask, "user");
  await limited(ask, { account_requests: 6 });
  const [count, { body }] = await until429(() => ask("GET", ME, { token }));
  assert.ok(count >= 5 && count < 30, String(count));
  assert.match(body.error, /^At most 6 requests a minute of this account/);
  await until429(() => ask("GET", ME, { token: admin.token }));
  assert.equal((await server.request("GET", ME)).status, 200);
});

onServer("limits: an account's own limits are proven", async ({ ask, play }) => {
  const row = (rate_limits: unknown, field: string) => ({
    name: JSON.stringify(rate_limits),
    method: "PATCH" as const,
    path: "/account.json",
    sent: { json: { account: { rate_limits } } },
    status: 422,
    body: { [field]: /./ },
  });
  await play([
    row({ requests: 0 }, "rate_limits.requests"),
    row({ requests: "many" }, "rate_limits.requests"),
    row({ guesses: 1 }, "rate_limits.guesses"),
  ]);
  await limited(ask, {});
});

onServer(
  "limits: visitors by address, actions also by app; the defaults hold for other machines only",
  async ({ server, ask }) => {
    const flow = made(await ask("POST", "/connect/flows.json", { json: { flow: { name: "Public" } } }));
    const source = { app_engine: "html", css_engine: "none", source_code: "x", public: true };
    const actions = [{ action: "go", flow_code: flow.code, public: true }];
    const [one, two] = [
      made(await ask("POST", "/platform/apps.json", { json: { app: { name: "One", actions, ...source } } })),
      made(await ask("POST", "/platform/apps.json", { json: { app: { name: "Two", actions, ...source } } })),
    ];
    await limited(ask, { actions: 2 });
    const call = (id: string, address: string) => from(server, address, `/platform/apps/${id}/action/go`);
    const [count] = await until429(() => call(one.id, "192.0.2.1"));
    assert.ok(count >= 2 && count < 20, String(count));
    assert.equal((await call(two.id, "192.0.2.1")).status, 200, "another app");
    assert.equal((await call(one.id, "192.0.2.2")).status, 200, "another address");
    await limited(ask, {});
    await inTurn(["192.0.2.1", "2001:db8::1"], async (address) => {
      const sent = Array.from({ length: 40 }, () => call(two.id, address));
      assert.ok((await Promise.all(sent)).every(({ status }) => status === 200), "the defaults are generous");
    });
  },
  { of_default: true },
);

/** A visitor's POST from another machine. */
async function from({ handler, base_url }: TestServer, hostname: string, path: string): Promise<Answer> {
  const remoteAddr: Deno.Addr = { transport: "tcp", hostname, port: 1 };
  const handle = handler as (request: Request, info: { remoteAddr: Deno.Addr }) => Promise<Response>;
  const body = "{}";
  const sent = new Request(`${base_url}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const response = await handle(sent, { remoteAddr });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

onServer("limits: each user of a host page has an allowance of its own, whatever its address", async ({ ask }) => {
  const key = await addEmbeddingKey(ask);
  const flow = {
    name: "Now",
    code: `now_${crypto.randomUUID().slice(0, 8)}`,
    fields: { program: [{ type: "return" }] },
  };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const actions = [{ action: "go", flow_code: flow.code }];
  const app = {
    name: "Embedded",
    app_engine: "html",
    source_code: "<p><script>fetch('/platform/x')</script>",
    actions,
  };
  const { id } = made(await ask("POST", "/platform/apps.json", { json: { app } }));
  const embedded = async () => {
    const login = `embedded_${crypto.randomUUID().slice(0, 8)}`;
    await addPerson(ask, "user", { login });
    const viewer = signJwt(key, { sub: login });
    const page = await ask("POST", `/a/${id}`, {
      token: null,
      raw: new URLSearchParams({ viewer }),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(page.status, 200);
    const headers = { "x-app-token": tokenIn(page) ?? "" };
    return () => ask("POST", `/platform/apps/${id}/action/go`, { token: null, headers, json: {} });
  };
  const [ann, bob] = [await embedded(), await embedded()];
  await limited(ask, { actions: 2 });
  const [count] = await until429(ann);
  assert.ok(count >= 2 && count < 10, String(count));
  assert.equal((await bob()).status, 200, "another user at the same address");
});
