/** The handlers of `Deno.cron`. They are registered at once and receive their work when the server is composed. */
import { faultOf, type Log } from "../log.ts";

export interface Registered {
  begin(work: () => Promise<unknown>, log: Log): void;
}

/** The first pass comes soon after the start, for due triggers and abandoned runs, but after the first requests. */
const FIRST_AFTER_MS = 500;

/** Runs the sweep every minute in every process. Row locks divide the work among the processes. */
export function registerSweep(): Registered {
  const sweep = waiting("sweep");
  void Deno.cron("sweep", "* * * * *", sweep.handler);
  return atOnce(sweep);
}

/** Runs the scheduler's tick every minute in every process. A claim in PostgreSQL decides which one starts a trigger. */
export function registerTick(): Registered {
  const tick = waiting("tick");
  void Deno.cron("tick", "* * * * *", tick.handler);
  return atOnce(tick);
}

const atOnce = ({ begin, handler }: ReturnType<typeof waiting>): Registered => ({
  begin(work, log) {
    begin(work, log);
    setTimeout(() => void handler(), FIRST_AFTER_MS);
  },
});

/** A hosting platform may start a process to call the handler. The handler waits until the server is composed. */
export function waiting(name: string): Registered & { handler(): Promise<void> } {
  const given = Promise.withResolvers<{ work: () => Promise<unknown>; log: Log }>();
  return {
    begin: (work, log) => given.resolve({ work, log }),
    async handler() {
      const { work, log } = await given.promise;
      try {
        await work();
      } catch (error) {
        log.warn(`${name} failed`, faultOf(error));
      }
    },
  };
}
