/** Starts one server, a supervisor of several, or a command. The modules of a server are loaded only where one starts. */
import type { compose } from "../compose.ts";
import type { Config } from "../config.ts";
import { surviveLostConnections } from "../database/connection/connection_loss.ts";
import { createLog, type Log, writeToConsole } from "../log.ts";
import { announceCredentials, finish, giveUp } from "./announcements.ts";
import type { Registered } from "./cron_ticks.ts";
import { type Atrium, proveFree, serve } from "./lifecycle.ts";

export { giveUp };
export { readConfig } from "../config.ts";

/** What `Deno.cron` calls. */
interface Crons {
  sweep: Registered;
  tick: Registered;
}

/** A process that is stopped soon after its start does not build runtimes. */
const PREPARE_AFTER_MS = 10_000;
/** The idle compile worker has ended by then: packing takes 200 MB. */
const PACK_AFTER_MS = 40_000;

/**
 * @param program the URL of the module that each process of a supervisor runs
 * @param crons undefined for a command
 * @param onReady called when the process handles signals by itself
 * @param is_packed whether this module is that of the packed server
 */
export async function start(
  program: string,
  config: Config,
  given: Log,
  crons: Crons | undefined,
  onReady: () => void,
  is_packed: boolean,
): Promise<void> {
  const { hosted, workers, process_number, dev } = config;
  const log = hosted && crons ? createLog(writeToConsole, Date.now, { at_once: true }) : given;
  surviveLostConnections(log);
  if (!crons) {
    const { runCommand } = await import("./commands.ts");
    finish(log, await runCommand(config, log, Deno.args));
  }
  if (workers > 1 && process_number === undefined) {
    const { supervise } = await import("./supervisor.ts");
    return await supervise(program, config, log, onReady);
  }
  if (hosted) return await startHosted(config, log, crons, onReady);
  if (process_number === undefined) proveFree(config);
  const atrium = await composed(config, log, { on_demand: (broken) => giveUp(log, new Error(broken)) });
  serve(config, atrium, log);
  onReady();
  await settleIn(config, atrium, log, crons);
  if ((process_number ?? 1) !== 1) return;
  await atrium.compiler.warm();
  void atrium.compiler.console.prepare();
  setTimeout(() => void atrium.compiler.prepare(), PREPARE_AFTER_MS);
  if (is_packed || dev) return;
  setTimeout(async () => {
    const { packServer } = await import("./packing.ts");
    await packServer(config, log);
  }, PACK_AFTER_MS);
}

/** Listens before anything else, because the host waits for that. The first requests wait until the server is composed. */
async function startHosted(config: Config, log: Log, crons: Crons, onReady: () => void): Promise<void> {
  const runaway = Promise.withResolvers<string>();
  const composing = composed(config, log, { runaway: runaway.resolve, on_demand: runaway.resolve });
  serve(config, inAMoment(composing), log, runaway.promise);
  onReady();
  const atrium = await composing;
  if (atrium.generated) announceCredentials(config, atrium.generated);
  if (!config.has_effects) log.info("triggers, calls and mail are off", { timeline: config.timeline });
  await settleIn(config, atrium, log, crons);
}

type Composed = Awaited<ReturnType<typeof composed>>;

/** The stores are opened while the other modules are loaded: most of the one is waiting, and most of the other is work. */
const composed: typeof compose = async (config, log, parts) => {
  const { createsDatabase, openStores } = await import("../database/stores.ts");
  const is_first_start = createsDatabase(config);
  const stores = openStores(config, log);
  // It may fail before `compose` waits for it.
  stores.catch(() => {});
  const { compose } = await import("../compose.ts");
  return await compose(config, log, { ...parts, stores, is_first_start });
};

function inAMoment(composing: Promise<Composed>): Atrium {
  let atrium: Composed | undefined;
  composing.then((composed) => atrium = composed, () => {});
  return {
    handler: async (request, info) => await (atrium ?? await composing).handler(request, info),
    generated: undefined,
    endStreams: () => atrium?.endStreams(),
    close: async () => await (await composing).close(),
  };
}

async function settleIn(config: Config, atrium: Composed, log: Log, { sweep, tick }: Crons): Promise<void> {
  sweep.begin(atrium.sweep, log);
  tick.begin(atrium.tick, log);
  warnOfShortToken(config, log);
  if (!atrium.generated) return;
  const { warnOfWeakPassword } = await import("./weak_admin_password.ts");
  // Its dictionaries are gone before a compile worker takes memory.
  await warnOfWeakPassword(config, log);
}

/** Shorter tokens can be found by trying. */
const SHORTEST_TOKEN = 16;

/** Scripts rely on `ADMIN_TOKEN`, so a short one is not refused. */
function warnOfShortToken({ admin: { token } }: Config, log: Log): void {
  if (token !== undefined && token.length < SHORTEST_TOKEN) {
    log.warn(`ADMIN_TOKEN is easy to guess: set one of at least ${SHORTEST_TOKEN} characters`);
  }
}
