import assert from "node:assert/strict";
import { readAppToken, signAppToken } from "./app_tokens.ts";
import { ConfigError } from "./config.ts";
import { createKeys, openKeys } from "./keys.ts";

const OLD = { id: "k1", material: "0123456789abcdef-old" };
const NEW = { id: "k2", material: "0123456789abcdef-new" };
const PAYLOAD = { app: "a", account: 1, user: 2, token: 3, browser: "b" };
const NOW = new Date("2026-11-21T08:00:00Z");

Deno.test("keys: what one purpose signs no other verifies, and no other key", () => {
  const keys = createKeys([OLD]);
  const signature = keys.sign("one", "text");
  assert.equal(keys.verify("one", "text", signature), true);
  assert.equal(keys.verify("two", "text", signature), false);
  assert.equal(keys.verify("one", "texts", signature), false);
  assert.equal(keys.verify("one", "text", signature.subarray(1)), false);
  assert.equal(createKeys([NEW]).verify("one", "text", signature), false);
});

Deno.test("keys: after a rotation the new key signs, and the old one's signatures still count", () => {
  const signature = createKeys([OLD]).sign("one", "text");
  const rotated = createKeys([NEW, OLD]);
  assert.equal(rotated.verify("one", "text", signature), true);
  assert.deepEqual(rotated.sign("one", "text"), createKeys([NEW]).sign("one", "text"));
});

Deno.test("keys: the embedded database's file is made once, for its owner alone", async () => {
  const data_dir = await Deno.makeTempDir();
  const first = await openKeys({ secret_keys: undefined, data_dir });
  const { mode } = await Deno.stat(`${data_dir}/secret_keys`);
  assert.equal((mode ?? 0) & 0o777, 0o600);
  const again = await openKeys({ secret_keys: undefined, data_dir });
  assert.deepEqual(again.sign("one", "text"), first.sign("one", "text"));
  await Deno.chmod(`${data_dir}/secret_keys`, 0o644);
  await assert.rejects(openKeys({ secret_keys: undefined, data_dir }), ConfigError);
  await Deno.writeTextFile(`${data_dir}/secret_keys`, "");
  await Deno.chmod(`${data_dir}/secret_keys`, 0o600);
  await assert.rejects(openKeys({ secret_keys: undefined, data_dir }), /holds no key/);
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("app tokens: read back until their time is over", () => {
  const keys = createKeys([OLD]);
  const token = signAppToken(keys, PAYLOAD, NOW);
  assert.deepEqual(readAppToken(keys, token, NOW), { ...PAYLOAD, until: NOW.getTime() / 1000 + 12 * 3600 });
  assert.equal(readAppToken(keys, token, new Date(NOW.getTime() + 12 * 3_600_000)), undefined);
});

Deno.test("app tokens: whatever is changed in one makes it nobody's", () => {
  const keys = createKeys([OLD]);
  const token = signAppToken(keys, PAYLOAD, NOW);
  const [text = "", signature = ""] = token.split(".");
  const other = btoa(JSON.stringify({ ...PAYLOAD, user: 1, until: 99999999999 }));
  for (const forged of ["", ".", text, `${text}.`, `${other}.${signature}`, `${token}.x`, `${token}x`.slice(1)]) {
    assert.equal(readAppToken(keys, forged, NOW), undefined, forged);
  }
  assert.equal(readAppToken(createKeys([NEW]), token, NOW), undefined);
});
