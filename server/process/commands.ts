/** The commands `deno task migrate`, `token`, `password`, `rotate-secrets` and `adopt-kv`. They open the database without a server. */
import { migrate } from "../../db/migrate.ts";
import type { Config } from "../config.ts";
import { rotateSecrets } from "../connectors/connectors.ts";
import { openKv } from "../database/kv.ts";
import { adoptStore } from "../database/kv_identity.ts";
import { openDatabase, type Pool } from "../database/pool.ts";
import { findFirstAdmin, newPassword } from "../domains/account/first_start.ts";
import { insertToken } from "../domains/tokens/queries.ts";
import { hashOf, newSecret } from "../domains/tokens/secret.ts";
import { findUserByEmail, updateUserSetting } from "../domains/user_settings/queries.ts";
import { openKeys } from "../secrets/keys.ts";
import type { Log } from "../log.ts";
import { StartFault } from "./announcements.ts";
import { deleteSessions } from "../domains/sessions/queries.ts";
import { createPasswords } from "../secrets/passwords.ts";

type Command = (
  sql: Pool,
  applied: string[],
  argument: string | undefined,
  config: Config,
) => Promise<string> | string;

const NO_ADMIN = "there is no admin yet: start the server once";

const commands: Record<string, Command> = {
  /** Applies missing migrations. */
  migrate: (_sql, applied) => applied.length > 0 ? `applied ${applied.join(", ")}` : "the database is up to date",

  /** Creates a token of the first admin. Existing tokens stay valid. The argument is its name. */
  async token(sql, _applied, name = "deno task token") {
    const admin = await findFirstAdmin(sql);
    if (!admin) throw new StartFault(NO_ADMIN);
    const { account_id, id: user_id } = admin;
    const secret = newSecret();
    await insertToken(sql, { account_id, user_id, name, hash: hashOf(secret), scopes: null, expires_at: null });
    return secret;
  },

  /** Sets a new password of the first admin, or of the user with the e-mail address in the argument. */
  async password(sql, _applied, email) {
    const user = email ? await findUserByEmail(sql, email) : await findFirstAdmin(sql);
    if (!user) throw new StartFault(email ? `there is no user ${email}` : NO_ADMIN);
    const password = newPassword();
    const password_hash = await createPasswords().hash(password);
    await updateUserSetting(sql, user.account_id, user.id, { password_hash });
    await deleteSessions(sql, user.account_id, user.id, null);
    return `${user.email} ${password}`;
  },

  /** Encrypts the secrets of connectors again that an old key encrypted. Afterwards the old key may be removed. */
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

  /** Makes the Deno KV store of this configuration the database's own, after the old one was lost. */
  async "adopt-kv"(sql, _applied, _argument, config) {
    using kv = await openKv(config);
    await adoptStore(sql, kv);
    return "this Deno KV store now belongs to the database; runs that were in progress in the old one are lost";
  },
};

/** @returns the text to print @throws {StartFault} if the command is unknown or fails */
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
