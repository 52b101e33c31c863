/** `deno task account`: creates, lists and deletes accounts. */
import type { Pool } from "../database/pool.ts";
import { refusalOfDatabase } from "../database/pg_errors.ts";
import { deleteAccount, insertAccount, listAccounts } from "../domains/account/accounts.ts";
import { newPassword } from "../domains/account/first_start.ts";
import { updateAccount } from "../domains/account/queries.ts";
import { AccountName, Host } from "../domains/account/schema.ts";
import { newSecret } from "../domains/tokens/secret.ts";
import { Email } from "../input/shapes.ts";
import { RateLimits } from "../fairness/rate_limits.ts";
import { createPasswords } from "../secrets/passwords.ts";
import { StartFault } from "./announcements.ts";

export const ACCOUNT_USAGE = [
  "deno task account list",
  "deno task account create --name=<name> [--host=<host>] [--email=<of the first admin>]",
  'deno task account limits <id> --limits=\'{"requests":12000,"compiles":null}\'',
  "deno task account remove <id> --name=<its name, as a confirmation>",
];

const NO_ACCOUNT = "there is no account yet: start the server once";

export interface AccountOptions {
  name?: string | undefined;
  host?: string | undefined;
  email?: string | undefined;
  limits?: string | undefined;
}

/** @returns the text to print @throws {StartFault} */
export async function runAccountCommand(
  sql: Pool,
  [action = "list", id, ...others]: readonly string[],
  options: AccountOptions,
): Promise<string> {
  const { name, host, email, limits } = options;
  const takes = others.length === 0 && (id === undefined || action === "remove" || action === "limits");
  if (takes && action === "list" && Object.keys(options).length === 0) return await list(sql);
  if (takes && action === "create" && name !== undefined) return await create(sql, { name, host, email });
  const limited = takes && action === "limits" && limits !== undefined && Object.keys(options).length === 1;
  if (limited && /^\d{1,9}$/.test(id ?? "")) return await limit(sql, Number(id), limits);
  const removes = takes && action === "remove" && name !== undefined && host === undefined && email === undefined;
  if (removes && /^\d{1,9}$/.test(id ?? "")) return await remove(sql, Number(id), name);
  throw new StartFault(`usage:\n${ACCOUNT_USAGE.map((line) => `  ${line}`).join("\n")}`);
}

async function list(sql: Pool): Promise<string> {
  const accounts = await listAccounts(sql);
  if (accounts.length === 0) return NO_ACCOUNT;
  return accounts.map(({ id, name, host, users }) =>
    `${id}  ${name}  ${host ?? "no host"}  ${users} ${users === 1 ? "user" : "users"}`
  ).join("\n");
}

async function create(sql: Pool, given: AccountOptions): Promise<string> {
  const name = checked("name", AccountName.safeParse(given.name));
  const host = given.host === undefined ? null : checked("host", Host.safeParse(given.host));
  const email = checked("email", Email.safeParse(given.email ?? "admin@localhost"));
  if ((await listAccounts(sql)).length === 0) throw new StartFault(NO_ACCOUNT);
  const [password, token] = [newPassword(), newSecret()];
  const password_hash = await createPasswords().hash(password);
  try {
    const id = await sql.begin((sql) => insertAccount(sql, { name, host, email, password_hash, token }));
    const signs_in = host === null
      ? "with the token only, until the account has a host: PATCH /account.json"
      : `at the host ${host}`;
    return [
      `account   ${id}`,
      `e-mail    ${email}`,
      `password  ${password}`,
      `token     ${token}`,
      `sign in   ${signs_in}`,
    ].join("\n");
  } catch (error) {
    const fields = refusalOfDatabase(error)?.fields;
    if (fields?.host) throw new StartFault(`--host ${fields.host.join(", ")}`);
    throw error;
  }
}

/** Replaces the account's own limits. */
async function limit(sql: Pool, id: number, given: string): Promise<string> {
  const rate_limits = checked("limits", RateLimits.safeParse(parsed(given)));
  if (!await updateAccount(sql, id, { rate_limits })) throw new StartFault(`there is no account ${id}`);
  return `account ${id} has the limits ${JSON.stringify(rate_limits)}; the others are the defaults of docs/limits.md`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartFault("--limits is not JSON");
  }
}

async function remove(sql: Pool, id: number, name: string): Promise<string> {
  const outcome = await deleteAccount(sql, id, name);
  if (outcome === "deleted") return `account ${id} is removed, with everything in it`;
  throw new StartFault(
    outcome === "default"
      ? "the default account, which is the oldest one, cannot be removed"
      : `there is no account ${id} named ${name}`,
  );
}

/** @throws {StartFault} */
function checked<T>(option: string, { data }: { data?: T | undefined }): T {
  if (data === undefined) throw new StartFault(`--${option} is not valid`);
  return data;
}
