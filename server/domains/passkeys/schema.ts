/** Shapes of passkeys, in requests and answers. The names inside credentials and options are those of WebAuthn. */
import { z } from "zod";
import { Id, Name, page, text, Timestamp } from "../../input/shapes.ts";

const PasskeyName = Name.meta({ examples: ["Ada's phone"] });

/** A passkey in lists. */
export const Passkey = z.object({
  id: Id,
  user_id: Id,
  name: PasskeyName,
  last_used_at: Timestamp.nullable().describe("The last sign-in with it"),
  created_at: Timestamp,
});
export type Passkey = z.output<typeof Passkey>;

export const PasskeyChanges = z.object({ name: PasskeyName }).partial();

export const PasskeyPage = page(["id", "-id"]).extend({
  user_id: Id.optional().describe("Another user, for admins; the caller by default"),
});
export type PasskeyPage = z.output<typeof PasskeyPage>;

const base64url = (maximum: number, example: string) =>
  text(maximum).refine((value) => /^[\w-]+$/.test(value), "is not base64url").meta({ examples: [example] });

/** Credential ids have at most 1023 bytes. */
const CredentialId = base64url(1_400, "pYh3zFQm2VJ0q8bX1nT5cw");
const ClientData = base64url(4_000, "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiLi4uIn0");
const AuthenticatorData = base64url(20_000, "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ");

const credential = { id: CredentialId, rawId: CredentialId, type: z.literal("public-key") };

/** `RegistrationResponseJSON` of WebAuthn. */
const RegistrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: ClientData,
    attestationObject: AuthenticatorData,
    transports: z.array(text(50)).max(20).optional().meta({ examples: [["internal"]] }),
  }),
}).describe("The browser's answer to `options.json`, as `startRegistration()` of @simplewebauthn/browser returns it");
export type RegistrationResponse = z.output<typeof RegistrationResponse>;

export const NewPasskey = z.object({
  name: PasskeyName.optional().describe("The browser and its system by default"),
  response: RegistrationResponse,
});
export type NewPasskey = z.output<typeof NewPasskey>;

/** `AuthenticationResponseJSON` of WebAuthn. */
export const PasskeyAnswer = z.object({
  response: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: ClientData,
      authenticatorData: AuthenticatorData,
      signature: base64url(20_000, "MEUCIQDxU1kq"),
      userHandle: base64url(200, "b1kCqLs").optional(),
    }),
  }).describe("The browser's answer to the options, as `startAuthentication()` of @simplewebauthn/browser returns it"),
});
export type PasskeyAnswer = z.output<typeof PasskeyAnswer>;

const Challenge = z.string().describe("Can be used once, within 10 minutes").meta({
  examples: ["V8kq1xT3mZb0QfYw7uJr2cHn5sLp9dGa4eXo6iKtEvM"],
});

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn, with all of its fields. */
export const RegistrationOptions = z.looseObject({
  challenge: Challenge,
  rp: z.object({ name: z.string(), id: z.string() }).meta({ examples: [{ name: "Example Ltd", id: "example.com" }] }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }).meta({
    examples: [{ id: "b1kCqLs", name: "ada", displayName: "Ada Example" }],
  }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal("public-key") })).meta({
    examples: [[{ alg: -7, type: "public-key" }]],
  }),
});

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn, with all of its fields. */
export const SignInOptions = z.looseObject({
  challenge: Challenge,
  rpId: z.string().meta({ examples: ["example.com"] }),
});
