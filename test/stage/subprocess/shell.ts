/** A subprocess that runs a script of the shell, for tests of its limits. */
import assert from "node:assert/strict";
import { Lost, startSubprocess, type Subprocess } from "../../../server/subprocess/subprocess.ts";

export const shell = (script: string) =>
  startSubprocess(
    new Deno.Command("/bin/sh", {
      args: ["-c", script],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }),
  );

/** Ends the process and reads its output to the end: a read in progress would outlive the test. */
export async function end(process: Subprocess): Promise<void> {
  process.kill();
  await assert.rejects(process.next(1_000), (error) => error instanceof Lost && error.reason === "ended");
}
