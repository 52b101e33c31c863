/** Adding a passkey with the browser's own WebAuthn. */
import { api } from "../../api.ts";

export const canAddPasskeys = (): boolean =>
  globalThis.PublicKeyCredential !== undefined && "parseCreationOptionsFromJSON" in PublicKeyCredential;

const REASONS: Record<string, string> = {
  NotAllowedError: "No passkey was added.",
  InvalidStateError: "This device already has a passkey for you.",
  SecurityError: "Passkeys need https and a host name, or localhost.",
};

/** @throws {Error} with a sentence for the person, or what the server refused */
export async function addPasskey() {
  const options = await api.passkeys.options.mutate();
  let credential;
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    credential = await navigator.credentials.create({ publicKey });
  } catch (error) {
    throw error instanceof DOMException ? new Error(REASONS[error.name] ?? error.message) : error;
  }
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No passkey was added.");
  const { id, rawId, response } = credential.toJSON();
  if (!("attestationObject" in response)) throw new Error("No passkey was added.");
  const { clientDataJSON, attestationObject, transports } = response;
  return await api.passkeys.create.mutate({
    passkey: {
      response: { id, rawId, type: "public-key", response: { clientDataJSON, attestationObject, transports } },
    },
  });
}
