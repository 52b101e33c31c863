/** The lines for the person or script that started the process. Everything else goes to the log. */
import { FolderLocked, NoFileLocks } from "../../db/embedded/embedded.ts";
import { DatabaseNotUnicode, DatabaseTooNew, DatabaseTooOld } from "../../db/migrate.ts";
import { type Config, ConfigError } from "../config.ts";
import { isStatementTimeout, refusalOfDatabase } from "../database/pg_errors.ts";
import { type Log, writeOut } from "../log.ts";

/** The process cannot do what it was started for. The message is a complete sentence for the person who started it. */
export class StartFault extends Error {}

/** Credentials that the first start generated. */
export interface Credentials {
  email: string;
  password?: string;
  token?: string;
}

/** The beginning of the line that scripts wait for. */
export const LISTENING = "listening on ";

/** Prints generated credentials, which are not shown again. */
export function announceCredentials({ base_url, hosted }: Config, { email, password, token }: Credentials): void {
  const lines = [
    "",
    "  Atrium is ready for its first admin.",
    "",
    `    address   ${base_url}`,
    `    sign in   ${base_url}/sign_in`,
    `    e-mail    ${email}`,
    ...password ? [`    password  ${password}`] : [],
    ...token ? [`    token     ${token}`] : [],
    "",
    ...password || token
      ? ["  Shown this once. Make new ones with `deno task password` and `deno task token`.", ""]
      : [],
  ];
  sayWith(hosted)(lines.map((line) => `${line}\n`).join(""));
}

/** A host collects what is written by the console, as one message. */
// deno-lint-ignore no-console
const sayWith = (hosted: boolean) => hosted ? (text: string) => console.info(text.trim()) : writeOut;

export function announceAddress({ host, port, hosted }: Config): void {
  const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  sayWith(hosted)(`${LISTENING}http://${shown}:${port}\n`);
}

/** Ends the process with exit code 0. @param result printed last */
export function finish(log: Log, result?: string): never {
  log.flush();
  if (result !== undefined) writeOut(`${result}\n`);
  Deno.exit(0);
}

/** Ends the process with exit code 1 and a sentence on standard error. */
export function giveUp(log: Log, error: unknown): never {
  log.flush();
  // deno-lint-ignore no-console
  console.error(faultSentence(error));
  Deno.exit(1);
}

/** Errors whose messages are complete sentences for the person who started the process. */
const SENTENCES = [
  ConfigError,
  StartFault,
  FolderLocked,
  NoFileLocks,
  DatabaseTooNew,
  DatabaseTooOld,
  DatabaseNotUnicode,
];

/** What may be wrong with a file or folder of the data folder. */
const FILE_FAULTS = [
  Deno.errors.NotFound,
  Deno.errors.PermissionDenied,
  Deno.errors.AlreadyExists,
  Deno.errors.NotADirectory,
  Deno.errors.IsADirectory,
];

/** Deno asks for all permissions before it opens such a file. */
const OF_THE_SYSTEM = /^Requires all access to /;

/** PostgreSQL's code. */
const DISK_FULL = "53100";

/** PostgreSQL's codes for a login, a database and rights that it does not accept. */
const REFUSED = /^(28...|3D000|42501)$/;

/** Why the process cannot start, for the person who started it. */
function faultSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const is_sentence = SENTENCES.some((kind) => error instanceof kind);
  if (is_sentence) return message;
  if (error instanceof Deno.errors.AddrInUse) return "The port is in use: choose another with PORT=…";
  if (error instanceof Deno.errors.NotCapable && OF_THE_SYSTEM.test(message)) {
    return "DATA_DIR is in a folder of the operating system, such as /proc or /dev, which Deno keeps closed: choose another";
  }
  if (FILE_FAULTS.some((kind) => error instanceof kind)) {
    return `A file or folder cannot be used (DATA_DIR names where they are): ${message}`;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === DISK_FULL) return `The disk is full: ${message}`;
  if (REFUSED.test(code)) return `PostgreSQL refuses DATABASE_URL: ${message}`;
  if (isStatementTimeout(error)) return `The database did not answer in time: ${message}`;
  if (refusalOfDatabase(error)?.status === 503) return `The database cannot be reached: ${message}`;
  return `Atrium cannot start: ${message}`;
}
