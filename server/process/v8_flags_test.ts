import assert from "node:assert/strict";
import { V8_FLAGS } from "./v8_flags.ts";

Deno.test("V8 flags: `deno task start` has those of the other ways to start a server", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const words: string[] = tasks.start.command.split(" ");
  assert.ok(words.includes(V8_FLAGS), tasks.start.command);
  assert.equal(words[0], "MALLOC_MMAP_THRESHOLD_=131072", "ARCHITECTURE.md says why");
});
