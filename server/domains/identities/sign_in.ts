/**
 * Signs members in with OpenID Connect, and links identities to signed-in members. A user is found by issuer and subject
 * only: an e-mail address at the provider may change its owner.
 */
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import { forbidden, notFound, Refusal, unauthorized } from "../../errors.ts";
import type { Exchange, Identity, IdentityProvider } from "../../secrets/identity_provider.ts";
import { hostOf } from "../../input/host.ts";
import { findViewer, proveBrowser, type Viewer } from "../../viewer.ts";
import { addChallenge, type Challenge, takeChallenge } from "../sessions/challenges.ts";
import { startSession } from "../sessions/start_session.ts";
import { acceptByIdentity, proveInvitation } from "./accept_invitation.ts";
import { createFirstUser } from "./first_sign_in.ts";
import { findIdentityUser, insertIdentity, touchIdentity } from "./queries.ts";

const purposeOf = (account_id: number): Challenge => ({ account_id, user_id: null, purpose: "oidc" });

/** @throws {Refusal} 404 where no provider is configured, or the request comes to another host than BASE_URL's */
async function providerOf(ctx: Context): Promise<{ provider: IdentityProvider; account: number }> {
  const { identity_provider: provider, config, call, pages } = ctx;
  const host = hostOf(call.request.url);
  const account = await pages.accountOf(host);
  if (!provider || account === undefined || !isBaseHost(config, host)) throw notFound();
  return { provider, account };
}

/** The provider sends browsers back to BASE_URL, and cookies belong to one host. */
export const isBaseHost = ({ base_url }: { base_url: string }, host: string): boolean =>
  new URL(base_url).host === host;

/** The answer of the provider counts in the browser that asked for it only. */
const browserOf = (ctx: Context) => createHash("sha256").update(proveBrowser(ctx)).digest("base64url");

/** What a sign-in at the provider is for, beside signing in. Only pages of ours may ask for either. */
interface Wish {
  return_to: string;
  /** Whether the signed-in member links the identity. */
  links: boolean;
  /** The secret of an invitation that is accepted with the identity. */
  invitation: string | undefined;
}

/**
 * Begins a sign-in.
 *
 * @returns the address of the provider
 * @throws {Refusal} 401, 403, 404, 429, 503
 */
export async function beginOidc(ctx: Context, { return_to, links, invitation }: Wish): Promise<string> {
  const { provider, account } = await providerOf(ctx);
  const browser = browserOf(ctx);
  if (links || invitation !== undefined) proveOwnPage(ctx);
  const user = links ? await linkingUser(ctx) : undefined;
  const accepted = invitation === undefined ? undefined : await proveInvitation(ctx, account, invitation);
  const exchange = await provider.newExchange();
  const address = await provider.addressFor(exchange);
  await addChallenge(ctx.sql, purposeOf(account), exchange.state, ctx.call.address, {
    nonce: exchange.nonce,
    code_verifier: exchange.code_verifier,
    browser,
    return_to,
    ...user && { user: String(user.user_id) },
    ...accepted && { invitation: accepted },
  });
  return address;
}

/**
 * Another site could lead a member here after it has signed the browser in at the provider as another person. So this
 * needs a browser that names the page which leads here.
 *
 * @throws {Refusal} 403
 */
function proveOwnPage(ctx: Context): void {
  if (ctx.call.request.headers.get("sec-fetch-site") === "same-origin") return;
  throw forbidden("Identities are linked from pages of this site only");
}

async function linkingUser(ctx: Context): Promise<Viewer> {
  const viewer = await findViewer(ctx);
  if (!viewer?.session_id) throw unauthorized("Sign in first");
  return viewer;
}

/**
 * Takes the provider's answer: starts a session, links the identity, or accepts an invitation with it.
 *
 * @returns where the browser goes on
 * @throws {Refusal} 401, 403, 404, 503
 */
export async function finishOidc(ctx: Context, query: URLSearchParams): Promise<string> {
  const { provider, account } = await providerOf(ctx);
  const browser = browserOf(ctx);
  const state = query.get("state") ?? "";
  const kept = await takeChallenge(ctx.sql, purposeOf(account), state);
  const { nonce, code_verifier, return_to = "/" } = kept ?? {};
  if (!nonce || !code_verifier || kept?.browser !== browser) {
    throw unauthorized("This sign-in is too old, or was begun in another browser");
  }
  const exchange: Exchange = { state, nonce, code_verifier };
  const identity = await provider.redeem(query, exchange);
  if (kept.user !== undefined) await link(ctx, account, Number(kept.user), identity);
  else if (kept.invitation !== undefined) await acceptByIdentity(ctx, account, kept.invitation, identity);
  else await signIn(ctx, account, identity);
  return return_to;
}

/** @throws {Refusal} 401 where another member has signed in meanwhile; 403 where another user has the identity */
async function link(ctx: Context, account: number, user: number, identity: Identity): Promise<void> {
  const viewer = await findViewer(ctx);
  if (!viewer?.session_id || viewer.user_id !== user) throw unauthorized("You have signed out meanwhile");
  const owner = await findIdentityUser(ctx.sql, account, identity);
  if (owner?.user_id === user || !owner && await insertIdentity(ctx.sql, account, user, identity)) {
    ctx.log.info("identity linked", { request_id: ctx.call.request_id, account, user });
    return;
  }
  throw forbidden("Another user has this identity");
}

async function signIn(ctx: Context, account: number, identity: Identity): Promise<void> {
  const { sql, call, log } = ctx;
  const user = await findIdentityUser(sql, account, identity) ?? await createFirstUser(ctx, account, identity);
  const viewer = await startSession(ctx, user, (sql) => touchIdentity(sql, account, identity));
  if (viewer) return;
  log.info("sign-in refused", { request_id: call.request_id, address: call.address, account });
  throw new Refusal(403, "This user is switched off");
}
