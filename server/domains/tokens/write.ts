/** Creates and revokes API tokens. */
import type { Context } from "../../context.ts";
import { forbidden, invalid, notFound } from "../../errors.ts";
import { deleteToken, insertToken } from "./queries.ts";
import type { CreatedToken, NewToken } from "./schema.ts";
import { hashOf, newSecret } from "./secret.ts";

/** The user whose tokens the viewer manages; null, which means all users, for an admin. */
export const managedUser = ({ viewer }: Context) => viewer.role === "admin" ? null : viewer.user_id;

/** @throws {Refusal} 403 for a token of another user, or one that may do more than the viewer's own token */
export async function createToken(ctx: Context, input: NewToken): Promise<CreatedToken> {
  const { viewer, sql, clock } = ctx;
  const user_id = input.user_setting_id ?? input.user_id ?? viewer.user_id;
  if (input.user_id !== undefined && input.user_id !== user_id) {
    throw invalid({ user_id: ["is not the same as user_setting_id"] });
  }
  if (viewer.role !== "admin" && user_id !== viewer.user_id) throw forbidden("This needs the role admin");
  const scopes = input.scopes ? [...new Set(input.scopes)] : null;
  const within = viewer.scopes;
  if (within && !(scopes?.every((scope) => within.includes(scope)))) {
    throw forbidden("A token cannot make one that may do more than itself");
  }
  // A token inherits the expiry of the token that creates it. Otherwise a token for one day could create a permanent
  // one.
  const expires_at = input.expires_at ?? viewer.expires_at;
  if (viewer.expires_at && expires_at && Date.parse(expires_at) > Date.parse(viewer.expires_at)) {
    throw forbidden("A token cannot make one that outlives itself");
  }
  if (expires_at && Date.parse(expires_at) <= clock.now().getTime()) {
    throw invalid({ expires_at: ["must be in the future"] });
  }
  const secret = newSecret();
  const token = await insertToken(sql, {
    account_id: viewer.account_id,
    user_id,
    name: input.name,
    hash: hashOf(secret),
    scopes,
    expires_at,
  });
  if (!token) throw invalid({ user_setting_id: ["must exist"] });
  return { ...token, token: secret };
}

/** Takes effect at once in this process, and within 5 s in others. */
export async function revokeToken(ctx: Context, id: number): Promise<void> {
  if (!await deleteToken(ctx.sql, ctx.viewer.account_id, managedUser(ctx), id)) throw notFound("Token");
  ctx.viewers.forget();
}
