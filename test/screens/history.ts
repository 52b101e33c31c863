/** Runs of the last two weeks and ledgers of triggers, for pictures of the console. */
import { lowestId } from "../../server/database/uuid_v7.ts";
import type { TestServer } from "../stage/harness.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Runs of each of the last 24 hours, the oldest first. */
const DAY = [2, 1, 1, 1, 2, 3, 6, 11, 17, 22, 24, 21, 18, 20, 23, 19, 14, 10, 7, 5, 4, 3, 3, 2];
const DAYS_BEFORE = 13;
const RUNS_A_DAY = 24;
/** Every so many runs one fails. */
const FAILS_EVERY = 41;
/** Due times of each trigger. */
const SLOTS = 90;

/** Numbers from 0 to 1 that are the same in every picture. */
function sequence(): () => number {
  let state = 7;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

interface Ended {
  id: string;
  flow_code: string;
  status: "finished" | "error";
  started_at: string;
  finished_at: string;
}

function runsOf(codes: readonly string[], now: number): Ended[] {
  const next = sequence();
  const run = (at: number, count: number): Ended => {
    const tail = `7000-8000-${count.toString(16).padStart(12, "0")}`;
    return {
      id: lowestId(at).replace(/0000-0000-0+$/, tail),
      flow_code: codes[count % codes.length] ?? "",
      status: count % FAILS_EVERY === FAILS_EVERY - 1 ? "error" : "finished",
      started_at: new Date(at).toISOString(),
      finished_at: new Date(at + 40 + next() * 900).toISOString(),
    };
  };
  const moments = DAY.flatMap((runs, hour) =>
    Array.from({ length: runs }, () => now - (DAY.length - hour - next()) * 60 * MINUTE_MS - 5 * MINUTE_MS)
  );
  const before = Array.from(
    { length: DAYS_BEFORE * RUNS_A_DAY },
    (_, n) => now - DAY_MS - n * DAY_MS / RUNS_A_DAY - next() * MINUTE_MS,
  );
  return [...before, ...moments].toSorted((a, b) => a - b).map(run);
}

/** Of a due time by its number, counted from the latest one. */
function slotOf(n: number): { state: string; outcome: string | null; reason: string | null } {
  if (n === 17 || n === 44) return { state: "ran", outcome: "error", reason: null };
  if (n % 23 === 9) return { state: "late", outcome: "finished", reason: "The server was restarted" };
  if (n === 30 || n === 31) return { state: "skipped", outcome: null, reason: "The run before it had not ended" };
  if (n === 61) return { state: "missed", outcome: null, reason: "The server was off" };
  return { state: "ran", outcome: "finished", reason: null };
}

/** Only pictures have it: its rows are written beside the API. */
export async function writeHistory({ sql, request }: TestServer): Promise<void> {
  const now = Date.now();
  const { body: flows } = await request("GET", "/connect/flows.json");
  const { body: me } = await request("GET", "/account/me.json");
  const runs = runsOf(flows.map(({ code }: { code: string }) => code), now);
  await sql`
    insert into flow_processes (
      id, account_id, flow_id, flow_version, flow_code, trigger, status, attempts, input, error, steps, failed_steps,
      started_at, finished_at
    )
    select
      id, ${me.account.id}, 1, 1, flow_code, 'manual', status, 1, '{}',
      case when status = 'error' then 'rates: The connector answered with status 503' end, '[]',
      case when status = 'error' then 1 else 0 end, started_at, finished_at
    from jsonb_to_recordset(${JSON.stringify(runs)}::text::jsonb) r (
      id uuid, flow_code text, status text, started_at timestamptz, finished_at timestamptz
    )
  `;
  const today = new Date(now).setUTCHours(17, 0, 0, 0);
  const slots = Array.from({ length: SLOTS }, (_, n) => ({
    due_at: new Date(today - (n + 1) * DAY_MS).toISOString(),
    ...slotOf(n),
  })).filter(({ due_at }) => new Date(due_at).getUTCDay() % 6 !== 0);
  await sql`
    insert into cron_runs (cron_id, account_id, due_at, state, reason, outcome, taken_at, started_at)
    select c.id, c.account_id, r.due_at, r.state, r.reason, r.outcome, r.due_at, r.due_at + interval '200 milliseconds'
    from crons c
    cross join jsonb_to_recordset(${JSON.stringify(slots)}::text::jsonb) r (
      due_at timestamptz, state text, reason text, outcome text
    )
    where c.account_id = ${me.account.id}
  `;
}
