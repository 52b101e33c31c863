/**
 * Starts what the configuration and the arguments ask for: a server, a supervisor of several, or a command. Almost all
 * modules are loaded after `Deno.cron` has its registrations, because a hosting platform finds them by evaluating this file.
 */
import type { compose as composeServer } from "./server/compose.ts";
import { createLog } from "./server/log.ts";
import { registerSweep, registerTick } from "./server/process/cron_ticks.ts";

export const compose: typeof composeServer = async (...parts) =>
  (await import("./server/compose.ts")).compose(...parts);

/** Loads the packed server, if `deno task build` has made it of these sources. */
async function load(): Promise<typeof import("./server/process/start.ts")> {
  const { findPacked } = await import("./server/packed/packed.ts");
  const packed = await findPacked();
  return packed ? await import(packed) : await import("./server/process/start.ts");
}

if (import.meta.main) {
  const crons = Deno.args.length === 0 ? { sweep: registerSweep(), tick: registerTick() } : undefined;
  const { giveUp, readConfig, start } = await load();
  const log = createLog();
  try {
    const config = readConfig(Deno.env.toObject());
    await start(import.meta.url, config, log, crons);
  } catch (error) {
    giveUp(log, error);
  }
}
