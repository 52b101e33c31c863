/** Creating, changing and deleting teams, groups and mailboxes. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { conflict, notFound } from "../../errors.ts";
import { deleteEntry, type Directory, findEntry, insertEntry, updateEntry, type Values } from "./queries.ts";
import type { Entry } from "./schema.ts";

export async function createEntry<T extends Entry>(
  { sql, viewer }: Context,
  directory: Directory,
  values: Values,
): Promise<Json<T>> {
  return found(await insertEntry<T>(sql, directory, viewer.account_id, values));
}

/** @throws {Refusal} 404; 409 if `lock_version` is not the current one */
export async function changeEntry<T extends Entry>(
  { sql, viewer: { account_id } }: Context,
  directory: Directory,
  id: number,
  { lock_version, ...values }: Values & { lock_version?: number },
): Promise<Json<T>> {
  const updated = await updateEntry<T>(sql, directory, account_id, id, values, lock_version);
  if (updated) return updated;
  const current = found(await findEntry<T>(sql, directory, account_id, id));
  throw conflict(current.parse());
}

/** Deletes its memberships, too, so cached viewers are dropped. @throws {Refusal} 404 */
export async function removeEntry({ sql, viewer, viewers }: Context, directory: Directory, id: number): Promise<void> {
  if (!await deleteEntry(sql, directory, viewer.account_id, id)) throw notFound();
  viewers.forget();
}

function found<T>(entry: Json<T> | undefined): Json<T> {
  if (!entry) throw notFound();
  return entry;
}
