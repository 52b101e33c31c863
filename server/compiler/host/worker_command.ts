/** The command that starts a compile worker, with its permissions and limits. */
import { fileURLToPath } from "node:url";
import { confined } from "../../subprocess/confined.ts";
import { CPU_S } from "../protocol.ts";
import { z } from "zod";

/** Writable memory that V8 reserves for machine code. */
const CODE_MB = 512;

/** Room for memory outside of V8's heap, three times what Deno uses. The total of 1 GB also bounds esbuild. */
const OTHER_MB = 256;

/** Beyond this Go collects garbage more often. Without it esbuild holds many times what it needs. */
const GO_MEMORY_LIMIT = "256MiB";

/** No subprocess finds the packages that this process has, or it does not run at all. */
export class PackagesNotFound extends Error {}

const Places = z.object({ packages: z.string(), esbuild: z.string() });

/**
 * @param env the worker's whole environment: where Deno keeps its files
 * @returns makes the command. Its parameter is the worker's `nice` value, from 0 to 19
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
    if (!success) {
      throw new PackagesNotFound(`the compiler's packages are not found: ${new TextDecoder().decode(stderr)}`);
    }
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
        // With semi-spaces of 16 MB a compile collects garbage once; with 4 MB it spent a tenth of its time on that.
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
