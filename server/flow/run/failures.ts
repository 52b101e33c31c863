/** Calls the flow that a flow names in `on_failure`, when a run of it has ended in error. */
import type { Sql } from "../../database/pool.ts";
import { Refusal } from "../../errors.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { faultOf, type Log } from "../../log.ts";
import { NoReach, reachOfRun, type Users } from "../../reach.ts";
import { derivedId } from "../steps/derived_id.ts";
import type { Services } from "../steps/step_type.ts";
import type { Programs } from "../storage/program_cache.ts";
import type { RunHead, StepRecord } from "./model.ts";

/** Steps that the called flow is told of: the latest ones. */
const MOST_STEPS = 100;

interface Deps {
  sql: Sql;
  users: Users;
  programs: Programs;
  runs: Services["runs"];
  log: Log;
}

/**
 * Starts the flow, if the run has ended in error and was not itself started by a failure. Called before the run is removed
 * from Deno KV, and again by the process that takes it over: the id of the run that is started derives from the failed one.
 *
 * @returns false if it is to be called again
 */
export type PassOn = (head: RunHead) => Promise<boolean>;

export function createPassOn({ sql, users, programs, runs, log }: Deps): PassOn {
  async function passOn(head: RunHead): Promise<void> {
    const { id, account_id } = head;
    // No loops: neither of flows that fail on their own failures, nor through the flows that they call.
    if (head.after_failure) return;
    const program = await programs.read(head);
    if (!program?.on_failure) return;
    const failed = await findFailed(sql, account_id, id);
    if (!failed) return;
    const flow_code = program.on_failure;
    const started = derivedId({ id, made_at: failed.finished_at }, "on_failure");
    if (!await runs.exists(account_id, started)) {
      try {
        await runs.start({
          id: started,
          account_id,
          flow_code,
          input: inputOf(head, failed),
          trigger: head.trigger,
          trigger_data: head.trigger_data,
          user_id: head.user_id,
          grant: head.grant,
          reach: await reachOfRun(users, head, program),
          failure_of: id,
          idempotency_key: `failure:${id}`,
        });
      } catch (error) {
        const is_final = error instanceof NoReach ||
          error instanceof Refusal && (error.status === 422 || error.status === 409);
        if (!is_final) throw error;
        log.warn("a flow could not be called with a failure", { run: id, flow_code, reason: error.message });
        return;
      }
    }
    await sql`update flow_processes set failure_run_id = ${started} where id = ${id} and account_id = ${account_id}`;
  }

  return async (head) => {
    try {
      await passOn(head);
      return true;
    } catch (error) {
      log.warn("a failure was not passed on yet", { run: head.id, ...faultOf(error) });
      return false;
    }
  };
}

interface Failed {
  error: string | null;
  input: JsonObject;
  steps: StepRecord[];
  /** Milliseconds since 1970. */
  finished_at: number;
}

async function findFailed(sql: Sql, account_id: number, id: string): Promise<Failed | undefined> {
  const [row] = await sql<Failed[]>`
    select error, input, steps, (extract(epoch from finished_at) * 1000)::float8 as finished_at
    from flow_processes
    where id = ${id}
      and account_id = ${account_id}
      and status = 'error'
  `;
  return row;
}

const inputOf = ({ id, flow_code }: RunHead, { error, input, steps }: Failed): JsonObject => ({
  flow_code,
  run_id: id,
  error,
  failed_steps: steps.filter(({ status }) => status === "error").slice(-MOST_STEPS)
    .map(({ place, type, name, error, http_status }) => ({ place, type, name, error, http_status })),
  input,
});
