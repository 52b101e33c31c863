/** What `Deno.cron` wakes: registered at top level, given its work once everything is made. */
import { faultOf, type Log } from "./log.ts";

export interface Registered {
  begin(work: () => Promise<void>): void;
}

/** Every minute, in every process: whoever comes first does the work. */
export function registerSweep(log: Log): Registered {
  let work: (() => Promise<void>) | undefined;
  void Deno.cron("sweep", "* * * * *", async () => {
    try {
      await work?.();
    } catch (error) {
      log.warn("sweep failed", faultOf(error));
    }
  });
  return { begin: (given) => void (work = given) };
}
