import assert from "node:assert/strict";
import { readConfig } from "../config.ts";
import { openKv } from "./kv.ts";

Deno.test("kv: a file that another process is preparing is waited for", async () => {
  const open = Deno.openKv;
  const answers = [new TypeError("database is locked"), new TypeError("unable to open database file")];
  Deno.openKv = (path) => {
    const error = answers.shift();
    return error ? Promise.reject(error) : open(path);
  };
  try {
    await assert.rejects(openKv(readConfig({ KV_URL: ":memory:" })), /unable to open/);
    answers.push(new TypeError("database is locked"));
    using kv = await openKv(readConfig({ KV_URL: ":memory:" }));
    assert.ok((await kv.set(["a"], 1)).ok);
  } finally {
    Deno.openKv = open;
  }
});
