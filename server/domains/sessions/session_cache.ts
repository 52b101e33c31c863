/** Finds viewers by their sessions, through a cache of a few seconds, and records when each session was last seen. */
import type { Clock } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import { type Log } from "../../log.ts";
import { ofAccount, remember } from "../../remembered.ts";
import { createUses } from "../../uses.ts";
import type { Viewer, Viewers } from "../../viewer.ts";
import { findSessionViewer, touchSessions } from "./queries.ts";
import { hashOfSession } from "./secret.ts";

/** A session that has ended must be refused within 5 s in other server processes, even if a notification is lost. */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;

export interface SessionMemory extends Pick<Viewers, "cachedSession" | "bySession" | "bySessionId" | "forget"> {
  /** Writes the times that are not written yet, and stops. */
  close(): Promise<void>;
}

export function createSessionViewers({ sql, clock, log }: { sql: Pool; clock: Clock; log: Log }): SessionMemory {
  /** By the secret of the cookie, and by the session's id, which page tokens contain. */
  const viewers = remember<string | number, Viewer>({
    load: async (by) => Object.freeze(await findSessionViewer(sql, typeof by === "number" ? by : hashOfSession(by))),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    notified: ofAccount(sql, log, "viewers_changed"),
  });
  const uses = createUses({
    clock,
    write: (noted) => touchSessions(sql, noted),
    log,
    failure: "last times of sessions not written",
  });
  const seen = (viewer: Viewer | undefined) => {
    if (viewer?.session_id) uses.note(viewer.session_id, viewer.account_id);
    return viewer;
  };
  const find = async (by: string | number) => seen(await viewers.find(by));

  return {
    cachedSession: (secret) => seen(viewers.peek(secret)),
    bySession: find,
    bySessionId: find,
    forget: viewers.forgetAll,
    async close() {
      await uses.close();
      await viewers.close();
    },
  };
}
