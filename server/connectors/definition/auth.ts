/** How a connector authenticates: where its requests carry the secret. Source: design, flows, "Connector". */
import { z } from "zod";
import { text } from "../../input/shapes.ts";
import { faultless, HeaderName, QueryName } from "./checks.ts";

const TokenUrl = faultless(text(2048), tokenUrlFault)
  .describe("The address that gives out tokens; the same rules as for the connector's own address hold")
  .meta({ examples: ["https://login.example.com/oauth2/token"] });

const OAuth2 = z.strictObject({
  type: z.literal("oauth2_client_credentials"),
  token_url: TokenUrl,
  client_id: text(1000).refine((id) => id !== "", "can't be blank").describe("`secret_token` is the client's secret"),
  scope: text(2000).optional(),
  audience: text(2000).optional(),
  client_auth: z.enum(["basic", "body"]).default("basic")
    .describe("Where the client's id and secret are sent: in `Authorization: Basic`, or in the form"),
});
export type OAuth2 = z.output<typeof OAuth2>;

const Hmac = z.strictObject({
  type: z.literal("hmac"),
  header: HeaderName.describe("Carries the signature"),
  algorithm: z.enum(["sha1", "sha256", "sha512"]).default("sha256"),
  encoding: z.enum(["hex", "base64"]).default("hex"),
  prefix: text(50).refine((prefix) => /^[\x21-\x7e]*$/.test(prefix), "must be printable ASCII").default("")
    .describe("Before the signature, such as `sha256=`"),
  signs: z.enum(["body", "timestamp.body"]).default("body")
    .describe("`timestamp.body`: the Unix time in seconds, a full stop and the body"),
  timestamp_header: HeaderName.optional().describe("Carries the time; needed with `timestamp.body`"),
}).superRefine(({ signs, header, timestamp_header }, { addIssue }) => {
  const custom = (message: string) => addIssue({ code: "custom", path: ["timestamp_header"], message });
  if (signs === "timestamp.body" && timestamp_header === undefined) custom("can't be blank with timestamp.body");
  if (signs === "body" && timestamp_header !== undefined) custom("must be absent unless signs is timestamp.body");
  if (header.toLowerCase() === timestamp_header?.toLowerCase()) custom("must differ from header");
});
export type Hmac = z.output<typeof Hmac>;

export const Auth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("bearer") }),
  z.strictObject({
    type: z.literal("basic"),
    username: text(255).refine((name) => !name.includes(":"), "must have no colon"),
  }),
  z.strictObject({ type: z.literal("header"), name: HeaderName }),
  z.strictObject({ type: z.literal("query"), name: QueryName }),
  OAuth2,
  Hmac,
]);
export type Auth = z.output<typeof Auth>;

/** @returns the lower-case names of the headers that the authentication sets */
export function authHeaders(auth: Auth | undefined): string[] {
  switch (auth?.type) {
    case "bearer":
    case "basic":
    case "oauth2_client_credentials":
      return ["authorization"];
    case "header":
      return [auth.name.toLowerCase()];
    case "hmac":
      return [auth.header, ...auth.timestamp_header === undefined ? [] : [auth.timestamp_header]]
        .map((name) => name.toLowerCase());
    default:
      return [];
  }
}

/** Origins to which the connector's secret is sent. @param url the connector's address */
export function secretOrigins(url: string, auth: Auth | undefined): string[] {
  const addresses = auth?.type === "oauth2_client_credentials" ? [url, auth.token_url] : [url];
  return addresses.map((address) => new URL(address).origin);
}

function tokenUrlFault(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || /\s/.test(address) || !URL.canParse(address)) {
    return "is not an http(s) address";
  }
  const { username, password, hash } = new URL(address);
  if (username || password) return "must have no user name or password";
  if (hash) return "must have no fragment";
}
