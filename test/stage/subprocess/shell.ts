/** A subprocess that runs a script of the shell, for tests of its limits. */
import { startSubprocess } from "../../../server/subprocess/subprocess.ts";

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
