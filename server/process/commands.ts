/**
 * The commands `deno task migrate`, `token`, `password`, `account`, `rotate-secrets` and `adopt-kv`. They open the
 * database without a server. Unknown options and arguments are refused: `--help` would otherwise become the name of a token.
 */
import { parseArgs } from "node:util";
import { migrate } from "../../db/migrate.ts";
import { COMMAND } from "../actor.ts";
import type { Config } from "../config.ts";
import { rotateEmbeddingKeys } from "../domains/embedding/rotate.ts";
import { rotateWebhookSecrets } from "../domains/crons/webhooks/secrets.ts";
import { rotateSecrets } from "../connectors/connectors.ts";
import { rotateRunSecrets } from "../flow/flow.ts";
import { actingPool } from "../database/acting.ts";
import { openKv } from "../database/kv/kv.ts";
import { adoptStore } from "../database/kv/identity.ts";
import { openDatabase, type Pool } from "../database/pool.ts";
import { findFirstAdmin, newPassword } from "../domains/account/first_start.ts";
import { leaveOidcOnly } from "../domains/account/queries.ts";
import { deleteReset } from "../domains/passwords/queries.ts";
import { insertToken } from "../domains/tokens/queries.ts";
import { hashOf, newSecret } from "../domains/tokens/secret.ts";
import { findUserByEmail, updateUserSetting } from "../domains/user_settings/queries.ts";
import { openKeys } from "../secrets/keys.ts";
import { hasStoredSecrets } from "../secrets/stored_secrets.ts";
import type { Log } from "../log.ts";
import { ACCOUNT_USAGE, runAccountCommand } from "./account_command.ts";
import { StartFault } from "./announcements.ts";
import { deleteSessions } from "../domains/sessions/queries.ts";
import { createPasswords } from "../secrets/passwords.ts";

interface Given {
  sql: Pool;
  /** Names of the migrations that were applied just now. */
  applied: string[];
  positionals: string[];
  options: Readonly<Record<string, string | undefined>>;
  config: Config;
}

interface Command {
  usage: string[];
  /** The most arguments besides options. */
  positionals: number;
  /** Options with a value: `--name=x`. */
  options?: readonly string[];
  run(given: Given): Promise<string> | string;
}

const NO_ADMIN = "there is no admin yet: start the server once";
const OPENED = "members may sign in with passwords and passkeys again: oidc_only is switched off";

const commands: Record<string, Command> = {
  /** Applies missing migrations. */
  migrate: {
    usage: ["deno task migrate"],
    positionals: 0,
    run: ({ applied }) => applied.length > 0 ? `applied ${applied.join(", ")}` : "the database is up to date",
  },

  /** Creates a token of the first admin. Existing tokens stay valid. The argument is its name. */
  token: {
    usage: ["deno task token [name]"],
    positionals: 1,
    async run({ sql, positionals: [name = "deno task token"] }) {
      const admin = await findFirstAdmin(sql);
      if (!admin) throw new StartFault(NO_ADMIN);
      const { account_id, id: user_id } = admin;
      const secret = newSecret();
      await insertToken(sql, { account_id, user_id, name, hash: hashOf(secret), scopes: null, expires_at: null });
      return secret;
    },
  },

  /**
   * Sets a new password of the first admin, or of the user with the e-mail address in the argument. The user's sessions and
   * its link to reset the password end. It is the way back into an account that signs in with OpenID Connect only: that
   * setting is switched off. Both changes are in the audit log.
   */
  password: {
    usage: ["deno task password [e-mail address]"],
    positionals: 1,
    async run({ sql, positionals: [email] }) {
      const user = email ? await findUserByEmail(sql, email) : await findFirstAdmin(sql);
      if (!user) throw new StartFault(email ? `there is no user ${email}` : NO_ADMIN);
      const password = newPassword();
      const password_hash = await createPasswords().hash(password);
      const { account_id, id } = user;
      const is_opened = await sql.begin(async (sql) => {
        await updateUserSetting(sql, account_id, id, { password_hash });
        await deleteSessions(sql, account_id, id, null);
        await deleteReset(sql, account_id, id);
        return await leaveOidcOnly(sql, account_id);
      });
      const printed = `${user.email} ${password}`;
      return is_opened ? `${printed}\n${OPENED}` : printed;
    },
  },

  account: {
    usage: ACCOUNT_USAGE,
    positionals: 2,
    options: ["name", "host", "email", "limits"],
    run: ({ sql, positionals, options }) => runAccountCommand(sql, positionals, options),
  },

  /**
   * Encrypts again what an old key has encrypted: secrets of connectors, embedding keys, webhooks and runs. Runs in progress
   * encrypt theirs when they wait or end; then the old key may be removed.
   */
  "rotate-secrets": {
    usage: ["deno task rotate-secrets"],
    positionals: 0,
    async run({ sql, config }) {
      const keys = await openKeys(config, () => hasStoredSecrets(sql));
      const kinds = [
        { of: "connectors", ...await rotateSecrets(sql, keys) },
        { of: "embedding keys", ...await rotateEmbeddingKeys(sql, keys) },
        { of: "webhooks", ...await rotateWebhookSecrets(sql, keys) },
        { of: "runs", ...await rotateRunSecrets(sql, keys) },
      ];
      const rotated = kinds.reduce((sum, kind) => sum + kind.rotated, 0);
      const done = `${rotated} ${rotated === 1 ? "secret" : "secrets"} written anew with the key ${keys.writing}`;
      const left = kinds.filter(({ unreadable }) => unreadable.length > 0);
      if (left.length === 0) return done;
      const count = left.reduce((sum, { unreadable }) => sum + unreadable.length, 0);
      const shown = left.map(({ of, unreadable }) => `${of} ${unreadable.slice(0, 20).join(", ")}`).join("; ");
      throw new StartFault(`${done}; no key reads ${count} (${shown}): add the key that wrote them`);
    },
  },

  /** Makes the Deno KV store of this configuration the database's own, after the old one was lost. */
  "adopt-kv": {
    usage: ["deno task adopt-kv"],
    positionals: 0,
    async run({ sql, config }) {
      using kv = await openKv(config);
      await adoptStore(sql, kv);
      return "this Deno KV store now belongs to the database; runs that were in progress in the old one are lost";
    },
  },
};

/** @returns the text to print @throws {StartFault} if the command, an option or an argument is unknown, or it fails */
export async function runCommand(config: Config, log: Log, [name = "", ...args]: string[]): Promise<string> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new StartFault(`there is no command ${name}; known are ${Object.keys(commands).join(", ")}`);
  const usage = `usage:\n${command.usage.map((line) => `  ${line}`).join("\n")}`;
  if (args.includes("--help")) return usage;
  const { positionals, options } = readArguments(command, args, usage);
  const database = await openDatabase(config, log);
  try {
    const applied = await migrate(database.sql);
    const sql = actingPool(database.sql, () => COMMAND);
    return await command.run({ sql, applied, positionals, options, config });
  } finally {
    await database.close();
  }
}

/** @throws {StartFault} */
function readArguments(command: Command, args: string[], usage: string): Pick<Given, "positionals" | "options"> {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: Object.fromEntries((command.options ?? []).map((name) => [name, { type: "string" as const }])),
    });
    const [unknown] = positionals.slice(command.positionals);
    if (unknown !== undefined) throw new StartFault(`unknown argument ${unknown}`);
    return { positionals, options: { ...values } };
  } catch (error) {
    // The first sentence: parseArgs adds advice that fits no command.
    const reason = (error instanceof Error ? error.message : String(error)).split(". ")[0];
    throw new StartFault(`${reason}\n${usage}`);
  }
}
