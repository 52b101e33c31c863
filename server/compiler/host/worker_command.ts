import { fileURLToPath } from "node:url";
import { confined } from "./confined.ts";
import { CPU_S } from "../protocol.ts";
import { z } from "zod";

/** V8 reserves so much for machine code, as memory that could be written to. */
const CODE_MB = 512;

/** What Deno holds beside V8's heap is a third of it. esbuild has no use for V8's share, so for it this is a bound of 1 GB. */
const OTHER_MB = 256;

/** From here on Go collects garbage more often: esbuild's is soon many times what it needs. */
const GO_MEMORY_LIMIT = "256MiB";

const Places = z.object({ packages: z.string(), esbuild: z.string() });

/**
 * How a worker is started, with what it may do.
 *
 * @param env all of its environment: where Deno keeps its files
 * @returns takes how patient the worker is, from 0 to 19
 */
export function workerCommand(
  deno: string,
  heap_mb: number,
  env: Readonly<Record<string, string>>,
): (nice?: number) => Promise<Deno.Command> {
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const config = ["--quiet", "--no-prompt", `--config=${file("../../../deno.json")}`];

  async function locate() {
    const args = ["run", ...config, "--allow-read", "--allow-env", file("locate.ts")];
    const { success, stdout, stderr } = await new Deno.Command(deno, { args, env, clearEnv: true }).output();
    if (!success) throw new Error(`the compiler's packages are not found: ${new TextDecoder().decode(stderr)}`);
    return Places.parse(JSON.parse(new TextDecoder().decode(stdout)));
  }

  let places: Promise<z.output<typeof Places>> | undefined;
  return async (nice = 0) => {
    places ??= locate();
    places.catch(() => places = undefined);
    const { packages, esbuild } = await places;
    const [program = deno, ...args] = await confined(
      [
        deno,
        "run",
        ...config,
        `--allow-read=${packages},${file("../../../client/app")}`,
        `--allow-run=${esbuild}`,
        "--allow-env",
        "--allow-sys",
        // A nursery of this size has a compile collect its garbage once; with 4 MB, a tenth of its time went there.
        `--v8-flags=--max-old-space-size=${heap_mb},--max-semi-space-size=16,--initial-old-space-size=96,--expose-gc`,
        file("../worker/worker.ts"),
      ],
      { data_mb: heap_mb + CODE_MB + OTHER_MB, cpu_s: CPU_S, nice },
    );
    return new Deno.Command(program, {
      args,
      env: { ...env, ESBUILD_BINARY_PATH: esbuild, GOMEMLIMIT: GO_MEMORY_LIMIT },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    });
  };
}
