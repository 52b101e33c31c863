import assert from "node:assert/strict";
import { readAppToken, signAppToken } from "./page_tokens.ts";
import { ConfigError } from "../config.ts";
import { createKeys, openKeys, Unreadable } from "./keys.ts";

const OLD = { id: "k1", material: "0123456789abcdef-old" };
const NEW = { id: "k2", material: "0123456789abcdef-new" };
const PAYLOAD = { app: "a", account: 1, user: 2, token: 3, session: null, grant: null, browser: "b" };
const NOW = new Date("2026-11-21T08:00:00Z");

Deno.test("keys: a signature is valid for its purpose and key only", () => {
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

Deno.test("keys: a ciphertext is valid in its own place only, unchanged, and differs each time", () => {
  const keys = createKeys([OLD]);
  const encrypted = keys.encrypt("1:2:secret_token", "sk_live_ż");
  assert.equal(encrypted.key_id, "k1");
  assert.equal(keys.decrypt("1:2:secret_token", encrypted), "sk_live_ż");
  assert.throws(() => keys.decrypt("1:3:secret_token", encrypted), Unreadable);
  assert.notDeepEqual(keys.encrypt("1:2:secret_token", "sk_live_ż").bytes, encrypted.bytes);
  for (let index = 0; index < encrypted.bytes.length; index++) {
    const bytes = encrypted.bytes.map((byte, at) => at === index ? byte ^ 1 : byte);
    assert.throws(() => keys.decrypt("1:2:secret_token", { ...encrypted, bytes }), Unreadable, `byte ${index}`);
  }
  const { bytes } = encrypted;
  for (const length of [0, 27, 28, bytes.length - 1]) {
    assert.throws(
      () => keys.decrypt("1:2:secret_token", { key_id: "k1", bytes: bytes.subarray(0, length) }),
      Unreadable,
    );
  }
});

Deno.test("keys: after a rotation the new key encrypts, every one reads, and one that is gone is named", () => {
  const old = createKeys([OLD]).encrypt("place", "text");
  const rotated = createKeys([NEW, OLD]);
  assert.equal(rotated.decrypt("place", old), "text");
  assert.equal(rotated.writing, "k2");
  const anew = rotated.encrypt("place", "text");
  assert.deepEqual([anew.key_id, createKeys([NEW]).decrypt("place", anew)], ["k2", "text"]);
  assert.throws(
    () => createKeys([NEW]).decrypt("place", old),
    /no key of SECRET_KEYS reads what the key k1 has written/,
  );
  const renamed = createKeys([{ ...OLD, id: "k9" }, { ...NEW, id: "k1" }]);
  assert.equal(renamed.decrypt("place", old), "text", "an id that names another key now");
});

const nothing = () => Promise.resolve(false);

Deno.test("keys: the embedded database's file is made once, for its owner alone", async () => {
  const data_dir = await Deno.makeTempDir();
  const first = await openKeys({ secret_keys: undefined, data_dir }, nothing);
  const { mode } = await Deno.stat(`${data_dir}/secret_keys`);
  assert.equal((mode ?? 0) & 0o777, 0o600);
  const again = await openKeys({ secret_keys: undefined, data_dir }, nothing);
  assert.deepEqual(again.sign("one", "text"), first.sign("one", "text"));
  for (const mode of [0o644, 0o640, 0o604]) {
    await Deno.chmod(`${data_dir}/secret_keys`, mode);
    await assert.rejects(openKeys({ secret_keys: undefined, data_dir }, nothing), ConfigError);
  }
  await Deno.writeTextFile(`${data_dir}/secret_keys`, "");
  await Deno.chmod(`${data_dir}/secret_keys`, 0o600);
  await assert.rejects(openKeys({ secret_keys: undefined, data_dir }, nothing), /holds no key/);
  await Deno.remove(`${data_dir}/secret_keys`);
  await Deno.mkdir(`${data_dir}/secret_keys`);
  await assert.rejects(openKeys({ secret_keys: undefined, data_dir }, nothing), /is a folder/);
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("keys: a lost file is not made anew where something was encrypted", async () => {
  const data_dir = await Deno.makeTempDir();
  const has = () => Promise.resolve(true);
  for (let start = 0; start < 2; start++) {
    await assert.rejects(
      openKeys({ secret_keys: undefined, data_dir }, has),
      /secret_keys is missing.* restore the file/,
    );
  }
  await openKeys({ secret_keys: [OLD], data_dir }, has);
  await Deno.writeTextFile(`${data_dir}/secret_keys`, "k1:0123456789abcdef", { mode: 0o600 });
  await openKeys({ secret_keys: undefined, data_dir }, has);
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("app tokens: read back until their time is over", () => {
  const keys = createKeys([OLD]);
  const token = signAppToken(keys, PAYLOAD, NOW);
  assert.deepEqual(readAppToken(keys, token, NOW), { ...PAYLOAD, until: NOW.getTime() / 1000 + 12 * 3600 });
  assert.equal(readAppToken(keys, token, new Date(NOW.getTime() + 12 * 3_600_000)), undefined);
});

Deno.test("page tokens: any changed character makes a token invalid", () => {
  const keys = createKeys([OLD]);
  const token = signAppToken(keys, PAYLOAD, NOW);
  const [text = "", signature = ""] = token.split(".");
  const other = btoa(JSON.stringify({ ...PAYLOAD, user: 1, until: 99999999999 }));
  for (const forged of ["", ".", text, `${text}.`, `${other}.${signature}`, `${token}.x`, `${token}x`.slice(1)]) {
    assert.equal(readAppToken(keys, forged, NOW), undefined, forged);
  }
  assert.equal(readAppToken(createKeys([NEW]), token, NOW), undefined);
});
