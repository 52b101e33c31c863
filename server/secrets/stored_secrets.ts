/** Whether a lost key would make something unreadable. */
import type { Sql } from "../database/pool.ts";

/** Secrets of connectors, embedding keys, webhooks, runs and examples, of all accounts. */
export async function hasStoredSecrets(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select
      exists (select from connectors where secret_key_id is not null)
      or exists (select from embedding_keys)
      or exists (select from webhooks where secret_key_id is not null)
      or exists (select from flow_processes where sealed is not null)
      or exists (select from flow_examples where sealed is not null) as found
  `;
  return row?.found ?? false;
}
