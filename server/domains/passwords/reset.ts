/** Links by which a user chooses a new password, without the old one. Admins create them. */
import type { Buffer } from "node:buffer";
import { z } from "zod";
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid, notFound } from "../../errors.ts";
import { Timestamp } from "../../input/shapes.ts";
import { deliverLink, Delivery } from "../invitations/one_time_link.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { hashOfSession, newSessionSecret } from "../sessions/secret.ts";
import { allowNewPassword } from "./ways_in.ts";
import { findCredentials, findReset, insertReset, replacePassword, RESET_HOURS } from "./queries.ts";

export const PasswordReset = Delivery.extend({ expires_at: Timestamp });
export type PasswordReset = z.output<typeof PasswordReset>;

/** A new link replaces the one before. @throws {Refusal} 403; 404; 422 for a user that is switched off */
export async function createPasswordReset(ctx: Context, user: number, send_mail: boolean): Promise<PasswordReset> {
  const { sql, viewer: { account_id } } = ctx;
  const known = await findCredentials(sql, account_id, user);
  if (!known) throw notFound("User");
  allowNewPassword(ctx.viewer, user);
  const secret = newSessionSecret();
  const expires_at = await insertReset(sql, account_id, user, hashOfSession(secret));
  if (expires_at === undefined) throw invalid({ base: ["The user is not active"] });
  const delivery = await deliverLink(ctx, "/password_reset", secret, send_mail, {
    to: { name: known.name, address: known.email },
    subject: "Your new password",
    sentences: [`${known.name}, an administrator lets you choose a new password.`, "Open this link to do so:"],
    button: "Choose a new password",
    valid: `${RESET_HOURS} hours`,
  });
  ctx.log.info("password reset created", {
    request_id: ctx.call.request_id,
    account: account_id,
    user,
    by: ctx.viewer.user_id,
  });
  return { ...delivery, expires_at };
}

/**
 * Sets the password of the link's user, ends all its sessions, and deletes the link, so that it is used once. To be
 * called in a transaction.
 *
 * @returns undefined if the link cannot be used
 */
export async function resetPassword(
  sql: Sql,
  hash: Buffer,
  password_hash: string,
): Promise<{ account_id: number; user_id: number } | undefined> {
  const reset = await findReset(sql, hash);
  if (!reset) return undefined;
  const { account_id, user_id } = reset;
  if (!await replacePassword(sql, account_id, user_id, reset.password_hash, password_hash)) return undefined;
  await deleteSessions(sql, account_id, user_id, null);
  return { account_id, user_id };
}
