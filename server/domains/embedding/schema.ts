/** Shapes of the settings and keys of embedding, in requests and answers. */
import { z } from "zod";
import { embeddingHost } from "../../input/embedding_hosts.ts";
import { Id, Name, page, text, Timestamp } from "../../input/shapes.ts";

const MOST_HOSTS = 100;

export const Hosts = z.array(
  text(300).transform((value, { addIssue }) => {
    const host = embeddingHost(value.trim());
    if (host === undefined) addIssue("must be an origin such as https://crm.example.com or https://*.example.com");
    return host ?? "";
  }),
).max(MOST_HOSTS).transform((hosts) => [...new Set(hosts)])
  .describe("Origins of pages that may show the account's apps in frames, beside this server's own")
  .meta({ examples: [["https://crm.example.com"]] });

export const UNKNOWN_USERS = ["refuse", "create_guest"] as const;
export const UnknownUsers = z.enum(UNKNOWN_USERS)
  .describe("What happens if a host vouches for a user that the account does not have")
  .meta({ examples: ["refuse"] });

/** An account's settings of embedding. */
export const Embedding = z.object({
  hosts: z.array(z.string()).meta({ examples: [["https://crm.example.com"]] }),
  unknown_users: UnknownUsers,
});
export type Embedding = z.output<typeof Embedding>;

export const EmbeddingChanges = z.object({ hosts: Hosts, unknown_users: UnknownUsers }).partial();
export type EmbeddingChanges = z.output<typeof EmbeddingChanges>;

const KeyName = Name.meta({ examples: ["CRM"] });

/** A key in lists, without its secret. */
export const EmbeddingKey = z.object({
  id: Id,
  kid: z.string().describe("The header `kid` of JWTs that the key signs").meta({ examples: ["1"] }),
  name: KeyName,
  created_by_id: Id.nullable(),
  created_at: Timestamp,
});
export type EmbeddingKey = z.output<typeof EmbeddingKey>;

/** The answer to a create, which is the only one with the secret. */
export const CreatedEmbeddingKey = EmbeddingKey.extend({
  secret: z.string().describe("Shown once; its UTF-8 bytes are the key of HS256")
    .meta({ examples: ["emb_4cQ0bT7mW1xK9sVdR2eLhZ5uYpN8gJaF6oCiXqB3tMv"] }),
});
export type CreatedEmbeddingKey = z.output<typeof CreatedEmbeddingKey>;

export const NewEmbeddingKey = z.object({ name: KeyName });
export type NewEmbeddingKey = z.output<typeof NewEmbeddingKey>;

export const EmbeddingKeyPage = page(["id", "-id"]);
export type EmbeddingKeyPage = z.output<typeof EmbeddingKeyPage>;
