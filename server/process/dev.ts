/**
 * `deno task dev`: a build of the console that follows its sources, and a server that starts again when one of its own
 * files changes. The server is not started again for a file of the console.
 */
import { fileURLToPath } from "node:url";
import { V8_FLAGS } from "./v8_flags.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const DEV_DIST = new URL("../../client/.console_dev/", import.meta.url);

/** The watcher follows the sources only if the server is loaded from them. */
await Deno.remove(new URL("../packed/dist/manifest.json", import.meta.url)).catch(() => {});

const permissions = ["net", "env", "read", "write", "run", "sys"].map((name) => `--allow-${name}`);
const start = (args: string[], env: Record<string, string> = {}) =>
  new Deno.Command(Deno.execPath(), { args: ["run", ...args], env }).spawn();

const build = start(["-A", file("../compiler/console/build.ts"), "--watch"]);
const server = start(
  [V8_FLAGS, ...permissions, "--watch", file("../../main.ts")],
  { DEV: "1" },
);

/** Deno's watcher outlives a server that has stopped by itself. */
const GRACE_MS = 5_000;

function end(signal: Deno.Signal): void {
  for (const child of [server, build]) {
    try {
      child.kill(signal);
    } catch {
      // It has already ended.
    }
  }
}

/** Ends both, and removes the build: the server prefers it to the one that ships. */
async function stop(): Promise<void> {
  end("SIGTERM");
  const ended = Promise.all([server.status, build.status]);
  const timer = setTimeout(() => end("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
  await Deno.remove(DEV_DIST, { recursive: true }).catch(() => {});
  Deno.exit(0);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => void stop());
await Promise.race([server.status, build.status]);
await stop();
