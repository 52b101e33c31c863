/**
 * What `deno task migrate`, `token`, `password` and `rotate-secrets` run: the database that the server would use, without
 * the server.
 */
import { migrate } from "../../db/migrate.ts";
import type { Config } from "../config.ts";
import { rotateSecrets } from "../connectors/connectors.ts";
import { openDatabase, type Pool } from "../database/pool.ts";
import { findFirstAdmin, newPassword } from "../domains/account/first_start.ts";
import { insertToken } from "../domains/tokens/queries.ts";
import { hashOf, newSecret } from "../domains/tokens/secret.ts";
import { findUserByEmail, updateUserSetting } from "../domains/user_settings/queries.ts";
import { openKeys } from "../secrets/keys.ts";
import type { Log } from "../log.ts";
import { StartFault } from "./announcements.ts";
import { createPasswords } from "../secrets/passwords.ts";

type Command = (
  sql: Pool,
  applied: string[],
  argument: string | undefined,
  config: Config,
) => Promise<string> | string;

const NO_ADMIN = "there is no admin yet: start the server once";

const commands: Record<string, Command> = {
  /** Brings the database up to this version. */
  migrate: (_sql, applied) => applied.length > 0 ? `applied ${applied.join(", ")}` : "the database is up to date",

  /** A new token of the first admin's; the ones before it go on working. The argument names it. */
  async token(sql, _applied, name = "deno task token") {
    const admin = await findFirstAdmin(sql);
    if (!admin) throw new StartFault(NO_ADMIN);
    const { account_id, id: user_id } = admin;
    const secret = newSecret();
    await insertToken(sql, { account_id, user_id, name, hash: hashOf(secret), scopes: null, expires_at: null });
    return secret;
  },

  /** A new password of the first admin's, or of the user whose e-mail the argument is. */
  async password(sql, _applied, email) {
    const user = email ? await findUserByEmail(sql, email) : await findFirstAdmin(sql);
    if (!user) throw new StartFault(email ? `there is no user ${email}` : NO_ADMIN);
    const password = newPassword();
    const password_hash = await createPasswords().hash(password);
    await updateUserSetting(sql, user.account_id, user.id, { password_hash });
    return `${user.email} ${password}`;
  },

  /** Writes the secrets of connectors anew that an old key has written. Afterwards the old key may go. */
  async "rotate-secrets"(sql, _applied, _argument, config) {
    const keys = await openKeys(config);
    const { rotated, unreadable } = await rotateSecrets(sql, keys);
    const done = `${rotated} ${rotated === 1 ? "secret" : "secrets"} written anew with the key ${keys.writing}`;
    if (unreadable.length === 0) return done;
    const shown = unreadable.slice(0, 20).join(", ");
    throw new StartFault(
      `${done}; no key reads ${unreadable.length} (connectors ${shown}): add the key that wrote them`,
    );
  },
};

/** @returns what is to be printed; @throws {StartFault} where there is no such command, or it cannot be carried out */
export async function runCommand(config: Config, log: Log, [name = "", argument]: string[]): Promise<string> {
  const work = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!work) throw new StartFault(`there is no command ${name}; known are ${Object.keys(commands).join(", ")}`);
  const database = await openDatabase(config, log);
  try {
    const applied = await migrate(database.sql);
    return await work(database.sql, applied, argument, config);
  } finally {
    await database.close();
  }
}
