/**
 * Accepting an invitation. Its limits hold now: the invitation of a demoted or inactive user is void, and
 * departments that the inviter no longer sees are left out.
 */
import type { Buffer } from "node:buffer";
import type { Sql } from "../../database/pool.ts";
import { fold } from "../../input/shapes.ts";
import type { KnownUser } from "../../reach.ts";
import { seesAll, visibleTo } from "../../visibility.ts";
import { findKnownUser, insertUserSetting, replaceMembership } from "../user_settings/queries.ts";
import { isWithin } from "./inviter.ts";
import { deleteInvitation, findByHash, knownDepartments, type Stored } from "./queries.ts";

/** An invitation that can be accepted now. */
interface Offer extends Stored {
  inviter: KnownUser;
}

/** @param hash of the link's secret; `locks` as `findByHash` has it */
export async function findOffer(sql: Sql, hash: Buffer, locks = false): Promise<Offer | undefined> {
  const stored = await findByHash(sql, hash, locks);
  const inviter = stored && await findKnownUser(sql, stored.account_id, stored.invited_by);
  return stored && inviter?.active && isWithin(stored.role, inviter) ? { ...stored, inviter } : undefined;
}

/**
 * Creates the invitation's user and deletes the invitation, so that it is used once. To be called in a transaction, in
 * which an identity or a passkey may be added to the user.
 *
 * @param password_hash undefined for a user who signs in in another way
 * @param own_name the person's own; undefined for the name that the inviter has given
 * @returns undefined if the invitation cannot be accepted
 * @throws a violation of uniqueness if the address has become another user's
 */
export async function acceptInvitation(
  sql: Sql,
  hash: Buffer,
  password_hash?: string,
  own_name?: string,
): Promise<{ account_id: number; user_id: number } | undefined> {
  const offer = await findOffer(sql, hash, true);
  if (!offer) return undefined;
  const { id, account_id, email, name, role, without_department, inviter } = offer;
  const user_id = await insertUserSetting(sql, account_id, {
    login: email,
    login_folded: fold(email),
    email,
    email_folded: fold(email),
    name: own_name ?? name,
    role,
    without_department: without_department && (seesAll(inviter) || inviter.without_department),
    active: true,
    password_hash,
  });
  const seen = offer.department_ids.filter((department) => visibleTo(inviter, department));
  const ids = await knownDepartments(sql, account_id, seen);
  await replaceMembership(sql, account_id, user_id, "department_ids", ids);
  await deleteInvitation(sql, account_id, id, null);
  return { account_id, user_id };
}
