/**
 * `npx atrium-client types --url https://atrium.example.com > atrium.d.ts`. The token is `--token` or the environment's
 * `ATRIUM_TOKEN`.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { accountTypes } from "./account_types.ts";
import { AtriumError } from "./client.ts";
import { proceduresOf } from "./procedures.ts";
import { ROUTES } from "./routes.ts";
import { createTransport } from "./transport.ts";

const USAGE = `usage: atrium-client types --url <address of the server> [--token <API token>] > atrium.d.ts
Without --token, the token is the environment variable ATRIUM_TOKEN.`;

function stop(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function readOptions(): { url: string; token: string } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { url: { type: "string" }, token: { type: "string" } },
    });
    if (positionals.length !== 1 || positionals[0] !== "types" || !values.url) return stop(USAGE);
    const token = values.token ?? process.env.ATRIUM_TOKEN;
    if (!token) return stop("a token is needed: --token or ATRIUM_TOKEN");
    return { url: values.url, token };
  } catch {
    return stop(USAGE);
  }
}

try {
  process.stdout.write(await accountTypes(proceduresOf(ROUTES, createTransport(readOptions()))));
} catch (error) {
  if (!(error instanceof AtriumError)) throw error;
  stop(`${error.message} (${error.code})`);
}
