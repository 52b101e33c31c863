/**
 * `WORKERS=n`: a supervisor that starts n server processes on one port. It starts a process again that ended, forwards
 * the logs, and stops all processes when it is stopped itself. The operating system distributes the connections.
 */
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { announceAddress, finish, giveUp, StartFault } from "./announcements.ts";
import { proveFree } from "./lifecycle.ts";
import { keepRunning, type ServerProcess } from "./server_process.ts";
import { onStopSignal } from "./stop_signal.ts";

/**
 * @param program the URL of the module that each process runs
 * @param onReady called when it handles signals by itself
 * @throws {Deno.errors.AddrInUse}
 */
export async function supervise(program: string, config: Config, log: Log, onReady: () => void): Promise<void> {
  proveFree(config);
  const processes: ServerProcess[] = [];
  let is_stopping = false;

  const stopAll = async () => {
    is_stopping = true;
    await Promise.all(processes.map((process) => process.stop()));
  };
  onStopSignal(async (signal) => {
    if (is_stopping) return;
    log.info("stopping", { signal, processes: processes.length });
    await stopAll();
    finish(log);
  });
  onReady();

  const start = async (number: number) => {
    const process = keepRunning(program, number, log);
    processes.push(process);
    await process.listening;
  };
  try {
    // The first process migrates the database and generates the credentials. The others find both done.
    await start(1);
    await Promise.all(Array.from({ length: config.workers - 1 }, (_, index) => start(index + 2)));
  } catch {
    if (is_stopping) return;
    await stopAll();
    giveUp(log, new StartFault("A server process ended before it listened: its reason stands above"));
  }
  if (!is_stopping) announceAddress(config);
}
