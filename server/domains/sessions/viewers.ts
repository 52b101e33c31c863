/** Everything that proves a viewer, API tokens and sessions, and the users that act without a request. */
import type { Clock } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import type { Viewers } from "../../viewer.ts";
import { createTokenViewers } from "../tokens/viewer_cache.ts";
import { createUsers } from "../user_settings/user_cache.ts";
import { createSessionViewers } from "./session_cache.ts";

export function createViewers(parts: { sql: Pool; clock: Clock; log: Log }): Viewers & { close(): Promise<void> } {
  const [tokens, sessions, users] = [createTokenViewers(parts), createSessionViewers(parts), createUsers(parts)];
  return {
    ...tokens,
    ...sessions,
    users,
    forget() {
      tokens.forget();
      sessions.forget();
      users.forget();
    },
    async close() {
      await Promise.all([tokens.close(), sessions.close(), users.close()]);
    },
  };
}
