/** The life of the process: its first words, its last ones, and what it says when it cannot start. */
import { FolderLocked } from "../../db/embedded/embedded.ts";
import { DatabaseTooNew, DatabaseTooOld } from "../../db/migrate.ts";
import { type Config, ConfigError } from "../config.ts";
import { CommandFault } from "./commands.ts";
import { refusalOfDatabase } from "../database/pg_errors.ts";
import type { Generated } from "../domains/account/first_start.ts";
import { createGate, type Gate } from "./gate.ts";
import { faultOf, type Log } from "../log.ts";

/** All that a stop may take; hosting platforms kill after 5 s. */
const DRAIN_MS = 4_500;

/** What was generated is printed here once, then the one line that scripts wait for. */
function announce({ base_url, host, port }: Config, generated: Generated | undefined): void {
  const lines: string[] = [];
  if (generated) {
    lines.push(
      "",
      "  Atrium is ready for its first admin.",
      "",
      `    address   ${base_url}`,
      `    e-mail    ${generated.email}`,
    );
    if (generated.password) lines.push(`    password  ${generated.password}`);
    if (generated.token) lines.push(`    token     ${generated.token}`);
    lines.push("", "  Shown this once. Make new ones with `deno task password` and `deno task token`.", "");
  }
  const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  lines.push(`listening on http://${shown}:${port}`);
  say(lines.join("\n"));
}

/**
 * Before anything is made: a first start that failed at the port would have made an admin that nobody was told of.
 *
 * @throws {Deno.errors.AddrInUse}
 */
export const proveFree = ({ host: hostname, port, hosted }: Config) =>
  hosted || Deno.listen({ hostname, port }).close();

/** For the person or script that started the process; everything else goes to the log. */
function say(text: string, to: { writeSync(bytes: Uint8Array): number } = Deno.stdout): void {
  to.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** What `compose` made, as far as serving it needs. */
interface Atrium {
  handler: (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;
  generated: Generated | undefined;
  endStreams(): void;
  close(): Promise<void>;
}

/** Listens, says so, and ends with the process's signals. */
export function serve(config: Config, atrium: Atrium, log: Log): void {
  const { handler, generated } = atrium;
  const gate = createGate(handler);
  const onListen = () => announce(config, generated);
  const server = Deno.serve({ hostname: config.host, port: config.port, onListen }, gate.handler);
  shutDownOnSignal(server, gate, atrium, log);
}

/** SIGTERM and SIGINT: take nothing new, finish what is in flight, close everything, exit 0. */
function shutDownOnSignal(server: Deno.HttpServer, gate: Gate, { endStreams, close }: Atrium, log: Log): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info("stopping", { signal });
    const end = setTimeout(() => finish(log), DRAIN_MS);
    try {
      const finished = gate.close();
      endStreams();
      await finished;
      await server.shutdown();
      await close();
    } catch (error) {
      log.error("stopping failed", faultOf(error));
    }
    clearTimeout(end);
    finish(log);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    if (Deno.build.os === "windows" && signal === "SIGTERM") continue;
    Deno.addSignalListener(signal, () => void stop(signal));
  }
}

/** @param last words, for whoever started the process */
export function finish(log: Log, last?: string): never {
  log.flush();
  if (last !== undefined) say(last);
  Deno.exit(0);
}

/** One clear line, and nothing is left half started. */
export function giveUp(log: Log, error: unknown): never {
  log.flush();
  say(faultSentence(error), Deno.stderr);
  Deno.exit(1);
}

/** Why the process cannot start, in one line for the person who started it. */
function faultSentence(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandFault || error instanceof FolderLocked) {
    return error.message;
  }
  if (error instanceof DatabaseTooNew || error instanceof DatabaseTooOld) return error.message;
  if (error instanceof Deno.errors.AddrInUse) return "The port is in use: choose another with PORT=…";
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.AlreadyExists) {
    return `A file or folder cannot be used (DATA_DIR names where they are): ${error.message}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (refusalOfDatabase(error)?.status === 503) return `The database cannot be reached: ${message}`;
  return `Atrium cannot start: ${message}`;
}
