/** Finds viewers by their API tokens, through a cache of a few seconds, and records when each token was last used. */
import type { Clock } from "../../context.ts";
import type { Viewer, Viewers } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { faultOf, type Log } from "../../log.ts";
import { remember } from "../../remembered.ts";
import { createGuesses } from "./guesses.ts";
import { findViewer, touchTokens } from "./queries.ts";
import { hashOf } from "./secret.ts";

/** A revocation must hold within 5 s in other server processes. The remaining second is for the query. */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;
const WRITE_USES_EVERY_MS = 30_000;

export interface ViewerMemory extends Viewers {
  /** Writes the last uses that are not written yet, and stops. */
  close(): Promise<void>;
}

export function createViewers({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): ViewerMemory {
  /** By the token as sent, and by its id, which page tokens contain. */
  const viewers = remember<string | number, Viewer>({
    load: async (token) => Object.freeze(await findViewer(sql, typeof token === "number" ? token : hashOf(token))),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    until: ({ expires_at }) => expires_at === null ? Infinity : Date.parse(expires_at),
    now: () => clock.now().getTime(),
  });
  const guesses = createGuesses(clock);
  /** Milliseconds since 1970 by token id. */
  const uses = new Map<number, number>();

  const writeUses = async () => {
    if (uses.size === 0) return;
    const written = new Map(uses);
    uses.clear();
    await touchTokens(sql, written).catch((error) => log.warn("last uses of tokens not written", faultOf(error)));
  };
  const timer = setInterval(writeUses, WRITE_USES_EVERY_MS);
  Deno.unrefTimer(timer);

  const used = (viewer: Viewer | undefined) => {
    if (viewer) uses.set(viewer.token_id, clock.now().getTime());
    return viewer;
  };
  const find = async (token: string | number) => used(await viewers.find(token));

  return {
    cached: (token) => used(viewers.peek(token)),
    byToken: (token, address) => guesses.limited(token, address, () => find(token)),
    byTokenId: find,
    forget: viewers.forgetAll,
    async close() {
      clearInterval(timer);
      await writeUses();
    },
  };
}
