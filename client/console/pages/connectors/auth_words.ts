/** The kinds of authentication in words. */
import type { AuthType } from "./connector_form.ts";

interface Words {
  name: string;
  explains: string;
  /** What `secret_token` is called there. */
  secret: string;
}

export const AUTH_WORDS: Record<AuthType, Words> = {
  none: { name: "None", explains: "Requests carry no secret.", secret: "Secret" },
  bearer: { name: "Bearer token", explains: "Sent as Authorization: Bearer <secret>.", secret: "Token" },
  basic: { name: "User and password", explains: "Sent as Authorization: Basic.", secret: "Password" },
  header: { name: "Header", explains: "The secret is the value of a header, such as X-Api-Key.", secret: "Secret" },
  query: { name: "Query parameter", explains: "The secret is a parameter in the address.", secret: "Secret" },
  oauth2_client_credentials: {
    name: "OAuth 2, client credentials",
    explains: "The server requests a token with the client's id and secret, and another one when it expires.",
    secret: "Client secret",
  },
  hmac: { name: "HMAC signature", explains: "Each request is signed; the secret is the key.", secret: "Key" },
};
