/** Finds users by their ids, without a token or session, through a cache of a few seconds. */
import type { Pool } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import type { KnownUser, Users } from "../../reach.ts";
import { accountKey, ofAccount, readAccountKey, remember } from "../../remembered.ts";
import { findKnownUser } from "./queries.ts";

/** How long a user is believed if a notification is lost. */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;

export interface UserMemory extends Users {
  forget(): void;
  close(): Promise<void>;
}

export function createUsers({ sql, log }: { sql: Pool; log: Log }): UserMemory {
  const users = remember<string, KnownUser>({
    async load(key) {
      const [account_id, user_id] = readAccountKey(key);
      return await findKnownUser(sql, account_id, Number(user_id));
    },
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    notified: ofAccount(sql, log, "viewers_changed"),
  });
  return {
    find: (account_id, user_id) => users.find(accountKey(account_id, String(user_id))),
    forget: users.forgetAll,
    close: users.close,
  };
}
