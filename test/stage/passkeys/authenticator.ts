/** An authenticator of WebAuthn in software: it creates passkeys and signs with them, as a browser would send it. */
import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const sha256 = (value: string | Uint8Array) => createHash("sha256").update(value).digest();

export interface Passkey {
  id: string;
  user_handle: string;
  key: KeyObject;
  /** Grows with each signature. */
  counter: number;
}

/** What an answer says about the page that asked, and how it was made. */
export interface Page {
  origin: string;
  rp_id: string;
}

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

const clientData = (type: string, challenge: string, { origin }: Page) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authenticatorData({ rp_id }: Page, flags: number, counter: number, credential = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rp_id), head, credential]);
}

/** Creates a passkey. @returns it, and the answer to the options */
export function createPasskey(options: { challenge: string; user: { id: string } }, page: Page) {
  const { privateKey: key, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  const cose = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
  const data = authenticatorData(page, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, 0, credential);
  const attestation = Buffer.concat([
    Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
    Buffer.from([data.length]),
    data,
  ]);
  const passkey: Passkey = { id: id.toString("base64url"), user_handle: options.user.id, key, counter: 0 };
  const response = {
    id: passkey.id,
    rawId: passkey.id,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData("webauthn.create", options.challenge, page).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    },
  };
  return { passkey, response };
}

/** Signs a challenge. The counter grows by one. */
export function signWith(passkey: Passkey, { challenge }: { challenge: string }, page: Page) {
  const client_data = clientData("webauthn.get", challenge, page);
  const data = authenticatorData(page, USER_PRESENT | USER_VERIFIED, ++passkey.counter);
  return {
    id: passkey.id,
    rawId: passkey.id,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: client_data.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", Buffer.concat([data, sha256(client_data)]), passkey.key).toString("base64url"),
      userHandle: passkey.user_handle,
    },
  };
}
