/** Signs members in with passkeys. No login is needed: the passkey names its user. */
import { actorOf } from "../../actor.ts";
import type { Context } from "../../context.ts";
import { isOutage } from "../../database/pg_errors.ts";
import { forbidden, unauthorized } from "../../errors.ts";
import { hostOf } from "../../input/host.ts";
import { isSentByOwnPage } from "../../session_cookie.ts";
import type { Viewer } from "../../viewer.ts";
import { insertFailedSignIn } from "../audit/events.ts";
import { countAttempt, forgiveAttempts, subjectOfAddress } from "../sessions/attempts.ts";
import { addChallenge, type Challenge, takeChallenge } from "../sessions/challenges.ts";
import { refuseIfOidcOnly } from "../sessions/sign_in.ts";
import { startSession } from "../sessions/start_session.ts";
import { type Credential, findCredential, touchPasskey } from "./queries.ts";
import type { PasskeyAnswer } from "./schema.ts";
import { challengeOf, loadWebauthn, relyingParty } from "./webauthn.ts";

/** The same for an unknown passkey, a wrong or used answer and a user that is switched off. */
const refused = () => unauthorized("This passkey was not accepted");

const purposeOf = (account_id: number): Challenge => ({ account_id, user_id: null, purpose: "passkey sign-in" });

const accountOf = async ({ pages, call }: Context) => await pages.accountOf(hostOf(call.request.url)) ?? 0;

/** @throws {Refusal} 403 where another site's page sends it */
function refuseOthers({ call, config }: Context): void {
  if (!isSentByOwnPage(call.request, config)) throw forbidden("Another site sent this");
}

/** The options of `navigator.credentials.get()`. */
export async function signInOptions(ctx: Context) {
  refuseOthers(ctx);
  const { generateAuthenticationOptions } = await loadWebauthn();
  const rpID = relyingParty(ctx.config).id;
  const options = await generateAuthenticationOptions({ rpID, userVerification: "preferred" });
  await addChallenge(ctx.sql, purposeOf(await accountOf(ctx)), options.challenge, ctx.call.address, {});
  return { ...options, rpId: rpID };
}

/**
 * Starts a session and sets its cookie.
 *
 * @throws {Refusal} 401; 403 where another site's page sends it; 429 after too many attempts
 */
export async function signInWithPasskey(ctx: Context, { response }: PasskeyAnswer): Promise<Viewer> {
  refuseOthers(ctx);
  const { sql, call, log } = ctx;
  const account = await accountOf(ctx);
  await refuseIfOidcOnly(sql, account);
  const subjects = [subjectOfAddress(call.address)];
  await countAttempt(sql, subjects);
  const proven = await prove(ctx, account, response).catch(async (error: unknown) => {
    if (isOutage(error)) throw error;
    if (account !== 0) await insertFailedSignIn(sql, account, undefined, actorOf(call));
    log.info("sign-in refused", { request_id: call.request_id, address: call.address, account, reason: String(error) });
    throw refused();
  });
  const viewer = await startSession(ctx, proven, async (sql) => {
    if (!await touchPasskey(sql, account, proven.id, proven.new_counter)) throw refused();
    await forgiveAttempts(sql, subjects);
  });
  if (!viewer) throw refused();
  return viewer;
}

/** The credential that signed the answer, with its new count. @throws {Error} that says what is wrong, for the log */
async function prove(
  { sql, config }: Context,
  account: number,
  response: PasskeyAnswer["response"],
): Promise<Credential & { new_counter: number }> {
  const challenge = challengeOf(response.response.clientDataJSON);
  if (challenge === undefined || !await takeChallenge(sql, purposeOf(account), challenge)) {
    throw new Error("the challenge is unknown, used or too old");
  }
  const credential = await findCredential(sql, account, response.id);
  if (!credential) throw new Error("no active user has this passkey");
  const { userHandle } = response.response;
  if (userHandle !== undefined && userHandle !== credential.user_handle) throw new Error("the user handle differs");
  const { verifyAuthenticationResponse } = await loadWebauthn();
  const { id, origin } = relyingParty(config);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    credential: {
      id: response.id,
      publicKey: new Uint8Array(credential.public_key),
      counter: credential.counter,
    },
    requireUserVerification: false,
  });
  if (!verified) throw new Error("the signature is wrong");
  return { ...credential, new_counter: authenticationInfo.newCounter };
}
