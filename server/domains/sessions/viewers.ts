/** Everything that proves a viewer, API tokens and sessions, and the users that act without a request. */
import type { Clock } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import type { Keys } from "../../secrets/keys.ts";
import type { Viewers } from "../../viewer.ts";
import { createViews } from "../audit/views.ts";
import { createVouchedViewers } from "../embedding/vouched_viewers.ts";
import { createTokenViewers } from "../tokens/viewer_cache.ts";
import { createUsers } from "../user_settings/user_cache.ts";
import { createSessionViewers } from "./session_cache.ts";

interface Parts {
  sql: Pool;
  keys: Keys;
  config: { base_url: string };
  clock: Clock;
  log: Log;
}

export function createViewers(parts: Parts): Viewers & { close(): Promise<void> } {
  const [tokens, sessions, users] = [createTokenViewers(parts), createSessionViewers(parts), createUsers(parts)];
  const vouched = createVouchedViewers(parts);
  return {
    ...tokens,
    ...sessions,
    ...vouched,
    ...createViews(parts),
    users,
    forget() {
      tokens.forget();
      sessions.forget();
      users.forget();
      vouched.forget();
    },
    async close() {
      await Promise.all([tokens.close(), sessions.close(), users.close(), vouched.close()]);
    },
  };
}
