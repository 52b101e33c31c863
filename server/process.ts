/** The life of the process: its first words, its last ones, and what it says when it cannot start. */
import { FolderLocked } from "../db/embedded.ts";
import { DatabaseTooNew, DatabaseTooOld } from "../db/migrate.ts";
import { type Config, ConfigError } from "./config.ts";
import { refusalOfDatabase } from "./database_errors.ts";
import type { Generated } from "./domains/account/first_start.ts";
import { faultOf, type Log } from "./log.ts";

/** In-flight requests may take this long after a signal; hosting platforms kill soon after. */
const DRAIN_MS = 5_000;

/** What was generated is printed here once, then the one line that scripts wait for. */
export function announce({ base_url, host, port }: Config, generated: Generated | undefined): void {
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

/** SIGTERM and SIGINT: take nothing new, finish what is in flight, close everything, exit 0. */
export function shutDownOnSignal(server: Deno.HttpServer, close: () => Promise<void>, log: Log): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info("stopping", { signal });
    const end = setTimeout(() => finish(log), DRAIN_MS);
    try {
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
  if (error instanceof ConfigError || error instanceof FolderLocked) return error.message;
  if (error instanceof DatabaseTooNew || error instanceof DatabaseTooOld) return error.message;
  if (error instanceof Deno.errors.AddrInUse) return "The port is in use: choose another with PORT=…";
  if (error instanceof Deno.errors.PermissionDenied) return `Not permitted: ${error.message}`;
  const message = error instanceof Error ? error.message : String(error);
  if (refusalOfDatabase(error)?.status === 503) return `The database cannot be reached: ${message}`;
  return `Atrium cannot start: ${message}`;
}
