/** Runs that have ended, as rehearsals repeat them. */
import type { Context } from "../../../context.ts";
import type { Sql } from "../../../database/pool.ts";
import { createdAt } from "../../../database/uuid_v7.ts";
import { isoOf } from "../../../database/iso_time.ts";
import {
  type Answer,
  asksOutside,
  findUser,
  type JsonObject,
  type Outcome,
  type RunUser,
  type SeenRun,
  type StepRecord,
  type Trigger,
} from "../../../flow/flow.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible, visibleTo } from "../../../visibility.ts";
import { newest } from "../../flow_processes/newest.ts";

export interface RecordedRun extends Outcome {
  id: string;
  trigger: Trigger;
  user_id: number | null;
  trigger_data: JsonObject | null;
  flow_version: number;
  /** The secret inputs, encrypted. */
  sealed: string | null;
  input: JsonObject;
  steps: StepRecord[];
}

/** A run of the flow that the viewer may see. @param run_id undefined for the latest one */
export async function findRecorded(
  sql: Sql,
  viewer: Viewer,
  flow: { id: number; code: string },
  run_id: string | undefined,
): Promise<RecordedRun | undefined> {
  const latest = newest(sql, "flow_code", flow.code);
  const [row] = await sql<RecordedRun[]>`
    select id, trigger, user_id, trigger_data, flow_version, status, data, error, input, sealed, steps
    from flow_processes
    where account_id = ${viewer.account_id}
      and ${run_id === undefined ? latest.where : sql`id = ${run_id} and flow_code = ${flow.code}`}
      and flow_id = ${flow.id}
      and ${visible(sql, viewer)}
    ${run_id === undefined ? latest.order : sql``}
    limit 1
  `;
  return row;
}

/** What a check needs of a run. */
export type KnownRun = Pick<RecordedRun, "id" | "trigger" | "user_id" | "trigger_data" | "input" | "steps">;

/** Like `findRecorded`. With `run_id` a run in progress or one that waits is found, too. */
export async function findKnown(
  { sql, viewer, flows }: Context,
  flow: { id: number; code: string },
  run_id: string | undefined,
): Promise<KnownRun | undefined> {
  const begun = run_id === undefined ? undefined : await flows.inspect(viewer.account_id, run_id);
  // After Deno KV: a run that ends in between is found in PostgreSQL.
  const ended = await findRecorded(sql, viewer, flow, run_id);
  if (ended || !begun || begun.head.flow_id !== flow.id || !visibleTo(viewer, begun.head.department_id)) return ended;
  const { head: { id, trigger, user_id, trigger_data = null }, input, steps } = begun;
  return { id, trigger, user_id, trigger_data, input, steps: [...steps] };
}

/** What templates of the run saw as `run`. */
export function seenBy({ id, trigger }: Pick<RecordedRun, "id" | "trigger">): SeenRun {
  const started_at = isoOf(createdAt(id));
  return { id, date: started_at.slice(0, 10), started_at, trigger };
}

/** What templates of the run saw as `user`. */
export const userOf = ({ sql, viewer }: Context, { user_id }: { user_id: number | null }): Promise<RunUser | null> =>
  findUser(sql, { user_id, account_id: viewer.account_id });

/** The answers of a run by place. */
export const answersByPlace = (steps: readonly StepRecord[]): Map<string, Answer> =>
  new Map(
    steps.filter(({ type, status, truncated }) => asksOutside(type) && isEnded(status) && !truncated)
      .map(({ place, output, http_status, error }) => [place, { output, http_status, error }]),
  );

const isEnded = (status: StepRecord["status"]) => status === "finished" || status === "error";

export function answersOf(steps: readonly StepRecord[]): (place: string) => Answer | undefined {
  const answers = answersByPlace(steps);
  return (place) => answers.get(place);
}
