/** SQL of the settings and keys of embedding. */
import type { Json } from "../../database/json.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import type { Encrypted } from "../../secrets/keys.ts";
import type { Viewer } from "../../viewer.ts";
import type { Embedding, EmbeddingChanges, EmbeddingKey, EmbeddingKeyPage } from "./schema.ts";

const settings = (sql: Sql) => sql`embedding_hosts as hosts, embedding_unknown_users as unknown_users`;

/** @throws {Refusal} 404 if the account was deleted after the caller was authenticated */
export async function readEmbedding(sql: Sql, account: number): Promise<Json<Embedding>> {
  const found = await oneJson<Embedding>(sql, sql`select ${settings(sql)} from accounts where id = ${account}`);
  if (!found) throw notFound("Account");
  return found;
}

/** @throws {Refusal} 404 if the account was deleted after the caller was authenticated */
export async function updateEmbedding(
  sql: Sql,
  account: number,
  { hosts, unknown_users }: EmbeddingChanges,
): Promise<Json<Embedding>> {
  const changed = await oneJson<Embedding>(
    sql,
    sql`select ${settings(sql)} from updated`,
    sql`
      with updated as (
        update accounts
        set
          embedding_hosts = coalesce(${hosts ?? null}::text[], embedding_hosts),
          embedding_unknown_users = coalesce(${unknown_users ?? null}, embedding_unknown_users),
          updated_at = now()
        where id = ${account}
        returning *
      )
    `,
  );
  if (!changed) throw notFound("Account");
  return changed;
}

export async function findEmbeddingHosts(sql: Sql, account: number): Promise<string[] | undefined> {
  const [row] = await sql<{ hosts: string[] }[]>`select embedding_hosts as hosts from accounts where id = ${account}`;
  return row?.hosts;
}

const columns = (sql: Sql) => sql`k.id, k.id::text as kid, k.name, k.created_by_id, iso(k.created_at) as created_at`;

export function listEmbeddingKeys(sql: Sql, account: number, page: EmbeddingKeyPage) {
  const own = sql`from embedding_keys k where k.account_id = ${account}`;
  const order = page.sort === "-id" ? sql`k.id desc` : sql`k.id`;
  return listJson<EmbeddingKey>(
    sql,
    sql`select ${columns(sql)} ${own} order by ${order} ${slice(sql, page)}`,
    sql`select count(*) ${own}`,
  );
}

export async function countEmbeddingKeys(sql: Sql, account: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from embedding_keys where account_id = ${account}
  `;
  return row?.count ?? 0;
}

/** The id of a key that is inserted next: its secret is encrypted for this id. */
export async function nextKeyId(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('embedding_keys', 'id'))::int as id
  `;
  if (!row) throw new Error("a sequence returned no value");
  return row.id;
}

export async function insertEmbeddingKey(
  sql: Sql,
  { account_id, user_id }: Viewer,
  { id, name, secret: { bytes, key_id } }: { id: number; name: string; secret: Encrypted },
): Promise<EmbeddingKey> {
  const [key] = await sql<EmbeddingKey[]>`
    with k as (
      insert into embedding_keys (id, account_id, name, secret, secret_key_id, created_by_id)
      overriding system value
      values (${id}, ${account_id}, ${name}, ${bytes}, ${key_id}, ${user_id})
      returning *
    )
    select ${columns(sql)} from k
  `;
  if (!key) throw new Error("an insert returned no row");
  return key;
}

export async function deleteEmbeddingKey(sql: Sql, account: number, id: number): Promise<boolean> {
  const { count } = await sql`delete from embedding_keys where id = ${id} and account_id = ${account}`;
  return count > 0;
}
