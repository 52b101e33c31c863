import assert from "node:assert/strict";
import { V8_FLAGS } from "./v8_flags.ts";

Deno.test("V8 flags: `deno task start` has those of the other ways to start a server", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assert.ok(tasks.start.command.split(" ").includes(V8_FLAGS), tasks.start.command);
});
