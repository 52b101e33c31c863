import { fileURLToPath } from "node:url";
import { z } from "zod";

const Places = z.object({ packages: z.string(), esbuild: z.string() });

/**
 * How a worker is started, with what it may do.
 *
 * @param env all of its environment: where Deno keeps its files
 */
export function workerCommand(
  deno: string,
  heap_mb: number,
  env: Readonly<Record<string, string>>,
): () => Promise<Deno.Command> {
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const config = ["--quiet", "--no-prompt", `--config=${file("../../deno.json")}`];

  async function locate() {
    const args = ["run", ...config, "--allow-read", "--allow-env", file("locate.ts")];
    const { success, stdout, stderr } = await new Deno.Command(deno, { args, env, clearEnv: true }).output();
    if (!success) throw new Error(`the compiler's packages are not found: ${new TextDecoder().decode(stderr)}`);
    return Places.parse(JSON.parse(new TextDecoder().decode(stdout)));
  }

  let places: Promise<z.output<typeof Places>> | undefined;
  return async () => {
    places ??= locate();
    places.catch(() => places = undefined);
    const { packages, esbuild } = await places;
    return new Deno.Command(deno, {
      args: [
        "run",
        ...config,
        `--allow-read=${packages},${file("../../client/app")}`,
        `--allow-run=${esbuild}`,
        "--allow-env",
        "--allow-sys",
        // A small nursery: with V8's own, an idle worker holds 50 MB of garbage, and compiles no faster for it.
        `--v8-flags=--max-old-space-size=${heap_mb},--max-semi-space-size=4`,
        file("worker.ts"),
      ],
      env: { ...env, ESBUILD_BINARY_PATH: esbuild },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    });
  };
}
