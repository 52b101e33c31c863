/** Runs that other processes left behind, and who takes them. */
import type { Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import { fence } from "../storage/history.ts";
import type { Others } from "./peers.ts";
import type { Owner } from "./heartbeat.ts";
import type { Kept, RunStore } from "../storage/run_store.ts";

/** Runs that are claimed together: so many go into one commit. */
const AT_ONCE = 64;

interface Deps {
  sql: Sql;
  store: RunStore;
  owner: Owner;
  others: Others;
  log: Log;
  /** Whether this process takes one more. */
  hasRoom(): boolean;
  /** What this process has in hand, or is about to. */
  isOwn(id: string): boolean;
  /** Goes on with a run that is this process's from now on. */
  goOn(kept: Kept): void;
}

export interface Orphans {
  /** Claims them all. @returns in how many milliseconds somebody may be found dead; undefined where nobody is known */
  claim(): Promise<number | undefined>;
  /** Resolves when nothing is being claimed. */
  settled(): Promise<void>;
}

export function createOrphans({ sql, store, owner, others, log, ...engine }: Deps): Orphans {
  /** Takes a run that nobody works on. @returns false where another process was faster */
  async function claim({ head, versionstamp }: Kept, name: string): Promise<boolean> {
    const claimed = {
      ...head,
      owner: name,
      attempts: head.attempts + 1,
      lost: head.lost + (head.owner === "" || head.owner === name ? 0 : 1),
    };
    const mine = await store.checkpoint({ head: claimed, versionstamp });
    if (mine === undefined) return false;
    // Its process may have gone away between the outcome and the end of its keys.
    if (await fence(sql, claimed)) await store.clear(claimed);
    else engine.goOn({ head: claimed, versionstamp: mine });
    return true;
  }

  async function claimAll(): Promise<number | undefined> {
    const name = await owner.prove();
    const again_ms = await others.bury(name);
    let claimed = 0;
    let page: Kept[] = [];
    const claimPage = async () => {
      const done = await Promise.all(page.map((kept) => claim(kept, name)));
      claimed += done.filter(Boolean).length;
      page = [];
    };
    for await (const kept of store.list()) {
      if (!engine.hasRoom()) break;
      const { id, owner } = kept.head;
      if (engine.isOwn(id) || owner !== "" && owner !== name && await others.isStanding(owner)) continue;
      page.push(kept);
      if (page.length === AT_ONCE) await claimPage();
    }
    await claimPage();
    if (claimed > 0) log.info("runs claimed", { claimed });
    return again_ms;
  }

  let claiming: Promise<number | undefined> | undefined;
  return {
    // One look at a time: what this process is about to take must not seem left behind by itself.
    claim: () => claiming ??= claimAll().finally(() => claiming = undefined),
    settled: async () => {
      await claiming?.catch(() => {});
    },
  };
}
