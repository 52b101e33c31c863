import assert from "node:assert/strict";
import { V8_FLAGS } from "./v8_flags.ts";

Deno.test("V8 flags: `deno task start` has those of the other ways to start a server", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const words: string[] = tasks.start.command.split(" ");
  assert.ok(words.includes(V8_FLAGS), tasks.start.command);
  const allocator = [
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
    "MALLOC_MMAP_THRESHOLD_=524288",
    "MALLOC_TRIM_THRESHOLD_=1048576",
  ];
  assert.deepEqual(words.slice(0, allocator.length), allocator, "ARCHITECTURE.md says why");
});
