/**
 * Packs the server (see `packed/packed.ts`) beside one that runs from its sources, so that the next start takes less time.
 * That takes 1 s of processor time and 200 MB with esbuild, once for each state of the sources.
 */
import { PACK_SCRIPT } from "../compiler/compiler.ts";
import type { Config } from "../config.ts";
import { faultOf, type Log } from "../log.ts";
import { PACKED } from "../packed/packed.ts";
import { buildProcess } from "../subprocess/build_process.ts";

/** Never rejects: without it, the next start takes as long as this one. */
export async function packServer({ child_environment }: Pick<Config, "child_environment">, log: Log): Promise<void> {
  const build = buildProcess(Deno.execPath(), child_environment);
  addEventListener("unload", () => build.kill());
  try {
    await Array.fromAsync(build.run(PACK_SCRIPT, PACKED));
    log.info("server_packed");
  } catch (error) {
    log.info("server_not_packed", faultOf(error));
  }
}
