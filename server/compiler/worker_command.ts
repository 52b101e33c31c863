import { fileURLToPath } from "node:url";
import { z } from "zod";

const Places = z.object({ packages: z.string(), esbuild: z.string() });

/** How a worker is started, with what it may do and nothing of the server's environment but where Deno keeps files. */
export function workerCommand(deno: string, heap_mb: number): () => Promise<Deno.Command> {
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const config = ["--quiet", "--no-prompt", `--config=${file("../../deno.json")}`];
  const kept = [
    "DENO_DIR",
    "HOME",
    "XDG_CACHE_HOME",
    "LOCALAPPDATA",
    "USERPROFILE",
    "SystemRoot",
    "NPM_CONFIG_REGISTRY",
  ];
  const env = Object.fromEntries(kept.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));

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
        `--allow-read=${packages}`,
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
