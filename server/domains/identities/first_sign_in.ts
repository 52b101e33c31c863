/** The user that a first sign-in with OpenID Connect creates, where the account allows it. */
import type { Context } from "../../context.ts";
import { forbidden } from "../../errors.ts";
import type { Identity } from "../../secrets/identity_provider.ts";
import { Email, fold } from "../../input/shapes.ts";
import { type Role, ROLES } from "../../viewer.ts";
import { findSignInSettings } from "../account/queries.ts";
import { insertUserSetting } from "../user_settings/queries.ts";
import { insertIdentity, isTaken } from "./queries.ts";

/** @throws {Refusal} 403, which says what the person can do */
export async function createFirstUser(
  { sql, log, call }: Context,
  account: number,
  identity: Identity,
): Promise<{ account_id: number; user_id: number }> {
  const settings = await findSignInSettings(sql, account);
  if (!settings?.oidc_creates_users) {
    throw forbidden("Nobody has this identity yet: sign in another way and link it, or ask an administrator");
  }
  const email = Email.safeParse(identity.email);
  if (!identity.email_verified || !email.success) {
    throw forbidden("The provider has not verified your e-mail address");
  }
  const login = identity.login ?? email.data;
  const user_id = await sql.begin(async (sql) => {
    // Two first sign-ins of one person must not create two users.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`identities ${account}`}, 13))`;
    if (await isTaken(sql, account, [fold(email.data), fold(login)])) return undefined;
    const id = await insertUserSetting(sql, account, {
      login,
      login_folded: fold(login),
      email: email.data,
      email_folded: fold(email.data),
      name: identity.name ?? login,
      role: roleOf(identity.roles),
      without_department: true,
      active: true,
    });
    if (!await insertIdentity(sql, account, id, identity)) throw forbidden("Another user has this identity");
    return id;
  });
  if (user_id === undefined) {
    throw forbidden("A user with this login or e-mail address exists: sign in another way and link the identity");
  }
  log.info("user created by a sign-in", { request_id: call.request_id, account, user: user_id });
  return { account_id: account, user_id };
}

/** The strongest role that the provider names; guest where it names none. */
const roleOf = (named: readonly string[]): Role => ROLES.toReversed().find((role) => named.includes(role)) ?? "guest";
