/** Turns of runs whose flow has `max_at_once`: taken at the start, passed on at the end, and mended by the sweep. */
import type { Pool } from "../../database/pool.ts";
import { conflict, unavailable } from "../../errors.ts";
import type { RunHead } from "../run/model.ts";
import type { RunStore } from "../storage/run_store.ts";
import {
  dropTurn,
  findTurn,
  type HeldTurn,
  listHeld,
  listQueues,
  type OfFlow,
  passTurns,
  takeTurn,
} from "./turn_store.ts";

/** Leases: longer than a start takes from its turn to its head in Deno KV. */
const STARTING_LEASES = 2;
const PAGE = 500;
/** Queues that one sweep looks at. */
const MOST_QUEUES = 1_000;

interface Deps {
  sql: Pool;
  store: RunStore;
  clock: { now(): Date };
  lease_ms: number;
  /** Wakes the runs that are due. */
  wakeDue(): Promise<void>;
}

export interface Turns {
  /**
   * For a new run: it holds a turn now, or is queued.
   *
   * @returns false if its flow has no limit any more
   * @throws {Refusal} 409 if the flow skips it; 503 if too many runs wait
   */
  take(run: RunHead): Promise<boolean>;
  /** Whether it is the run's turn. The first of the queue does not wait for the sweep. */
  holds(run: RunHead): Promise<boolean>;
  /** A run of the flow has ended, or the flow's limit has changed. @param given_back a run that was not started after all */
  pass(of: OfFlow, given_back?: string): Promise<void>;
  /** Mends what processes that died have left: turns of runs that ended or were never started, and turns not passed on. */
  sweep(): Promise<void>;
}

export function createTurns({ sql, store, clock, lease_ms, wakeDue }: Deps): Turns {
  const take = async (run: RunHead, is_started: boolean) => {
    const taken = await takeTurn(sql, run, clock.now(), is_started);
    if (taken.woken > 0) await wakeDue();
    return taken;
  };
  const pass = async (of: OfFlow, given_back?: string) => {
    if (await passTurns(sql, of, clock.now(), given_back) > 0) await wakeDue();
  };

  /** Its process may have died after it took the turn and before it stored the run. No caller got the id of such a run. */
  async function mend(turn: HeldTurn): Promise<void> {
    // Deno KV before PostgreSQL: a run that begins to wait in between is found in PostgreSQL.
    if (!turn.has_ended && await store.find(turn.account_id, turn.run_id)) return;
    if (!turn.has_ended) await dropTurn(sql, turn);
    await pass(turn);
  }

  return {
    pass,
    async take(run) {
      const { turn, max_at_once } = await take(run, false);
      if (turn === "full") throw unavailable("Too many runs wait", undefined, 5);
      if (turn !== "skipped") return turn !== "free";
      const are = max_at_once === 1 ? "run is" : "runs are";
      throw conflict(
        { flow_code: run.flow_code, max_at_once },
        `${max_at_once} ${are} in progress, which is as many as ${run.flow_code} may have`,
      );
    },
    async holds(run) {
      // Without one its process died before it took a turn, or the limit was another one.
      const turn = await findTurn(sql, run.account_id, run.id) ?? (await take(run, true)).turn;
      return turn !== "queued";
    },
    async sweep() {
      const before = new Date(clock.now().getTime() - STARTING_LEASES * lease_ms);
      let after: Pick<HeldTurn, "flow_id" | "run_id"> | undefined = {
        flow_id: 0,
        run_id: "00000000-0000-0000-0000-000000000000",
      };
      while (after) {
        const held: HeldTurn[] = await listHeld(sql, before, after, PAGE);
        for (const turn of held) await mend(turn);
        after = held.length === PAGE ? held.at(-1) : undefined;
      }
      for (const queue of await listQueues(sql, MOST_QUEUES)) await pass(queue);
    },
  };
}
