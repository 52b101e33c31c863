/** Accepting an invitation with an identity at the provider instead of a password. */
import { Buffer } from "node:buffer";
import type { Context } from "../../context.ts";
import { forbidden, Refusal } from "../../errors.ts";
import type { Identity } from "../../secrets/identity_provider.ts";
import { refusalOf } from "../../trpc.ts";
import { acceptInvitation, findOffer } from "../invitations/accept.ts";
import { countWrongLink } from "../sessions/attempts.ts";
import { hashOfSession } from "../sessions/secret.ts";
import { startSession } from "../sessions/start_session.ts";
import { findIdentityUser, insertIdentity } from "./queries.ts";

const SECRET = /^[\w-]{43}$/;
const gone = () => new Refusal(404, "This link cannot be used any more");

/**
 * @param secret of the link
 * @returns what `acceptByIdentity` needs; the secret itself is not stored
 * @throws {Refusal} 404, also for an invitation of another account; 429 after too many wrong links from the caller's address
 */
export async function proveInvitation({ sql, call }: Context, account: number, secret: string): Promise<string> {
  const hash = SECRET.test(secret) ? hashOfSession(secret) : undefined;
  const offer = hash && await findOffer(sql, hash);
  if (hash && offer?.account_id === account) return hash.toString("base64url");
  await countWrongLink(sql, call);
  throw gone();
}

/**
 * Creates the invitation's user with this identity and signs it in. The address at the provider may be another one: the
 * link proves who is invited.
 *
 * @throws {Refusal} 403 where another user has the identity or the invited address; 404 where the link has been used
 */
export async function acceptByIdentity(ctx: Context, account: number, hash: string, identity: Identity): Promise<void> {
  const user = await ctx.sql.begin(async (sql) => {
    const taken = () => forbidden("Another user has this identity");
    if (await findIdentityUser(sql, account, identity)) throw taken();
    const user = await acceptInvitation(sql, Buffer.from(hash, "base64url"));
    if (!user) throw gone();
    if (!await insertIdentity(sql, account, user.user_id, identity)) throw taken();
    return user;
  }).catch((error) => {
    if (!refusalOf(error).fields) throw error;
    throw forbidden("Your e-mail address has a user already: sign in, or ask an administrator");
  });
  ctx.viewers.forget();
  ctx.log.info("invitation accepted", { request_id: ctx.call.request_id, account, user: user.user_id });
  await startSession(ctx, user);
}
