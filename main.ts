/** Composes and serves. */
import { runCommand } from "./server/process/commands.ts";
import { compose } from "./server/compose.ts";
import { readConfig } from "./server/config.ts";
import { registerSweep, registerTick } from "./server/process/cron_ticks.ts";
import { surviveLostConnections } from "./server/database/connection_loss.ts";
import { createLog } from "./server/log.ts";
import { finish, giveUp, proveFree, serve } from "./server/process/lifecycle.ts";

export { compose };

/** Whoever starts a server for a moment does not want what it prepares for later. */
const PREPARE_AFTER_MS = 10_000;

if (import.meta.main) {
  const log = createLog();
  surviveLostConnections(log);
  try {
    const config = readConfig(Deno.env.toObject());
    if (Deno.args.length > 0) finish(log, await runCommand(config, log, Deno.args));
    // Before anything is awaited: a hosting platform reads the registrations, and serves later.
    const [sweep, tick] = [registerSweep(log), registerTick(log)];
    proveFree(config);
    const atrium = await compose(config, log);
    serve(config, atrium, log);
    sweep.begin(atrium.sweep);
    tick.begin(atrium.tick);
    if (!config.hosted) {
      await atrium.compiler.warm();
      setTimeout(() => void atrium.compiler.prepare(), PREPARE_AFTER_MS);
    }
  } catch (error) {
    giveUp(log, error);
  }
}
