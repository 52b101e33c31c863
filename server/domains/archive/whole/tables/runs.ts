/** Ended runs, without the secret inputs, which are encrypted for the server that has them, and their counts by day. */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { Id, Uuid } from "../../../../input/shapes.ts";
import { byUuid, Moment, type MovedTable } from "../moved.ts";

/** The trigger that began it, also of runs that others have started. Templates see it, and records note it. */
const TriggerData = z.looseObject({ cron_id: Id });
const Terms = z.array(z.string().regex(/^-?\d{1,19}$/)).max(32).nullable();

export const runs: MovedTable = {
  name: "runs",
  with: "runs",
  table: part`flow_processes`,
  columns: part`
    id, department_id, flow_id, flow_version, flow_code, trigger, status, app_id, action, cron_id, parent_id, failure_of,
    failure_run_id, trigger_data, user_id, retry_of, attempts, input, input_terms, data, error, steps, failed_steps,
    warnings, started_at, finished_at
  `,
  // The terms are hashes of 64 bits, which no number of JSON holds.
  selected: part`
    id, department_id, flow_id, flow_version, flow_code, trigger, status, app_id, action, cron_id, parent_id, failure_of,
    failure_run_id, trigger_data, user_id, retry_of, attempts, input, input_terms::text[] as input_terms, data, error,
    steps, failed_steps, warnings, started_at, finished_at
  `,
  ...byUuid,
  at_once: 50,
  references: {
    department_id: ["department", "null"],
    flow_id: ["flow", "new"],
    cron_id: ["trigger", "new"],
    user_id: ["user", "new"],
  },
  shape: z.object({
    id: Uuid,
    flow_id: Id,
    flow_version: z.int().min(1),
    flow_code: z.string(),
    input: z.record(z.string(), z.unknown()),
    input_terms: Terms,
    steps: z.array(z.unknown()),
    started_at: Moment,
    finished_at: Moment,
  }),
  async settle({ trigger_data }, { ctx: { sql }, ids }) {
    const { data } = TriggerData.safeParse(trigger_data);
    if (!data) return {};
    await ids.reserve(sql, "trigger", [data.cron_id]);
    return { trigger_data: { ...data, cron_id: ids.find("trigger", data.cron_id) } };
  },
  async follow(rows, { ctx: { sql }, account }) {
    const found_by = rows.flatMap(({ id, input_terms }) =>
      (Terms.parse(input_terms) ?? []).map((term) => ({ term, run_id: id }))
    );
    if (found_by.length === 0) return;
    await sql`
      insert into flow_inputs (account_id, term, run_id)
      select ${account}, term, run_id
      from json_to_recordset(${JSON.stringify(found_by)}::text::json) as t (term bigint, run_id uuid)
      on conflict do nothing
    `;
  },
};

export const outcomes: MovedTable = {
  name: "run_counts",
  with: "runs",
  table: part`flow_outcomes`,
  columns: part`day, flow_code, trigger, status, department_id, count`,
  key: part`day, flow_code, trigger, status, coalesce(department_id, 0)`,
  keyOf: ({ day, flow_code, trigger, status, department_id }) =>
    part`
      ${String(day)}::date, ${String(flow_code)}, ${String(trigger)}, ${String(status)}, ${
      Number(department_id ?? 0)
    }::int
    `,
  at_once: 1_000,
  references: { department_id: ["department", "new"] },
  shape: z.object({ day: z.iso.date(), flow_code: z.string(), count: z.int().min(0) }),
};
