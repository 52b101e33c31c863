/** Events that change no row of an audited table. */
import { type Actor } from "../../actor.ts";
import type { Sql } from "../../database/pool.ts";

/**
 * A sign-in that was refused.
 *
 * @param user the user whose login was sent. An unknown login is not kept: people type passwords into the wrong field
 */
export const insertFailedSignIn = (
  sql: Sql,
  account: number,
  user: number | undefined,
  { user_id: _anonymous, ...actor }: Actor,
) =>
  sql`
    insert into audit_entries (account_id, action, object, object_id, actor)
    values (${account}, 'sign_in_failed', 'user_setting', ${user?.toString() ?? null}, ${
    JSON.stringify(actor)
  }::text::jsonb)
  `;
