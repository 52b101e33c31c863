/** A user's change of its own password. */
import type { Context } from "../../context.ts";
import { forbidden, invalid, unauthorized } from "../../errors.ts";
import { sessionCookie } from "../../session_cookie.ts";
import { countAttempt, forgiveAttempts } from "../sessions/attempts.ts";
import { deleteSessions, renewSession } from "../sessions/queries.ts";
import { hashOfSession, newSessionSecret } from "../sessions/secret.ts";
import { hashOfNewPassword } from "./new_password.ts";
import { findCredentials, replacePassword } from "./queries.ts";
import type { PasswordChange } from "./schema.ts";

const isWrong = () => invalid({ current: ["is wrong"] });

/**
 * Ends the user's other sessions and gives the current one a new secret, so that a copied cookie is worth nothing.
 *
 * @throws {Refusal} 403 for an API token, which outlives passwords and must not set them; 422; 429 after too many wrong
 *   current passwords
 */
export async function changePassword(ctx: Context, { current, new: chosen }: PasswordChange): Promise<void> {
  const { sql, call, config, passwords, viewer: { account_id, user_id, session_id } } = ctx;
  if (session_id === null) throw forbidden("A password is changed with a session, not with an API token");
  const subjects = [`password ${account_id} ${user_id}`];
  await countAttempt(sql, subjects);
  const known = await findCredentials(sql, account_id, user_id);
  if (!known || !await passwords.verify(current, known.password_hash)) throw isWrong();
  await forgiveAttempts(sql, subjects);
  if (chosen === current) throw invalid({ new: ["is the current password"] });
  const password_hash = await hashOfNewPassword(ctx, account_id, chosen, known, "new");
  const secret = newSessionSecret();
  await sql.begin(async (sql) => {
    if (!await replacePassword(sql, account_id, user_id, known.password_hash, password_hash)) throw isWrong();
    await deleteSessions(sql, account_id, user_id, session_id);
    // It may have been ended in the meantime.
    if (!await renewSession(sql, account_id, user_id, session_id, hashOfSession(secret))) throw unauthorized();
  });
  ctx.viewers.forget();
  call.set_cookie = sessionCookie(config, secret);
  ctx.log.info("password changed", { request_id: call.request_id, account: account_id, user: user_id });
}
