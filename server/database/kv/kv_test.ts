import assert from "node:assert/strict";
import { readConfig } from "../../config.ts";
import { openKv } from "./kv.ts";

Deno.test("kv: a file that another process is preparing is waited for", async () => {
  const failures = [new TypeError("database is locked"), new TypeError("unable to open database file")];
  const open = (path?: string) => {
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : Deno.openKv(path);
  };
  await assert.rejects(openKv(readConfig({ KV_URL: ":memory:" }), open), {
    message: "Deno KV in :memory: cannot be opened: unable to open database file",
  });
  failures.push(new TypeError("database is locked"));
  using kv = await openKv(readConfig({ KV_URL: ":memory:" }), open);
  assert.ok((await kv.set(["a"], 1)).ok);
});
