/** Takeover: claims runs whose owner is dead or has handed them over, so that they continue in this process. */
import type { Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import type { RunHead } from "../run/model.ts";
import { fence } from "../storage/history.ts";
import { claimWaiting, forgetWait } from "../waiting/wait_store.ts";
import type { Kept, RunStore } from "../storage/run_store.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Peers } from "./peers.ts";

/** Runs that are claimed together: their writes share one commit. */
const AT_ONCE = 64;

interface Deps {
  sql: Sql;
  store: RunStore;
  heartbeat: Heartbeat;
  peers: Peers;
  log: Log;
  /** Whether this process can queue another run. */
  hasRoom(): boolean;
  /** Whether this process starts, executes or removes the run. */
  isOwn(id: string): boolean;
  /** The run has ended; its failure may call a flow. @returns false if that is to be tried again */
  passOn(head: RunHead): Promise<boolean>;
  /** Continues a run that this process has claimed. */
  resume(kept: Kept): void;
}

export interface Takeover {
  /**
   * Claims every run without a living owner.
   *
   * @returns milliseconds until the next peer may be found dead; undefined without other peers
   */
  claimAll(): Promise<number | undefined>;
  /** Resolves when no claim is in progress. */
  settled(): Promise<void>;
}

export function createTakeover({ sql, store, heartbeat, peers, log, hasRoom, isOwn, passOn, resume }: Deps): Takeover {
  /** @returns false if a peer was faster */
  async function claim({ head, versionstamp }: Kept, lease: string): Promise<boolean> {
    const claimed = {
      ...head,
      owner: lease,
      attempts: head.attempts + 1,
      working: false,
      lost: head.lost + (head.owner === "" || head.owner === lease || !head.working ? 0 : 1),
    };
    const own_versionstamp = await store.checkpoint({ head: claimed, versionstamp });
    if (own_versionstamp === undefined) return false;
    // Its owner may have died after it recorded the outcome and before it deleted the keys.
    if (await fence(sql, claimed)) {
      if (!await passOn(claimed)) return true;
      if (head.woken_at !== undefined) await forgetWait(sql, head.id);
      await store.clear(claimed);
    } // Or after it suspended the run.
    else if (await claimWaiting(sql, claimed)) await store.release({ head: claimed, versionstamp: own_versionstamp });
    else resume({ head: claimed, versionstamp: own_versionstamp });
    return true;
  }

  async function claimAll(): Promise<number | undefined> {
    const lease = await heartbeat.prove();
    const next_ms = await peers.declareDead(lease);
    let claimed = 0;
    let batch: Kept[] = [];
    const claimBatch = async () => {
      const results = await Promise.all(batch.map((kept) => claim(kept, lease)));
      claimed += results.filter(Boolean).length;
      batch = [];
    };
    for await (const kept of store.list()) {
      if (!hasRoom()) break;
      const { id, owner } = kept.head;
      if (isOwn(id) || owner !== "" && owner !== lease && await peers.isAlive(owner)) continue;
      batch.push(kept);
      if (batch.length === AT_ONCE) await claimBatch();
    }
    await claimBatch();
    if (claimed > 0) log.info("runs claimed", { claimed });
    return next_ms;
  }

  let claiming: Promise<number | undefined> | undefined;
  return {
    // One pass at a time: a second pass would see runs that the first one is about to claim as abandoned.
    claimAll: () => claiming ??= claimAll().finally(() => claiming = undefined),
    settled: async () => {
      await claiming?.catch(() => {});
    },
  };
}
