/** Starts a compile worker as a thread, with permission to read the packages and the server's sources. */
import { fileURLToPath } from "node:url";
import { startThread } from "../../subprocess/thread.ts";
import type { Subprocess } from "../../subprocess/subprocess.ts";

/** Never called. Without the import the packages are not found here. */
export const keepsKnown = () => import("esbuild-wasm/esm/browser.js");

/** @param runaway see `ThreadOptions` */
export const startCompileThread = (memory_mb: number, runaway: (reason: string) => void): Subprocess =>
  startThread({
    module: new URL("./thread.ts", import.meta.url),
    permissions: permissionsOfThread(),
    memory_mb,
    runaway,
  });

export function permissionsOfThread(): Deno.PermissionOptionsObject {
  const wasm = fileURLToPath(import.meta.resolve("esbuild-wasm/esm/browser.js"));
  const [packages = ""] = wasm.split(/[/\\]esbuild-wasm[/\\]/);
  const sources = ["../../../server", "../../../client/app", "../../../deno.json"];
  return {
    read: [packages, ...sources.map((path) => new URL(path, import.meta.url))],
    sys: true,
    env: false,
    ffi: false,
    import: false,
    net: false,
    run: false,
    write: false,
  };
}
