/**
 * Starts what the configuration and the arguments ask for: a server, a supervisor of several, or a command. Almost all
 * modules are loaded after `Deno.cron` has its registrations, because a hosting platform finds them by evaluating this file.
 */
import type { compose as composeServer } from "./server/compose.ts";
import { createLog } from "./server/log.ts";
import { registerSweep, registerTick } from "./server/process/cron_ticks.ts";

export const compose: typeof composeServer = async (...parts) =>
  (await import("./server/compose.ts")).compose(...parts);

if (import.meta.main) {
  const crons = Deno.args.length === 0 ? { sweep: registerSweep(), tick: registerTick() } : undefined;
  // With the configuration, so that both are loaded in one go.
  const [{ readConfig }, { giveUp, start }] = await Promise.all([
    import("./server/config.ts"),
    import("./server/process/start.ts"),
  ]);
  const log = createLog();
  try {
    const config = readConfig(Deno.env.toObject());
    await start(import.meta.url, config, log, crons);
  } catch (error) {
    giveUp(log, error);
  }
}
