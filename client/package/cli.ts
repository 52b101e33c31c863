/**
 * The commands of the npm package: `npx atrium-client types | pull | push | dev | export | import`. Tasks of deno.json
 * run the same: `pull`, `push`, `dev:app`, `export` and `import`.
 */
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { accountTypes } from "./account_types.ts";
import { dev } from "./archive/dev.ts";
import { Fault } from "./archive/files.ts";
import { pull } from "./archive/pull.ts";
import { push } from "./archive/push.ts";
import { exportAccount, importAccount } from "./archive/whole.ts";
import { AtriumError } from "./client.ts";
import { proceduresOf } from "./procedures.ts";
import { ROUTES } from "./routes.ts";
import { createTransport, type Transport } from "./transport.ts";

const USAGE = `usage: atrium-client <command> --url <address of the server> [--token <API token>]

  types                 writes the TypeScript types of the account's databases and actions to the output
  pull <folder>         brings a folder up to the account's state: a file for each app, database, flow, …
      --records         also writes the records of databases
  push <folder>         shows what the folder would change on the server, asks, and changes all of it or nothing
      --dry-run         only shows it
      --yes             does not ask
      --delete          deletes on the server what was deleted in the folder
      --base <folder>   compares with another folder, such as a checkout of what was deployed last
  dev <app> [<folder>]  watches an app's files, and saves each change that compiles
  export <file>         writes the whole account into a tar archive
      --records         with the records of databases
      --runs            with ended runs of flows
  import <file>         makes an empty account the one of an archive

Without --url, the address is the environment variable ATRIUM_URL or BASE_URL; without --token, the token is ATRIUM_TOKEN
or ADMIN_TOKEN. All but types need a token of an admin.`;

const OPTIONS = {
  url: { type: "string" },
  token: { type: "string" },
  records: { type: "boolean", default: false },
  runs: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  delete: { type: "boolean", default: false },
  base: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;
const OF_COMMAND: Readonly<Record<string, readonly string[]>> = {
  types: [],
  pull: ["records"],
  push: ["dry-run", "yes", "delete", "base"],
  dev: [],
  export: ["records", "runs"],
  import: [],
};
/** 19 to 38 s: a server that has just started compiles its first sources for long. */
const RETRIES = 6;
/** How many arguments each command takes. */
const TAKES: Readonly<Record<string, readonly [number, number]>> = {
  types: [0, 0],
  pull: [1, 1],
  push: [1, 1],
  dev: [1, 2],
  export: [1, 1],
  import: [1, 1],
};

/** Sources and names of others are printed: without what a terminal obeys, and what turns the direction of writing. */
// deno-lint-ignore no-control-regex -- these are what is removed
const printable = (text: string) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "");

const say = (line: string) => void process.stdout.write(`${printable(line)}\n`);

function stop(text: string): never {
  process.stderr.write(`${printable(text)}\n`);
  process.exit(1);
}

function readCommand() {
  const { env } = process;
  const { values, positionals: [command = "", ...args] } = parse();
  const { url = env.ATRIUM_URL || env.BASE_URL, token = env.ATRIUM_TOKEN || env.ADMIN_TOKEN, ...chosen } = values;
  if (chosen.help) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
  const [least, most] = TAKES[command] ?? [1, 0];
  const [strange] = Object.entries(chosen).find(([name, value]) => value && !OF_COMMAND[command]?.includes(name)) ?? [];
  if (args.length < least || args.length > most) return stop(USAGE);
  if (strange) return stop(`${command} takes no --${strange}\n\n${USAGE}`);
  if (!url) return stop("the server's address is needed: --url or ATRIUM_URL");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return stop(`${url} is not an address: it begins with https://`);
  if (!token) return stop("a token is needed: --token or ATRIUM_TOKEN");
  return { command, args, url, token, chosen };
}

function parse() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    return stop(`${error instanceof Error ? `${error.message}\n\n` : ""}${USAGE}`);
  }
}

/** `fetch` that says once that it tries again after a request without an answer. */
function sayingOnce(url: string): typeof fetch {
  let [has_failed, is_said] = [false, false];
  return async (...request) => {
    if (has_failed && !is_said) {
      process.stderr.write(`${printable(url)} does not answer; trying again for up to 40 seconds\n`);
      is_said = true;
    }
    try {
      return await fetch(...request);
    } catch (error) {
      has_failed = true;
      throw error;
    }
  };
}

async function agree(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    process.stderr.write("there is nobody to ask: --yes applies the changes\n");
    return false;
  }
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question("Apply these changes? [y/N] ");
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** @returns whether the command has done what was asked */
async function run(
  transport: Transport,
  { command, args, url, chosen }: ReturnType<typeof readCommand>,
): Promise<boolean> {
  const [first = "", folder = "."] = args;
  const { env: environment } = process;
  switch (command) {
    case "types":
      process.stdout.write(await accountTypes(proceduresOf(ROUTES, transport)));
      return true;
    case "pull":
      return await pull(transport, { folder: first, url, records: chosen.records }, say);
    case "push":
      return await push(transport, {
        folder: first,
        url,
        delete: chosen.delete,
        dry_run: chosen["dry-run"],
        base: chosen.base,
        environment,
        agree: chosen.yes ? () => Promise.resolve(true) : agree,
      }, say);
    case "export":
      await exportAccount(transport, { file: first, records: chosen.records, runs: chosen.runs }, say);
      return true;
    case "import":
      await importAccount(transport, first, say);
      return true;
    default:
      await dev(transport, { app: first, folder, url, environment }, say);
      return true;
  }
}

try {
  const command = readCommand();
  const transport = createTransport({ ...command, retries: RETRIES, fetch: sayingOnce(command.url) });
  const done = await run(transport, command);
  if (!done) process.exitCode = 1;
} catch (error) {
  if (error instanceof Fault) stop(error.message);
  // A file of the user's, such as one where a folder is needed.
  if (error instanceof Error && "syscall" in error) stop(error.message);
  if (!(error instanceof AtriumError)) throw error;
  const fields = Object.entries(error.fields ?? {}).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`)
  );
  stop(fields.join("\n") || `${error.message} (${error.code})`);
}
