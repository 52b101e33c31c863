/** Changes the settings of embedding, and creates and revokes its keys. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { invalid, notFound } from "../../errors.ts";
import { allowEmbeddingKey } from "../passwords/ways_in.ts";
import { encryptKeySecret, newKeySecret } from "./key_secret.ts";
import { countEmbeddingKeys, deleteEmbeddingKey, insertEmbeddingKey, nextKeyId, updateEmbedding } from "./queries.ts";
import type { CreatedEmbeddingKey, Embedding, EmbeddingChanges, NewEmbeddingKey } from "./schema.ts";

const MOST_KEYS = 50;

/** Takes effect at once in this process, and within 5 s in others. */
export async function changeEmbedding(
  { sql, viewer, pages }: Context,
  changes: EmbeddingChanges,
): Promise<Json<Embedding>> {
  const changed = await updateEmbedding(sql, viewer.account_id, changes);
  pages.forgetEmbedding(viewer.account_id);
  return changed;
}

/** @throws {Refusal} 403 for a token with scopes; 422 where the account has too many keys */
export async function createEmbeddingKey(
  { sql, viewer, keys }: Context,
  { name }: NewEmbeddingKey,
): Promise<CreatedEmbeddingKey> {
  allowEmbeddingKey(viewer);
  const { account_id } = viewer;
  if (await countEmbeddingKeys(sql, account_id) >= MOST_KEYS) {
    throw invalid({ base: [`An account has at most ${MOST_KEYS} embedding keys: revoke one first`] });
  }
  const [id, secret] = [await nextKeyId(sql), newKeySecret()];
  const encrypted = encryptKeySecret(keys, { account_id, id }, secret);
  return { ...await insertEmbeddingKey(sql, viewer, { id, name, secret: encrypted }), secret };
}

/** Ends what the key's JWTs have opened: at once in this process, and within 5 s in others. */
export async function revokeEmbeddingKey({ sql, viewer, viewers }: Context, id: number): Promise<void> {
  if (!await deleteEmbeddingKey(sql, viewer.account_id, id)) throw notFound("Embedding key");
  viewers.forget();
}
