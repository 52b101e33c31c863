/** Notes in the audit log when an admin begins to view the account as another user. */
import { bounded } from "../../remembered.ts";
import { actorOf } from "../../actor.ts";
import type { Clock } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import { lowestId } from "../../database/uuid_v7.ts";
import type { Viewers } from "../../viewer.ts";

const HOUR_MS = 3_600_000;
const REMEMBERED = 10_000;

/** One entry for an admin and a user within an hour, whatever the number of requests and of server processes. */
export function createViews({ sql, clock }: { sql: Pool; clock: Clock }): Pick<Viewers, "noteView"> {
  const noted = bounded<string, { at: number; written: Promise<void> }>(REMEMBERED);
  return {
    async noteView(admin, user_id, call) {
      const now = clock.now().getTime();
      const key = `${admin.account_id} ${admin.user_id} ${user_id}`;
      const known = noted.get(key);
      if (known && now - known.at < HOUR_MS) return await known.written;
      const { user_id: _admin, ...actor } = actorOf({ ...call, viewer: admin, caller: undefined });
      const written = sql.begin(async (tx) => {
        // Another process may note the same view now.
        await tx`select pg_advisory_xact_lock(hashtextextended(${`view ${key}`}, 0))`;
        await tx`
          insert into audit_entries (account_id, action, object, object_id, user_id, actor)
          select ${admin.account_id}::int, 'view_as', 'user_setting', ${`${user_id}`}, ${admin.user_id}::int,
            ${JSON.stringify(actor)}::text::jsonb
          where not exists (
            select from audit_entries
            where account_id = ${admin.account_id}
              and object = 'user_setting'
              and object_id = ${`${user_id}`}
              and id >= ${lowestId(now - HOUR_MS)}
              and action = 'view_as'
              and user_id = ${admin.user_id}
          )
        `;
      }).then(() => {});
      noted.set(key, { at: now, written });
      written.catch(() => noted.delete(key));
      await written;
    },
  };
}
