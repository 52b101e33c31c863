/**
 * Starts what the configuration and the arguments ask for: a server, a supervisor of several, or a command. Almost all
 * modules are loaded after `Deno.cron` has its registrations, because a hosting platform finds them by evaluating this file.
 */
import type { compose as composeServer } from "./server/compose.ts";
import { createLog } from "./server/log.ts";
import { registerSweep, registerTick } from "./server/process/cron_ticks.ts";
import { onStopSignal } from "./server/process/stop_signal.ts";

/** Not literals where they are imported: Deno reads and analyzes what a literal names, even if it is never loaded. */
const SOURCES = {
  compose: "./server/compose.ts",
  packed: "./server/packed/packed.ts",
  start: "./server/process/start.ts",
};

const NOT_PACKED = "starts from its sources, slower than from the packed server: run deno task build";

export const compose: typeof composeServer = async (...parts) => (await import(SOURCES.compose)).compose(...parts);

/** Loads the packed server, if it was made of these sources. */
async function load() {
  const { findPacked }: typeof import("./server/packed/packed.ts") = await import(SOURCES.packed);
  const packed = await findPacked();
  const loaded: typeof import("./server/process/start.ts") = await import(packed.entry ?? SOURCES.start);
  return { packed, ...loaded };
}

if (import.meta.main) {
  const crons = Deno.args.length === 0 ? { sweep: registerSweep(), tick: registerTick() } : undefined;
  // A server that does not serve yet has nothing to finish: the next start continues what this one has begun.
  const onReady = crons ? onStopSignal(() => Deno.exit(0)) : () => {};
  const { packed, giveUp, readConfig, start } = await load();
  const log = createLog();
  try {
    const config = readConfig(Deno.env.toObject());
    if (config.hosted && packed.entry === undefined) log.warn(NOT_PACKED, { reason: packed.reason });
    await start(import.meta.url, config, log, crons, onReady, packed.entry !== undefined);
  } catch (error) {
    giveUp(log, error);
  }
}
