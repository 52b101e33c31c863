/** Starts what the configuration and the arguments ask for: a server, a supervisor of several, or a command. */
import { compose } from "./server/compose.ts";
import { readConfig } from "./server/config.ts";
import { surviveLostConnections } from "./server/database/connection_loss.ts";
import { createLog } from "./server/log.ts";
import { finish, giveUp } from "./server/process/announcements.ts";
import { runCommand } from "./server/process/commands.ts";
import { registerSweep, registerTick } from "./server/process/cron_ticks.ts";
import { proveFree, serve } from "./server/process/lifecycle.ts";
import { supervise } from "./server/process/supervisor.ts";
import { warnOfWeakPassword } from "./server/process/weak_admin_password.ts";

export { compose };

/** A process that is stopped soon after its start does not build runtimes. */
const PREPARE_AFTER_MS = 10_000;

if (import.meta.main) {
  const log = createLog();
  surviveLostConnections(log);
  try {
    const config = readConfig(Deno.env.toObject());
    const { hosted, workers, process_number } = config;
    if (Deno.args.length > 0) finish(log, await runCommand(config, log, Deno.args));
    else if (workers > 1 && process_number === undefined) await supervise(import.meta.url, config, log);
    else {
      // Registered before the first await: a hosting platform evaluates only this part to find them.
      const [sweep, tick] = [registerSweep(log), registerTick(log)];
      if (process_number === undefined) proveFree(config);
      const atrium = await compose(config, log);
      serve(config, atrium, log);
      if (atrium.generated) void warnOfWeakPassword(config, log);
      sweep.begin(atrium.sweep);
      tick.begin(atrium.tick);
      if (!hosted && (process_number ?? 1) === 1) {
        await atrium.compiler.warm();
        void atrium.compiler.console.prepare();
        setTimeout(() => void atrium.compiler.prepare(), PREPARE_AFTER_MS);
      }
    }
  } catch (error) {
    giveUp(log, error);
  }
}
