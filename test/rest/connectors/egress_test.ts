/** Every outbound path against every hostile case. Source: design, security, "Calls to the outside" and "Figures". */
import assert from "node:assert/strict";
import { ConnectorFault } from "../../../server/connectors/connectors.ts";
import { attempt, hits, type Way } from "../../stage/egress/attempt.ts";
import { createWorld, type HostileCase, type World } from "../../stage/egress/world.ts";
import { HOSTILE } from "../../stage/egress/cases.ts";
import { repeated } from "../../stage/egress/outside.ts";
import { EVERYTHING } from "../../stage/people.ts";
import { inTurn, proven } from "../../stage/scenario.ts";

const kindOf = (error: unknown): string => {
  if (error instanceof ConnectorFault) return error.kind;
  throw error;
};

/** A run's error names no kind: the kind is found by the sentence. */
const SENTENCES: [RegExp, string][] = [
  [/may not be called|not below|leads elsewhere|leads to|only http|^call: the address /, "refused"],
  [/no whole answer within|took longer/, "timeout"],
  [/larger than/, "too_large"],
  [/ answered \d{3}/, "status"],
  [/cannot be reached/, "network"],
  [/is missing|must be|cannot|path|parameter/, "invalid"],
  [/^call: \S+ /, "network"],
];

const WAYS: Record<string, Way> = {
  "a call": ({ connectors }, { connector_code, params, timeout_s }) =>
    connectors.call({
      account_id: 1,
      reach: EVERYTHING,
      connector_code,
      method: "m",
      params,
      public_only: false,
      idempotency_key: undefined,
      timeout_ms: timeout_s * 1000,
    }).then(() => "ok", kindOf),

  async "the test endpoint"({ request }, { connector_id, params, timeout_s: timeout }) {
    const path = `/connect/connectors/${connector_id}/test.json`;
    const { status, body } = await proven(request)("POST", path, { json: { method: "m", params, timeout } });
    if (status === 422) return "invalid";
    assert.equal(status, 200, JSON.stringify(body));
    return body.ok ? "ok" : body.error.kind;
  },

  async "a run of a flow"({ request }, { connector_code, params, timeout_s: timeout }) {
    // Parameters of a step are templates, so the values are passed as input.
    const given = Object.fromEntries(Object.keys(params).map((name) => [name, `{input.params.${name}}`]));
    const program = [{ type: "connector", id: "call", connector_code, method: "m", params: given, timeout }];
    const flow = { name: `Egress ${crypto.randomUUID()}`, fields: { program } };
    const made = await request("POST", "/connect/flows.json", { json: { flow } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const ran = await request("POST", `/connect/flows/${made.body.id}/run.json`, { json: { input: { params } } });
    assert.equal(ran.status, 200, JSON.stringify(ran.body));
    if (ran.body.status === "finished") return "ok";
    return SENTENCES.find(([sentence]) => sentence.test(ran.body.error))?.[1] ?? ran.body.error;
  },
};

const shared: { world?: World } = {};
Deno.test.beforeAll(async () => void (shared.world = await createWorld()));
Deno.test.afterAll(async () => void await shared.world?.[Symbol.asyncDispose]());

function inWorld(name: string, work: (world: World, t: Deno.TestContext) => Promise<void>): void {
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(t) {
      if (!shared.world) throw new Error("the world has not started");
      await work(shared.world, t);
    },
  });
}

async function resist(world: World, name: string, way: Way, hostile: HostileCase): Promise<void> {
  const kinds = await attempt(world, way, hostile);
  const what = `${name}: ${hostile.name}: ${kinds}`;
  for (const kind of kinds) assert.ok(hostile.kinds.includes(kind), `${what} is not one of ${hostile.kinds}`);
  if (hostile.times) assert.equal(kinds.at(-1), "refused", what);
  assert.equal(hits(world), 0, `${what}: the canary was reached`);
}

/** Cases that end with their time limit. */
const isWait = ({ kinds, times }: HostileCase) => kinds.includes("timeout") && !times;

inWorld("egress: no hostile case gets anywhere, by any way", async (world, t) => {
  assert.ok(HOSTILE.length >= 27);
  const ways = Object.entries(WAYS);
  await inTurn(ways, async ([name, way]) => {
    await inTurn(
      HOSTILE.filter((hostile) => !isWait(hostile)),
      (hostile) => t.step(`${name}: ${hostile.name}`, () => resist(world, name, way, hostile)),
    );
  });
  const waits = HOSTILE.filter(isWait);
  assert.ok(waits.length >= 6);
  await t.step(`at once, by each way: ${waits.map(({ name }) => name).join(", ")}`, async () => {
    await Promise.all(waits.flatMap((hostile) => ways.map(([name, way]) => resist(world, name, way, hostile))));
  });
  const logged = world.server.logged.filter((line) => /"level":"error"/.test(line));
  assert.deepEqual(logged, []);
});

inWorld("egress: what is open is reached, so the cases above fail for their own reason", async (world) => {
  await inTurn(Object.entries(WAYS), async ([name, way]) => {
    const open = { url: ({ open }: World) => `http://open.test:${open.port}`, kinds: ["ok"], name };
    assert.deepEqual(await attempt(world, way, { ...open, path: "/fine" }), ["ok"], name);
    assert.deepEqual(await attempt(world, way, { ...open, path: "/hops?n=3" }), ["ok"], `${name}: three redirects`);
    const to = { ...open, path: "/to", params: ({ other }: World) => ({ url: `http://other.test:${other.port}/` }) };
    assert.deepEqual(await attempt(world, way, to), ["ok"], `${name}: to another that is open`);
  });
  assert.ok(world.dns.asked("open.test") > 0);
});

inWorld("egress: another origin gets no header of the connector's, and none comes back later", async (world) => {
  const { server, open, other } = world;
  const from = `http://open.test:${open.port}`;
  const to = `http://other.test:${other.port}`;
  const { code: connector_code } = await world.add(from, {
    fields: {
      methods: {
        m: {
          method: "POST",
          path: "/to",
          query: { url: "{url}", status: "{status}" },
          headers: {
            "X-Api-Key": "key",
            Authorization: "Bearer b",
            Cookie: "c=1",
            Accept: "text/x",
            "User-Agent": "u",
          },
          body: { a: 1 },
        },
      },
    },
  });
  const call = (url: string, status: number) =>
    server.connectors.call({
      account_id: 1,
      reach: EVERYTHING,
      connector_code,
      method: "m",
      params: { url, status },
      headers: { "X-Step": "s" },
      public_only: false,
      idempotency_key: "run:step",
      timeout_ms: 5_000,
    });
  const OWN = ["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"];
  const secrets = ["x-api-key", "authorization", "cookie", "x-step", "idempotency-key"];

  await call(`${to}/x`, 307);
  const left = other.seen.at(-1);
  assert.deepEqual([left?.method, left?.body], ["POST", '{"a":1}']);
  for (const name of Object.keys(left?.headers ?? {})) assert.ok(OWN.includes(name), `${name} went along`);
  assert.deepEqual([left?.headers["user-agent"], left?.headers.accept?.includes("text/x")], ["Atrium", false]);

  await call(`${to}/x`, 303);
  const next = other.seen.at(-1);
  assert.deepEqual([next?.method, next?.body, next?.headers["content-type"]], ["GET", "", undefined]);

  const stayed = repeated((await call("/same", 307)).body);
  for (const name of secrets) assert.ok(stayed.headers[name], `${name} stays at home`);
  assert.deepEqual([stayed.path, stayed.method], ["/same", "POST"]);

  await call(`${to}/to?${new URLSearchParams({ url: `${from}/home` })}`, 302);
  const home = open.seen.at(-1);
  assert.equal(home?.path, "/home");
  for (const name of secrets) assert.equal(home?.headers[name], undefined, `${name} came back`);
});
