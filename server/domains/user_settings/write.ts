/** Creating, changing and deleting users: the operations that need several statements. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { conflict, type Fields, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { resetFeedsOf } from "../../store/store.ts";
import type { Viewer } from "../../viewer.ts";
import { hashOfNewPassword, type Names } from "../passwords/new_password.ts";
import { deleteReset, findCredentials } from "../passwords/queries.ts";
import { allowAdmins, allowNewPassword } from "../passwords/ways_in.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { lockAccount } from "../account/queries.ts";
import {
  deleteUserSetting,
  findKnownUser,
  hasActiveAdmin,
  insertUserSetting,
  type Membership,
  MEMBERSHIPS,
  readUserSetting,
  replaceMembership,
  updateUserSetting,
  type Values,
} from "./queries.ts";
import type { NewUserSetting, UserSetting, UserSettingChanges } from "./schema.ts";

/** @throws {Refusal} 403 for a password or the role admin, by a token with scopes; 422 */
export async function createUserSetting(ctx: Context, input: NewUserSetting): Promise<Json<UserSetting>> {
  allowWaysIn(ctx.viewer, input);
  const login = input.login ?? input.email;
  const defaults = { login, name: login, role: "user" as const, without_department: true, active: true };
  const values = await valuesOf(ctx, { ...defaults, ...input }, { ...defaults, ...input });
  const created = await ctx.sql.begin(async (sql) => {
    const id = await insertUserSetting(sql, ctx.viewer.account_id, values);
    await join(sql, ctx.viewer.account_id, id, input);
    return await readUserSetting(sql, ctx.viewer, id);
  });
  ctx.viewers.forget();
  return created;
}

/**
 * Changes only the given fields.
 *
 * @throws {Refusal} 403 for a password or an admin, as `ways_in.ts` has it; 404; 409 if `lock_version` is not the current
 *   one; 422 if no active admin would remain
 */
export async function changeUserSetting(
  ctx: Context,
  id: number,
  changes: UserSettingChanges,
): Promise<Json<UserSetting>> {
  allowWaysIn(ctx.viewer, changes, id);
  const values = await valuesOf(ctx, changes, await namesOf(ctx, id, changes));
  const changed = await keepingAdmin(ctx, id, async (sql) => {
    if (!await updateUserSetting(sql, ctx.viewer.account_id, id, values, changes.lock_version)) {
      // Not found, or not in this version.
      throw conflict((await readUserSetting(sql, ctx.viewer, id)).parse());
    }
    if (values.active === false) await deleteSessions(sql, ctx.viewer.account_id, id, null);
    if (values.password_hash !== undefined) {
      await endSessions(sql, ctx.viewer, id);
      await deleteReset(sql, ctx.viewer.account_id, id);
    }
    await join(sql, ctx.viewer.account_id, id, changes);
    if (changesVisibility(changes)) await resetFeedsOf(sql, ctx.viewer.account_id);
    return await readUserSetting(sql, ctx.viewer, id);
  });
  ctx.viewers.forget();
  return changed;
}

/** A new password ends the user's sessions, except the one that changes the user's own. */
const endSessions = (sql: Sql, { account_id, user_id, session_id }: Viewer, changed: number) =>
  deleteSessions(sql, account_id, changed, changed === user_id ? session_id : null);

/** Whether the change lets the user see other records than before. */
const changesVisibility = ({ role, department_ids, without_department }: UserSettingChanges) =>
  role !== undefined || department_ids !== undefined || without_department !== undefined;

/** @throws {Refusal} 403 for an admin, by a token with scopes; 404; 422 if no active admin would remain */
export async function removeUserSetting(ctx: Context, id: number): Promise<void> {
  await keepingAdmin(ctx, id, async (sql) => {
    if (!await deleteUserSetting(sql, ctx.viewer.account_id, id)) throw notFound("User");
  });
  ctx.viewers.forget();
}

function allowWaysIn(viewer: Viewer, { password, role }: UserSettingChanges, user?: number): void {
  if (password !== undefined) allowNewPassword(viewer, user);
  if (role === "admin") allowAdmins(viewer);
}

/**
 * Runs `work` on a user, then checks that an active admin remains. The lock prevents two admins from removing each
 * other.
 */
const keepingAdmin = <T>({ sql, viewer }: Context, user: number, work: (sql: Sql) => Promise<T>) =>
  sql.begin(async (sql) => {
    const { account_id } = viewer;
    await lockAccount(sql, account_id);
    if ((await findKnownUser(sql, account_id, user))?.role === "admin") allowAdmins(viewer);
    const result = await work(sql);
    if (!await hasActiveAdmin(sql, account_id)) throw invalid({ base: ["The account must keep an active admin"] });
    return result;
  }) as Promise<T>;

/** What the user will be called. Read only for a new password. @throws {Refusal} 404 */
async function namesOf({ sql, viewer }: Context, id: number, changes: UserSettingChanges): Promise<Names> {
  const none = { login: "", email: "", name: "" };
  const known = changes.password === undefined ? none : await findCredentials(sql, viewer.account_id, id);
  if (!known) throw notFound("User");
  return { ...known, ...changes };
}

/** @throws {Refusal} 422 for a password that is easy to guess */
async function valuesOf(ctx: Context, input: UserSettingChanges, names: Names): Promise<Values> {
  const {
    team_ids: _teams,
    group_ids: _groups,
    department_ids: _departments,
    lock_version: _lock_version,
    password,
    ...values
  } = input;
  return {
    ...values,
    ...(values.login !== undefined && { login_folded: fold(values.login) }),
    ...(values.email !== undefined && { email_folded: fold(values.email) }),
    ...(password !== undefined &&
      { password_hash: await hashOfNewPassword(ctx, ctx.viewer.account_id, password, names) }),
  };
}

async function join(sql: Sql, account: number, user: number, input: UserSettingChanges): Promise<void> {
  const fields: Fields = {};
  for (const membership of Object.keys(MEMBERSHIPS) as Membership[]) {
    const ids = input[membership];
    if (!ids) continue;
    const unknown = await replaceMembership(sql, account, user, membership, ids);
    if (unknown.length > 0) fields[membership] = [`has unknown ids: ${unknown.slice(0, 10).join(", ")}`];
  }
  if (Object.keys(fields).length > 0) throw invalid(fields);
}
