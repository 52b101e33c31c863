/** Pushes that are wrong on purpose, and pushes at the same time. */
import assert from "node:assert/strict";
import { type Ask } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/archive.json";
const push = (ask: Ask, archive: Record<string, unknown>) => ask("POST", ALL, { json: { archive } });
const flow = (key: string, more: Record<string, unknown> = {}) => ({
  kind: "flow",
  key,
  value: { name: "Ship" },
  ...more,
});

inAccount("archive: secrets of a push obey the rules of the console", async ({ ask }) => {
  const faultsOf = async (kind: string, value: Record<string, unknown>, secret: string) => {
    const things = [{ kind, key: "x", value: { name: "x", ...value } }];
    const { body } = await push(ask, {
      things: [flow("ship"), ...things],
      dry_run: true,
      secrets: { [`${kind}/x`]: secret },
    });
    return body.changes.find(({ key }: { key: string }) => key === "x").faults;
  };
  const connector = { url: "https://fx.example.com", fields: { auth: { type: "bearer" } } };
  for (
    const [secret, fault] of [["abc", /too short/], ["abc\ndef", /line breaks/], [
      "abc\0def",
      /cannot be stored/,
    ]] as const
  ) {
    assert.match((await faultsOf("connector", connector, secret)).secret_token[0], fault);
  }
  assert.deepEqual(await faultsOf("connector", connector, "abcd"), {});
  const hook = (webhook: Record<string, unknown>) => ({ kind: "webhook", target_code: "ship", webhook });
  const github = hook({ signature: "github" });
  assert.match((await faultsOf("trigger", github, "short"))["webhook.secret"][0], /too short/);
  assert.match((await faultsOf("trigger", github, "abc\0defgh"))["webhook.secret"][0], /cannot be stored/);
  assert.deepEqual(await faultsOf("trigger", github, "long enough"), {});
  assert.deepEqual(await faultsOf("trigger", hook({ signature: "hmac" }), "long enough"), {
    "webhook.header": ["can't be blank"],
  });
});

inAccount("archive: a thing becomes one other, and only where its name is free", async ({ ask }) => {
  const { body: { changes: [{ etag }] } } = await push(ask, { things: [flow("ship")] });
  const [{ etag: listed }] = (await ask("GET", ALL)).body;
  assert.equal(etag, listed, "the plan says which etag the thing gets");
  const base = [{ kind: "flow", key: "ship", etag }];
  const both = await push(ask, {
    base,
    things: [flow("a", { renamed_from: "ship" }), flow("b", { renamed_from: "ship" })],
    dry_run: true,
  });
  const replaced = await push(ask, {
    base,
    things: [flow("ship"), flow("a", { renamed_from: "ship" })],
    dry_run: true,
  });
  const fault = { renamed_from: ["names ship, which another one of these things is or becomes"] };
  const faultsOf = ({ body }: typeof both) =>
    Object.fromEntries(
      body.changes.map(({ key, action, faults }: Record<string, unknown>) => [`${action} ${key}`, faults]),
    );
  assert.deepEqual(faultsOf(both), { "create a": fault, "create b": fault, "keep ship": {} });
  assert.deepEqual(faultsOf(replaced), { "create a": fault });
  // A hint that is left in a file whose rename is done means nothing.
  assert.equal((await push(ask, { base, things: [flow("a", { renamed_from: "ship" })] })).status, 200);
  assert.equal((await push(ask, { things: [flow("a", { renamed_from: "ship" }), flow("ship")] })).status, 200);
});

inAccount("archive: pushes at the same time follow each other", async ({ ask }) => {
  const same = await Promise.all(Array.from({ length: 4 }, () => push(ask, { things: [flow("ship")] })));
  assert.deepEqual(same.map(({ status }) => status), [200, 200, 200, 200]);
  assert.deepEqual(same.map(({ body }) => body.changes.length).sort(), [0, 0, 0, 1]);
  const [{ etag }] = (await ask("GET", ALL)).body;
  const base = [{ kind: "flow", key: "ship", etag }];
  const different = await Promise.all(
    Array.from({ length: 4 }, (_, n) => push(ask, { base, things: [flow("ship", { value: { name: `Ship ${n}` } })] })),
  );
  assert.deepEqual(different.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  const winner = different.findIndex(({ status }) => status === 200);
  assert.equal((await ask("GET", ALL)).body[0].value.name, `Ship ${winner}`);
});

inAccount("archive: a push and an edit in the console at the same time lose neither", async ({ ask }) => {
  await push(ask, { things: [flow("ship")] });
  const [{ id }] = (await ask("GET", "/connect/flows.json")).body;
  for (let round = 0; round < 5; round++) {
    const { lock_version } = (await ask("GET", `/connect/flows/${id}.json`)).body;
    const [{ etag, value }] = (await ask("GET", ALL)).body;
    const [pushed, edited] = await Promise.all([
      push(ask, {
        base: [{ kind: "flow", key: "ship", etag }],
        things: [flow("ship", { value: { ...value, name: `Pushed ${round}` } })],
      }),
      ask("PATCH", `/connect/flows/${id}.json`, { json: { flow: { name: `Edited ${round}`, lock_version } } }),
    ]);
    const name = (await ask("GET", `/connect/flows/${id}.json`)).body.name;
    assert.deepEqual([pushed.status, edited.status].sort(), [200, 409]);
    assert.equal(name, `${pushed.status === 200 ? "Pushed" : "Edited"} ${round}`);
  }
});
