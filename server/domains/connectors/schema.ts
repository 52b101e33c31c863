/** Shapes of connectors in requests and responses. */
import { z } from "zod";
import { baseFault, ConnectorFields } from "../../connectors/connectors.ts";
import { ById, Id, InDepartment, LockVersion, Name, page, text, Timestamp } from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import { Force, UsedBy } from "../uses/uses.ts";

/** The only kind of connector. Source: spec, "Custom connector"; `<ns>` is `platform`. */
export const KIND = "platform/custom_connector";

/** Normalized like the code of a database. */
const Code = text(1000).transform((value) => slug(value, "_"))
  .refine((code) => code !== "", "can't be blank")
  .refine((code) => code.length <= 100, "is too long (maximum is 100 characters)")
  .meta({ examples: ["fx"] });

const Url = text(2048).refine((url) => url !== "", { message: "can't be blank", abort: true })
  .superRefine((url, { addIssue }) => {
    const fault = baseFault(url);
    if (fault) addIssue(fault);
  })
  .describe("The base address, to which the paths of methods are appended").meta({
    examples: ["https://api.example.com/v1"],
  });

/** Redaction searches answers for the secret; a shorter one would match innocent text. */
const SHORTEST_SECRET = 4;

const SecretToken = text(4096)
  .refine((secret) => secret.length >= SHORTEST_SECRET, `is too short (minimum is ${SHORTEST_SECRET} characters)`)
  .refine((secret) => !/\p{Cc}/u.test(secret), "must have no line breaks or control characters")
  .nullable()
  .describe("Write-only; null clears it, and omitting it keeps the present one").meta({
    examples: ["sk_live_1"],
  });

const written = {
  kind: z.literal(KIND).meta({ examples: [KIND] }),
  code: Code,
  name: Name.meta({ examples: ["Exchange rates"] }),
  url: Url,
  secret_token: SecretToken,
  fields: ConnectorFields,
  department_id: Id.nullable().meta({ examples: [null] }),
};

export const NewConnector = z.object(written).partial().extend({ name: written.name, url: written.url });
export type NewConnector = z.output<typeof NewConnector>;

export const ConnectorChanges = z.object(written).partial().extend({ lock_version: LockVersion.optional() });
export type ConnectorChanges = z.output<typeof ConnectorChanges>;

export const ListedConnector = z.object({
  id: Id,
  kind: z.literal(KIND),
  code: z.string().meta({ examples: ["fx"] }),
  name: written.name,
  url: written.url,
  has_secret_token: z.boolean().meta({ examples: [true] }),
  fields: ConnectorFields,
  department_id: Id.nullable().meta({ examples: [null] }),
  lock_version: LockVersion,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ListedConnector = z.output<typeof ListedConnector>;

export const Connector = ListedConnector.extend({ used_by: UsedBy });
export type Connector = z.output<typeof Connector>;

export const ConnectorToDelete = ById.extend({ force: Force });

export const ConnectorPage = page(["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"]).extend({
  department_id: InDepartment,
  q: text(255).optional().describe("Part of the name or code, case-insensitive").meta({ examples: ["fx"] }),
});
export type ConnectorPage = z.output<typeof ConnectorPage>;

/** Input of the `test` endpoint. */
export const Trial = z.object({
  id: Id,
  method: z.string().min(1).meta({ examples: ["latest"] }),
  params: z.record(z.string(), z.json()).optional().meta({ examples: [{ base: "EUR", n: 1 }] }),
  body: z.json().optional().describe("Replaces the method's body"),
  timeout: z.int().min(1).max(300).default(30).describe("Seconds"),
});
export type Trial = z.output<typeof Trial>;

/** Result of a test call. The connector's secret is redacted in every field. */
export const Tried = z.object({
  ok: z.boolean().describe("Whether there was an answer with a status below 400").meta({ examples: [true] }),
  status: z.int().nullable().meta({ examples: [200] }),
  ms: z.int().describe("Milliseconds").meta({ examples: [42] }),
  headers: z.record(z.string(), z.string()).nullable().meta({ examples: [{ "content-type": "application/json" }] }),
  body: z.json().meta({ examples: [{ rates: [{ mid: 4.31 }] }] }),
  error: z.object({
    kind: z.string().describe("invalid, refused, network, timeout, status, too_large or cancelled"),
    message: z.string(),
  }).nullable().meta({ examples: [null] }),
});
export type Tried = z.output<typeof Tried>;
