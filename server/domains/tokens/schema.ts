/** Shapes of API tokens, in requests and answers. */
import { z } from "zod";
import { Id, Moment, Name, page, text, Timestamp } from "../../input/shapes.ts";

/** The domains of scopes: `<domain>:read` allows the domain's queries, `<domain>:write` its mutations. */
export const DOMAINS = [
  "account",
  "access",
  "audit",
  "overview",
  "operations",
  "departments",
  "user_settings",
  "teams",
  "groups",
  "mailboxes",
  "tokens",
  "sessions",
  "passwords",
  "invitations",
  "passkeys",
  "identities",
  "apps",
  "embedding",
  "dashboards",
  "dbs",
  "records",
  "connectors",
  "flows",
  "flow_processes",
  "approvals",
  "crons",
  "agents",
  "archive",
] as const;

const Scope = z.enum(DOMAINS.flatMap((domain) => [`${domain}:read` as const, `${domain}:write` as const]));
/** The last moment whose year has four digits, as ISO 8601 needs. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const Scopes = z.array(Scope).max(100).nullable()
  .describe("What the token may do; null means everything that its user may do, an empty list nothing")
  .meta({ examples: [["departments:read"]] });
const TokenName = Name.meta({ examples: ["Nightly export"] });

/** A token in lists, without its secret. */
export const Token = z.object({
  id: Id,
  name: TokenName,
  user_setting_id: Id,
  scopes: z.array(z.string()).nullable().meta({ examples: [["departments:read"]] }),
  expires_at: Timestamp.nullable().meta({ examples: ["2099-12-31T23:59:59.000+00:00"] }),
  last_used_at: Timestamp.nullable().describe("Updated with a delay of up to a minute"),
  created_at: Timestamp,
});
export type Token = z.output<typeof Token>;

/** The answer to a create, which is the only one with the secret. */
export const CreatedToken = Token.extend({
  token: z.string().describe("Shown once; send it as `Authorization: Bearer …`")
    .meta({ examples: ["atr_4cQ0bT7mW1xK9sVdR2eLhZ5uYpN8gJaF6oCiXqB3tMv"] }),
});
export type CreatedToken = z.output<typeof CreatedToken>;

export const NewToken = z.object({
  name: TokenName,
  user_setting_id: Id.describe("The token's user; the caller by default. Only an admin may name another user"),
  user_id: Id.describe("The same as `user_setting_id`"),
  scopes: Scopes,
  expires_at: Moment.nullable()
    .refine((value) => value === null || !(Date.parse(value) > LATEST), "is not a time before the year 10000")
    .meta({ examples: ["2099-12-31T23:59:59+00:00"] }),
}).partial().required({ name: true });
export type NewToken = z.output<typeof NewToken>;

export const TokenPage = page(["id", "-id"]).extend({
  q: text(255).optional().describe(
    "Part of the token's name, case-insensitive; for an admin also of its user's name or login",
  )
    .meta({ examples: ["export"] }),
  user_setting_id: Id.optional().describe("The token's user"),
});
export type TokenPage = z.output<typeof TokenPage>;
