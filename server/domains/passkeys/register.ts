/** Registers passkeys of signed-in users. */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { invalid, unauthorized } from "../../errors.ts";
import { hostOf } from "../../input/host.ts";
import { addChallenge, type Challenge, takeChallenge } from "../sessions/challenges.ts";
import { deviceOf } from "../sessions/device.ts";
import { findRegistrant, insertPasskey } from "./queries.ts";
import type { NewPasskey, Passkey, RegistrationResponse } from "./schema.ts";
import { challengeOf, hasPasskeyHost, loadWebauthn, relyingParty } from "./webauthn.ts";

const MOST_PASSKEYS = 50;

/**
 * A token must not create a passkey, which would outlive it and may do more.
 *
 * @throws {Refusal} 422
 */
function purposeOf({ viewer: { account_id, user_id, session_id } }: Context): Challenge {
  if (session_id === null) throw invalid({ base: ["A passkey can only be added in a session, not with a token"] });
  return { account_id, user_id, purpose: "passkey registration" };
}

/** On another host the browser would refuse, without a reason that helps. @throws {Refusal} 422 */
function proveHost({ config, call }: Context): void {
  if (hasPasskeyHost(config, hostOf(call.request.url))) return;
  const { origin } = relyingParty(config);
  throw invalid({ base: [`Passkeys can be added at ${origin} only, and not at an IP address`] });
}

/** The options of `navigator.credentials.create()`. */
export async function registrationOptions(ctx: Context) {
  const { sql, config, viewer, call } = ctx;
  const purpose = purposeOf(ctx);
  proveHost(ctx);
  const user = await findRegistrant(sql, viewer.account_id, viewer.user_id);
  if (!user) throw unauthorized();
  const user_handle = user.user_handle ?? randomBytes(32).toString("base64url");
  const { generateRegistrationOptions } = await loadWebauthn();
  const options = await generateRegistrationOptions({
    rpName: user.account_name,
    rpID: relyingParty(config).id,
    userID: new Uint8Array(Buffer.from(user_handle, "base64url")),
    userName: user.login,
    userDisplayName: user.name,
    attestationType: "none",
    excludeCredentials: user.credentials,
    authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
  });
  await addChallenge(sql, purpose, options.challenge, call.address, { user_handle });
  return { ...options, rp: { name: options.rp.name, id: relyingParty(config).id } };
}

/** @throws {Refusal} 422 where the answer is wrong, too late or has been used */
export async function registerPasskey(ctx: Context, { name, response }: NewPasskey): Promise<Json<Passkey>> {
  const { sql, viewer, call } = ctx;
  const purpose = purposeOf(ctx);
  const challenge = challengeOf(response.response.clientDataJSON);
  const details = challenge === undefined ? undefined : await takeChallenge(sql, purpose, challenge);
  if (challenge === undefined || details?.user_handle === undefined) {
    throw invalid({ response: ["is too late, has been used or answers another challenge"] });
  }
  const credential = await verified(ctx, response, challenge);
  const created = await insertPasskey(sql, {
    account_id: viewer.account_id,
    user_id: viewer.user_id,
    name: name ?? deviceOf(call.request.headers.get("user-agent")),
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    user_handle: details.user_handle,
  }, MOST_PASSKEYS);
  if (!created) throw invalid({ base: [`A user has at most ${MOST_PASSKEYS} passkeys`] });
  return created;
}

async function verified({ config, log, call }: Context, response: RegistrationResponse, challenge: string) {
  const { verifyRegistrationResponse } = await loadWebauthn();
  const { id, origin } = relyingParty(config);
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, response: { ...response.response, transports: [] }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
  }).catch((error: unknown) => {
    log.info("passkey refused", { request_id: call.request_id, reason: String(error) });
    return { registrationInfo: undefined };
  });
  if (!registrationInfo) throw invalid({ response: ["is not a valid answer for this site"] });
  return registrationInfo.credential;
}
