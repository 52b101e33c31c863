/** How a server process begins to listen, and how it stops: nothing new is accepted, requests in flight are finished. */
import type { Config } from "../config.ts";
import { faultOf, type Log } from "../log.ts";
import { announceAddress, announceCredentials, type Credentials, finish, StartFault } from "./announcements.ts";
import { serveGuarded } from "./guarded_server.ts";
import { createGate, type Gate } from "./gate.ts";
import { onStopSignal } from "./stop_signal.ts";

/** The time for a graceful stop. Hosting platforms kill a process 5 s after SIGTERM. */
const DRAIN_MS = 4_500;

/**
 * Called before anything is created, so that a server whose port is in use leaves nothing behind.
 *
 * @throws {Deno.errors.AddrInUse}
 * @throws {StartFault} if HOST is no address of this machine, or PORT needs more rights
 */
export function proveFree({ host: hostname, port, hosted }: Config): void {
  if (hosted) return;
  try {
    Deno.listen({ hostname, port }).close();
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) throw error;
    throw new StartFault(`The server cannot listen on HOST=${hostname}, PORT=${port}: ${faultOf(error).fault}`);
  }
}

/** The part of what `compose` returns that serving needs. */
export interface Atrium {
  handler: (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;
  generated: Credentials | undefined;
  endStreams(): void;
  close(): Promise<void>;
}

interface Server {
  shutdown(): Promise<void>;
}

/**
 * Listens, announces it, and stops on a signal. Generated credentials are printed even if the port was taken meanwhile:
 * they are stored already.
 *
 * @param fault resolves with a reason to stop, if there is one
 */
export function serve(config: Config, atrium: Atrium, log: Log, fault?: Promise<string>): void {
  const gate = createGate(atrium.handler);
  if (atrium.generated) announceCredentials(config, atrium.generated);
  const onListen = () => announceAddress(config);
  const is_one_of_several = config.process_number !== undefined;
  // Before it listens: a script may send SIGTERM as soon as it reads the line.
  const stop = stopper(() => server, gate, atrium, log);
  onStopSignal(stop);
  void fault?.then(stop);
  const address = { hostname: config.host, port: config.port, reusePort: is_one_of_several };
  const server = config.hosted || config.trusted_proxies > 0
    ? Deno.serve({ ...address, onListen }, gate.handler)
    : serveGuarded(address, gate.handler, log);
  if (!("finished" in server)) onListen();
  if (is_one_of_several) void supervisorEnded().then(() => stop("the supervisor ended"));
}

/** @returns stops gracefully and ends the process with exit code 0; further calls change nothing */
function stopper(serverOf: () => Server, gate: Gate, { endStreams, close }: Atrium, log: Log) {
  let is_stopping = false;
  return async (reason: string) => {
    if (is_stopping) return;
    is_stopping = true;
    log.info("stopping", { signal: reason });
    const limit = setTimeout(() => {
      log.warn("stopping cut off", { after_ms: DRAIN_MS });
      finish(log);
    }, DRAIN_MS);
    try {
      const finished = gate.close();
      endStreams();
      await finished;
      await serverOf().shutdown();
      await close();
    } catch (error) {
      log.error("stopping failed", faultOf(error));
    }
    clearTimeout(limit);
    finish(log);
  };
}

/** Standard input is a pipe from the supervisor. The operating system closes it when the supervisor ends. */
async function supervisorEnded(): Promise<void> {
  const bytes = new Uint8Array(16);
  while (await Deno.stdin.read(bytes).catch(() => null) !== null);
}
