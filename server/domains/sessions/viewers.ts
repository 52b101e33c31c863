/** Everything that proves a viewer: API tokens and sessions. */
import type { Clock } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import type { Viewers } from "../../viewer.ts";
import { createTokenViewers } from "../tokens/viewer_cache.ts";
import { createSessionViewers } from "./session_cache.ts";

export function createViewers(parts: { sql: Pool; clock: Clock; log: Log }): Viewers & { close(): Promise<void> } {
  const [tokens, sessions] = [createTokenViewers(parts), createSessionViewers(parts)];
  return {
    ...tokens,
    ...sessions,
    forget() {
      tokens.forget();
      sessions.forget();
    },
    async close() {
      await Promise.all([tokens.close(), sessions.close()]);
    },
  };
}
