/** Starts runs: stores the head durably before the caller gets the run's id. */
import { invalid, unavailable } from "../../errors.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { NoReach, reachOfAuthor, type Users } from "../../reach.ts";
import { visibleTo } from "../../visibility.ts";
import { proveInput } from "../declared/input.ts";
import { NO_FLOW } from "../flow.ts";
import type { Heartbeat } from "../lease/heartbeat.ts";
import type { KnownFlow, Programs } from "../storage/program_cache.ts";
import type { Kept, RunStore } from "../storage/run_store.ts";
import { newHead } from "./heads.ts";
import type { Limits } from "./limits.ts";
import type { NewRun } from "./model.ts";

interface Deps {
  users: Users;
  programs: Programs;
  store: RunStore;
  heartbeat: Heartbeat;
  limits: Limits;
  clock: { now(): Date };
  closing: AbortSignal;
  /** Runs that wait or are executed in this process: all, or those of the share of a run. */
  count(of?: NewRun): number;
  /** Executes the run when it is its turn. */
  enqueue(kept: Kept): void;
}

export interface Starts {
  /** @throws {Refusal} as `Flows.start` */
  start(run: NewRun): Promise<{ id: string }>;
  /** Whether the run is being started: its head may be stored already, while its job does not exist yet. */
  isStarting(id: string): boolean;
}

export function createStarts(deps: Deps): Starts {
  const { users, programs, store, heartbeat, limits, clock, closing, count, enqueue } = deps;
  const starting = new Set<string>();
  /** Triggers may wait in half the number, beside the others. */
  const mostOf = ({ trigger }: NewRun) => limits.most_per_account / (trigger === "cron" ? 2 : 1);
  return {
    isStarting: (id) => starting.has(id),
    async start(run) {
      if (closing.aborted) throw unavailable("The server is stopping", undefined, 1);
      const flow = await programs.find(run.account_id, run.flow_code);
      if (!flow || !await isVisible(users, run, flow.department_id)) throw invalid({ flow_code: [NO_FLOW] });
      if (!flow.active) throw invalid({ flow_code: ["is not active"] });
      const input = await declaredInput(programs, run, flow);
      if (count() >= limits.most || count(run) >= mostOf(run)) throw unavailable("Too many runs wait", undefined, 5);
      const head = newHead({ ...run, input }, flow, await heartbeat.prove(), clock.now().getTime());
      starting.add(head.id);
      try {
        const made = await store.create(head, run.idempotency_key);
        if ("id" in made) {
          if (made.same) return { id: made.id };
          throw invalid({ idempotency_key: ["has been used with another input"] });
        }
        enqueue(made);
        return { id: head.id };
      } finally {
        starting.delete(head.id);
      }
    },
  };
}

/** The input, with the defaults that the flow declares. @throws {Refusal} 422 where it does not match */
async function declaredInput(programs: Programs, run: NewRun, flow: KnownFlow): Promise<JsonObject> {
  const { account_id, flow_version = flow.version, input } = run;
  if (run.flow_version === undefined && !flow.declares_input) return input;
  const program = await programs.read({ account_id, flow_id: flow.id, flow_version });
  return proveInput(program?.input, input);
}

/** Whether the author of the action or trigger sees the flow now. @throws {Refusal} 422 if there is no such author */
async function isVisible(
  users: Users,
  { account_id, author, reach }: NewRun,
  department_id: number | null,
): Promise<boolean> {
  if (reach) return visibleTo(reach, department_id);
  if (!author) return true;
  try {
    return visibleTo(await reachOfAuthor(users, account_id, author.id, author.of), department_id);
  } catch (error) {
    throw error instanceof NoReach ? invalid({ base: [error.message] }) : error;
  }
}
