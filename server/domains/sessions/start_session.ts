/** Starts a session of a user whose password, passkey or identity has been proven. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { sessionCookie, sessionSecret } from "../../session_cookie.ts";
import { type Viewer, viewerOfSession } from "../../viewer.ts";
import { deviceOf } from "./device.ts";
import { deleteSessionByHash, insertSession } from "./queries.ts";
import { hashOfSession, newSessionSecret } from "./secret.ts";

/** A user who has proven who it is. */
export interface Proven {
  account_id: number;
  user_id: number;
  /** The hash that its password was compared with; absent where it was proven in another way. */
  password_hash?: string | null;
}

/**
 * Starts a session and sets its cookie. The session that the browser had before ends.
 *
 * @param within runs in the same transaction, before the session is inserted
 * @returns undefined where the user is gone, has been switched off or has got another password meanwhile; then no cookie is
 *   set
 */
export async function startSession(
  ctx: Context,
  user: Proven,
  within: (sql: Sql) => Promise<unknown> = () => Promise.resolve(),
): Promise<Viewer | undefined> {
  const { call, config, log } = ctx;
  const secret = newSessionSecret();
  const before = sessionSecret(call.request, config);
  const session = await ctx.sql.begin(async (sql) => {
    await within(sql);
    // First the lock of the user, then sessions, as in changes of passwords: the two would otherwise wait for each other.
    const id = await insertSession(sql, {
      account_id: user.account_id,
      user_id: user.user_id,
      password_hash: user.password_hash,
      hash: hashOfSession(secret),
      device: deviceOf(call.request.headers.get("user-agent")),
      address: call.address,
    });
    if (id !== undefined && before !== undefined) await deleteSessionByHash(sql, hashOfSession(before));
    return id;
  });
  const viewer = session === undefined ? undefined : await viewerOfSession(ctx, secret);
  if (before !== undefined) ctx.viewers.forget();
  if (!viewer) return undefined;
  call.set_cookie = sessionCookie(config, secret);
  log.info("signed in", { request_id: call.request_id, account: viewer.account_id, user: viewer.user_id });
  return viewer;
}
