/** Finds viewers by their API tokens, through a cache of a few seconds, and records when each token was last used. */
import type { Clock } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import { type Log } from "../../log.ts";
import { ofAccount, remember } from "../../remembered.ts";
import { createUses } from "../../uses.ts";
import type { Viewer, Viewers } from "../../viewer.ts";
import { createGuesses } from "./guesses.ts";
import { findViewer, touchTokens } from "./queries.ts";
import { hashOf } from "./secret.ts";

/**
 * A revocation must hold within 5 s in other server processes, even if a notification is lost. The remaining second is for
 * the query.
 */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;

export interface TokenMemory extends Pick<Viewers, "cached" | "byToken" | "byTokenId" | "forget"> {
  /** Writes the last uses that are not written yet, and stops. */
  close(): Promise<void>;
}

export function createTokenViewers({ sql, clock, log }: { sql: Pool; clock: Clock; log: Log }): TokenMemory {
  /** By the token as sent, and by its id, which page tokens contain. */
  const viewers = remember<string | number, Viewer>({
    load: async (token) => Object.freeze(await findViewer(sql, typeof token === "number" ? token : hashOf(token))),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    until: ({ expires_at }) => expires_at === null ? Infinity : Date.parse(expires_at),
    now: () => clock.now().getTime(),
    notified: ofAccount(sql, log, "viewers_changed"),
  });
  const uses = createUses({
    clock,
    write: (noted) => touchTokens(sql, noted),
    log,
    failure: "last uses of tokens not written",
  });
  const guesses = createGuesses(clock);
  const used = (viewer: Viewer | undefined) => {
    if (viewer?.token_id) uses.note(viewer.token_id, viewer.account_id);
    return viewer;
  };
  const find = async (token: string | number) => used(await viewers.find(token));

  return {
    cached: (token) => used(viewers.peek(token)),
    byToken: (token, address) => guesses.limited(token, address, () => find(token)),
    byTokenId: find,
    forget: viewers.forgetAll,
    async close() {
      await uses.close();
      await viewers.close();
    },
  };
}
