import assert from "node:assert/strict";
import { type Bounds, confined } from "../../../server/subprocess/confined.ts";

const BOUNDS: Bounds = { data_mb: 64, cpu_s: 7, nice: 3 };

async function run(command: readonly string[], bounds = BOUNDS) {
  const [program = "", ...args] = await confined(command, bounds);
  const { stdout, code, success } = await new Deno.Command(program, { args, clearEnv: true }).output();
  return { text: new TextDecoder().decode(stdout), code, success };
}

Deno.test("confined: a command gets its arguments as they are, and its end is its own", async () => {
  const words = ["a b", "$(id)", "'\"", "-n", "", "ż\n"];
  const { text } = await run(["/usr/bin/printf", "%s|", ...words]);
  assert.equal(text, words.map((word) => `${word}|`).join(""));
  assert.equal((await run(["/bin/sh", "-c", "exit 7"])).code, 7);
});

Deno.test("confined: the kernel limits it and its children", async () => {
  const { text } = await run([
    "/bin/sh",
    "-c",
    "/bin/sh -c 'ulimit -d; ulimit -t; ulimit -c; cat /proc/$$/oom_score_adj; nice'",
  ]);
  const { stdout } = await new Deno.Command("nice").output();
  const nice = Number(new TextDecoder().decode(stdout)) + BOUNDS.nice;
  assert.deepEqual(text.trim().split("\n"), [`${64 * 1024}`, "7", "0", "800", `${nice}`]);
});

Deno.test("confined: an endless loop comes to its end", async () => {
  const { success } = await run(["/bin/sh", "-c", "while :; do :; done"], { ...BOUNDS, cpu_s: 1 });
  assert.equal(success, false);
});
