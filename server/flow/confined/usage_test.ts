import assert from "node:assert/strict";
import { end, shell } from "../../../test/stage/subprocess/shell.ts";
import { Lost } from "../../subprocess/subprocess.ts";
import { nextWithin } from "./usage.ts";

/** Those of `deno task start`: tests may do everything. */
const permissions = { net: true, env: true, read: true, write: true, run: true, sys: true } as const;

const isLinux = Deno.build.os === "linux";

Deno.test("usage: a process that waits uses no processor time", { permissions, ignore: !isLinux }, async () => {
  const process = shell("sleep 1.5; echo done; sleep 60");
  assert.equal(await nextWithin(process, 500), "done");
  await end(process);
});

Deno.test("usage: an endless loop is ended for its processor time", { permissions, ignore: !isLinux }, async () => {
  const process = shell("while :; do :; done");
  await assert.rejects(nextWithin(process, 300), (error) => error instanceof Lost && error.reason === "timeout");
  await process.ended;
});
