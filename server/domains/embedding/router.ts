/** Procedures of the account's settings of embedding, and of the keys with which hosts vouch for their users. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById } from "../../input/shapes.ts";
import { adminProcedure, router } from "../../trpc.ts";
import { listEmbeddingKeys, readEmbedding } from "./queries.ts";
import {
  CreatedEmbeddingKey,
  Embedding,
  EmbeddingChanges,
  EmbeddingKey,
  EmbeddingKeyPage,
  NewEmbeddingKey,
} from "./schema.ts";
import { changeEmbedding, createEmbeddingKey, revokeEmbeddingKey } from "./write.ts";

export const embedding = router({
  find: adminProcedure
    .meta({ rest: "GET /account/embedding.json", summary: "Read which pages may show the account's apps" })
    .output(sent(Embedding))
    .query(({ ctx }) => readEmbedding(ctx.sql, ctx.viewer.account_id)),

  update: adminProcedure
    .meta({
      rest: "PATCH /account/embedding.json",
      wrapper: "embedding",
      summary: "Change which pages may show the account's apps",
      description: "`hosts` replaces the whole list. Browsers learn it with the next page that they load.",
    })
    .input(z.object({ embedding: EmbeddingChanges })).output(sent(Embedding))
    .mutation(({ ctx, input }) => changeEmbedding(ctx, input.embedding)),

  list_keys: adminProcedure
    .meta({ rest: "GET /account/embedding/keys.json", summary: "List embedding keys" })
    .input(EmbeddingKeyPage).output(sent(z.array(EmbeddingKey)))
    .query(({ ctx, input }) => listEmbeddingKeys(ctx.sql, ctx.viewer.account_id, input)),

  create: adminProcedure
    .meta({
      rest: "POST /account/embedding/keys.json",
      status: 201,
      wrapper: "key",
      summary: "Create an embedding key",
      description:
        "A host signs JWTs with it (HS256), by which its users need no second sign-in. Who has the secret may " +
        "open apps as any user of the account. It is in this answer only; it is never shown again.",
    })
    .input(z.object({ key: NewEmbeddingKey })).output(CreatedEmbeddingKey)
    .mutation(({ ctx, input }) => createEmbeddingKey(ctx, input.key)),

  delete: adminProcedure
    .meta({
      rest: "DELETE /account/embedding/keys/:id.json",
      status: 204,
      summary: "Revoke an embedding key",
      description: "Pages that its JWTs have opened lose their viewer at once.",
    })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => revokeEmbeddingKey(ctx, input.id)),
});
