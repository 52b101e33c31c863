/** Starts a session of a user whose password, passkey or identity has been proven. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { sessionCookie, sessionSecret } from "../../session_cookie.ts";
import { type Viewer, viewerOfSession } from "../../viewer.ts";
import { deviceOf } from "./device.ts";
import { deleteSessionByHash, insertSession } from "./queries.ts";
import { hashOfSession, newSessionSecret } from "./secret.ts";

/**
 * Starts a session and sets its cookie. The session that the browser had before ends.
 *
 * @param within runs in the same transaction, before the session is inserted
 * @returns undefined where the user is gone or has been switched off; then no cookie is set
 */
export async function startSession(
  ctx: Context,
  user: { account_id: number; user_id: number },
  within: (sql: Sql) => Promise<unknown> = () => Promise.resolve(),
): Promise<Viewer | undefined> {
  const { call, config, log } = ctx;
  const secret = newSessionSecret();
  const before = sessionSecret(call.request, config);
  const session = await ctx.sql.begin(async (sql) => {
    if (before !== undefined) await deleteSessionByHash(sql, hashOfSession(before));
    await within(sql);
    return await insertSession(sql, {
      account_id: user.account_id,
      user_id: user.user_id,
      hash: hashOfSession(secret),
      device: deviceOf(call.request.headers.get("user-agent")),
      address: call.address,
    });
  });
  const viewer = session === undefined ? undefined : await viewerOfSession(ctx, secret);
  if (before !== undefined) ctx.viewers.forget();
  if (!viewer) return undefined;
  call.set_cookie = sessionCookie(config, secret);
  log.info("signed in", { request_id: call.request_id, account: viewer.account_id, user: viewer.user_id });
  return viewer;
}
