/** Signs members in and out, in browsers. */
import { actorOf } from "../../actor.ts";
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { forbidden, unauthorized } from "../../errors.ts";
import { hostOf } from "../../input/host.ts";
import { isSentByOwnPage, sessionCookie, sessionSecret } from "../../session_cookie.ts";
import type { Viewer } from "../../viewer.ts";
import { findSignInSettings } from "../account/queries.ts";
import { insertFailedSignIn } from "../audit/events.ts";
import { countAttempt, forgiveAttempts, subjectsOf } from "./attempts.ts";
import { deleteSessionByHash, findCandidate } from "./queries.ts";
import type { NewSession } from "./schema.ts";
import { hashOfSession } from "./secret.ts";
import { startSession } from "./start_session.ts";

/** The same for a wrong password, an unknown login and a user that is switched off, after the same time. */
const refused = () => unauthorized("Login or password is wrong");

/**
 * Starts a session and sets its cookie. The session that the browser had before ends.
 *
 * @throws {Refusal} 401; 403 where another site's page sends it; 429 after too many attempts; 503 while too many others
 * sign in
 */
export async function signIn(ctx: Context, session: NewSession): Promise<Viewer> {
  if (!isSentByOwnPage(ctx.call.request, ctx.config)) throw forbidden("Another site sent this");
  return await ctx.passwords.signIn(() => signInNow(ctx, session));
}

async function signInNow(ctx: Context, { login, password }: NewSession): Promise<Viewer> {
  const { sql, call, pages, passwords } = ctx;
  const account = await pages.accountOf(hostOf(call.request.url)) ?? 0;
  await refuseIfOidcOnly(sql, account);
  const subjects = subjectsOf(account, login, call.address);
  await countAttempt(sql, subjects);
  const candidate = await findCandidate(sql, account, login);
  const matches = await passwords.verify(password, candidate?.password_hash ?? null);
  if (!candidate || !matches || !candidate.active) {
    if (account !== 0) await insertFailedSignIn(sql, account, candidate?.id, actorOf(call));
    ctx.log.info("sign-in refused", { request_id: call.request_id, address: call.address, account });
    throw refused();
  }
  const { account_id, id: user_id, password_hash } = candidate;
  const viewer = await startSession(
    ctx,
    { account_id, user_id, password_hash },
    (sql) => forgiveAttempts(sql, subjects),
  );
  if (!viewer) throw refused();
  return viewer;
}

/** @throws {Refusal} 403 in an account whose members sign in with OpenID Connect only */
export async function refuseIfOidcOnly(sql: Sql, account: number): Promise<void> {
  const settings = await findSignInSettings(sql, account);
  if (settings?.oidc_only) throw forbidden("Members of this account sign in with OpenID Connect only");
}

/** Ends the session of the request's cookie, if there is one, and removes the cookie. */
export async function signOut(ctx: Context): Promise<void> {
  const secret = sessionSecret(ctx.call.request, ctx.config);
  if (secret === undefined) return;
  await deleteSessionByHash(ctx.sql, hashOfSession(secret));
  ctx.viewers.forget();
  ctx.call.set_cookie = sessionCookie(ctx.config);
}
