/** Creating, renewing and revoking invitations. */
import type { Context } from "../../context.ts";
import { forbidden, invalid, notFound } from "../../errors.ts";
import { fold } from "../../input/shapes.ts";
import { hashOfSession, newSessionSecret } from "../sessions/secret.ts";
import { findUserName } from "../user_settings/queries.ts";
import { isWithin } from "./inviter.ts";
import {
  deleteInvitation,
  findInvitation,
  insertInvitation,
  isTaken,
  knownDepartments,
  VALID_DAYS,
} from "./queries.ts";
import { allowAdmins } from "../passwords/ways_in.ts";
import { deliverLink } from "./one_time_link.ts";
import type { NewInvitation, Renewal, SentInvitation } from "./schema.ts";
import type { z } from "zod";
import { seesAll, visibleTo } from "../../visibility.ts";

const NOT_ITS_INVITER = "Only its inviter or an admin may revoke or renew it";

/**
 * @param replaced an invitation that is deleted in the same transaction
 * @throws {Refusal} 403 for an admin, by a token with scopes; 422 where the role or a department exceeds the inviter's, or the address is in use
 */
export async function createInvitation(
  ctx: Context,
  input: NewInvitation,
  replaced?: number,
): Promise<z.output<typeof SentInvitation>> {
  const { sql, viewer } = ctx;
  const { account_id, user_id } = viewer;
  const { email, role, department_ids, name = email } = input;
  if (!isWithin(role, viewer)) throw invalid({ role: [`must not exceed your own, which is ${viewer.role}`] });
  if (role === "admin") allowAdmins(viewer);
  const known = new Set(await knownDepartments(sql, account_id, department_ids));
  const unknown = department_ids.filter((id) => !known.has(id) || !visibleTo(viewer, id));
  if (unknown.length > 0) throw invalid({ department_ids: [`has unknown ids: ${unknown.slice(0, 10).join(", ")}`] });
  const email_folded = fold(email);
  if (await isTaken(sql, account_id, email_folded)) throw invalid({ email: ["has already been taken"] });
  const secret = newSessionSecret();
  const hash = hashOfSession(secret);
  const without_department = input.without_department && (seesAll(viewer) || viewer.without_department);
  const row = { account_id, invited_by: user_id, email, email_folded, name, role, without_department, hash };
  const id = await sql.begin(async (sql) => {
    if (replaced !== undefined && !await deleteInvitation(sql, account_id, replaced, null)) {
      throw notFound("Invitation");
    }
    return await insertInvitation(sql, row, department_ids);
  });
  const created = id === undefined ? undefined : await findInvitation(sql, account_id, id);
  if (!created) throw invalid({ email: ["has already been invited: revoke that invitation first"] });
  const inviter = await findUserName(sql, account_id, user_id) ?? "Somebody";
  const delivery = await deliverLink(ctx, "/invitation", secret, input.send_mail, {
    to: { name, address: email },
    subject: `${inviter} invites you`,
    sentences: [`${inviter} invites you, ${name}.`, "Open this link to choose a password and sign in:"],
    button: "Accept the invitation",
    valid: `${VALID_DAYS} days`,
  });
  return { ...created.parse(), ...delivery };
}

/**
 * Replaces an invitation by an equal one of the viewer, whose link is new and valid for the whole time.
 *
 * @throws {Refusal} as `revokeInvitation` and `createInvitation`, and the invitation stays as it is
 */
export async function renewInvitation(
  ctx: Context,
  { id, send_mail }: Renewal,
): Promise<z.output<typeof SentInvitation>> {
  const found = await findInvitation(ctx.sql, ctx.viewer.account_id, id);
  if (!found) throw notFound("Invitation");
  const { email, name, role, department_ids, without_department, invited_by } = found.parse();
  const { role: own_role, user_id } = ctx.viewer;
  if (own_role !== "admin" && invited_by !== user_id) throw forbidden(NOT_ITS_INVITER);
  return await createInvitation(ctx, { email, name, role, department_ids, without_department, send_mail }, id);
}

/** @throws {Refusal} 403 for another inviter's, unless the viewer is an admin; 404 */
export async function revokeInvitation({ sql, viewer }: Context, id: number): Promise<void> {
  const { account_id, user_id, role } = viewer;
  if (await deleteInvitation(sql, account_id, id, role === "admin" ? null : user_id)) return;
  if (await findInvitation(sql, account_id, id)) throw forbidden(NOT_ITS_INVITER);
  throw notFound("Invitation");
}
