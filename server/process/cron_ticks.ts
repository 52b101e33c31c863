/** The handlers of `Deno.cron`. They are registered at once and receive their work when the server is composed. */
import { faultOf, type Log } from "../log.ts";

export interface Registered {
  begin(work: () => Promise<unknown>): void;
}

/** The first pass comes soon after the start, for due triggers and abandoned runs, but after the first requests. */
const FIRST_AFTER_MS = 500;

/** Runs the sweep every minute in every process. Row locks divide the work among the processes. */
export function registerSweep(log: Log): Registered {
  const sweep = waiting("sweep", log);
  void Deno.cron("sweep", "* * * * *", sweep.handler);
  return atOnce(sweep);
}

/** Runs the scheduler's tick every minute in every process. A claim in PostgreSQL decides which one starts a trigger. */
export function registerTick(log: Log): Registered {
  const tick = waiting("tick", log);
  void Deno.cron("tick", "* * * * *", tick.handler);
  return atOnce(tick);
}

const atOnce = ({ begin, handler }: ReturnType<typeof waiting>): Registered => ({
  begin(work) {
    begin(work);
    setTimeout(() => void handler(), FIRST_AFTER_MS);
  },
});

/** A hosting platform may start a process to call the handler. The handler waits until the server is composed. */
export function waiting(name: string, log: Log): Registered & { handler(): Promise<void> } {
  const given = Promise.withResolvers<() => Promise<unknown>>();
  return {
    begin: given.resolve,
    async handler() {
      const work = await given.promise;
      try {
        await work();
      } catch (error) {
        log.warn(`${name} failed`, faultOf(error));
      }
    },
  };
}
