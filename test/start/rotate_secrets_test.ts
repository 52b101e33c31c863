/** `deno task rotate-secrets`, as an operator runs it: k1, then k2 and k1, then k2 alone. */
import assert from "node:assert/strict";
import { serveApi } from "../stage/egress/outside.ts";
import { type SigningKey, signJwt } from "../stage/embedding/jwt.ts";
import { inTurn } from "../stage/scenario.ts";
import { ask, launch, newPlace, run } from "../stage/launch.ts";

const [K1, K2, K3] = ["k1:the-first-key-of-all", "k2:the-second-key-of-all", "k3:a-key-that-wrote-nothing"];
const ADMIN_TOKEN = "rotating-admin-token";

Deno.test("rotate-secrets: afterwards the old key may go", async () => {
  await using api = serveApi();
  await using place = await newPlace();
  const environment = (SECRET_KEYS: string) => ({
    ...place.environment,
    ADMIN_TOKEN,
    SECRET_KEYS,
    EGRESS_ALLOW: `127.0.0.1:${api.port}`,
  });
  const post = (url: string, path: string, json: unknown) =>
    ask(`${url}${path}`, ADMIN_TOKEN, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
    });
  let signing: SigningKey | undefined;
  {
    await using first = await launch(environment(K1));
    const fields = { auth: { type: "bearer" }, methods: { m: { method: "GET", path: "/" } } };
    await inTurn([1, 2, 3], async (n) => {
      const connector = { name: `Api ${n}`, url: api.url, secret_token: `secret ${n}`, fields };
      assert.equal((await post(first.url, "/connect/connectors.json", { connector })).status, 201);
    });
    signing = JSON.parse((await post(first.url, "/account/embedding/keys.json", { key: { name: "Host" } })).text);
    const open = { name: "Open", url: api.url, fields };
    assert.equal((await post(first.url, "/connect/connectors.json", { connector: open })).status, 201);
  }
  const without = await run(environment(`${K3},${K2}`), "rotate-secrets");
  assert.deepEqual([without.code, without.stdout], [1, ""]);
  assert.match(
    without.stderr,
    /^0 secrets [^\n]*k3; no key reads 4 \(connectors 1, 2, 3; embedding keys 1\): add the key[^\n]*\n$/,
  );

  const rotated = await run(environment(`${K2},${K1}`), "rotate-secrets");
  assert.deepEqual([rotated.code, rotated.stderr], [0, ""]);
  assert.equal(rotated.stdout, "4 secrets written anew with the key k2\n");
  const again = await run(environment(`${K2},${K1}`), "rotate-secrets");
  assert.equal(again.stdout, "0 secrets written anew with the key k2\n");

  await using last = await launch(environment(K2));
  assert.ok(signing);
  const viewer = signJwt(signing, { sub: "admin", aud: last.url });
  assert.equal((await post(last.url, "/platform/embeds/open.json", { target: "crm", viewer })).status, 200);
  await inTurn([1, 2, 3], async (n) => {
    const tried = await post(last.url, `/connect/connectors/${n}/test.json`, { method: "m" });
    assert.equal(JSON.parse(tried.text).ok, true, tried.text);
    assert.equal(api.seen.at(-1)?.headers.authorization, `Bearer secret ${n}`);
  });
});
