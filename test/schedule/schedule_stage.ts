/** A schedule with its own database, a clock that tests set, and a fake flow engine that records the starts. */
import { openDatabase, type Pool } from "../../server/database/pool.ts";
import { invalid, unavailable } from "../../server/errors.ts";
import type { Flows, NewRun, RunState } from "../../server/flow/flow.ts";
import { createLog } from "../../server/log.ts";
import { createSchedules, type Overlap, type Schedules } from "../../server/schedule/schedule.ts";
import { fillPlace } from "../stage/places/places.ts";
import { BESIDE_SERVER } from "../stage/scenario.ts";
import { share, type Shared } from "../run/shared.ts";

/** The outcome of each run right after its start; `never`: the test ends the runs. */
type Ends = "finished" | "error" | "never";

export interface FakeFlows extends Pick<Flows, "start" | "wait"> {
  /** All calls of `start`, in order. */
  calls: NewRun[];
  /** Run ids by idempotency key. */
  runs: Map<string, string>;
  ends: Ends;
  /** Called before a start; may throw. */
  before: ((run: NewRun) => Promise<void> | void) | undefined;
  end(id: string, status: "finished" | "error" | "cancelled", error?: string): Promise<void>;
  /** Makes all runs unknown to the engine. */
  forget(): void;
}

const stateOf = (id: string, status: RunState["status"]): RunState => ({
  id,
  status,
  app_id: null,
  action: null,
  user_id: null,
  granted: null,
  department_id: null,
});

export function fakeFlows(sql: Pool, now: () => Date): FakeFlows {
  const started = new Map<string, NewRun>();
  const ended = new Map<string, RunState>();
  const fake: FakeFlows = {
    calls: [],
    runs: new Map(),
    ends: "finished",
    before: undefined,
    async start(run) {
      const { id = "", idempotency_key = "" } = run;
      await fake.before?.(run);
      fake.calls.push(run);
      const known = fake.runs.get(idempotency_key);
      if (known) return { id: known };
      fake.runs.set(idempotency_key, id);
      started.set(id, run);
      if (fake.ends !== "never") await fake.end(id, fake.ends, fake.ends === "error" ? "no answer" : undefined);
      return { id };
    },
    wait(_account, id) {
      return Promise.resolve(ended.get(id) ?? (started.has(id) ? stateOf(id, "pending") : undefined));
    },
    forget() {
      started.clear();
      ended.clear();
    },
    async end(id, status, error) {
      const run = started.get(id);
      if (!run) throw new Error("no such run");
      ended.set(id, stateOf(id, status));
      await insertProcess(sql, run, { status, error, at: now() });
    },
  };
  return fake;
}

export async function insertProcess(
  sql: Pool,
  run: NewRun,
  { status, error = null, at }: { status: string; error?: string | null | undefined; at: Date },
): Promise<void> {
  await sql`
    insert into flow_processes
      (id, account_id, flow_id, flow_version, flow_code, trigger, status, cron_id, attempts, input, error, steps, started_at,
      finished_at)
    values
      (${run.id ?? ""}, ${run.account_id}, 0, 1, ${run.flow_code}, ${run.trigger}, ${status}, ${run.cron_id ?? null}, 1,
      ${JSON.stringify(run.input)}::text::json, ${error}, '[]', ${at}, ${at})
    on conflict (id) do nothing
  `;
}

/** Refusals of the engine: an account with too many runs, a flow that does not exist. */
export const tooMany = () => unavailable("Too many runs wait");
export const noFlow = () => invalid({ flow_code: ["does not exist"] });

export interface Stage {
  sql: Pool;
  flows: FakeFlows;
  schedules: Schedules;
  /** The lines of the log, each a JSON object. */
  logged: string[];
  /** Sets the clock: `2026-11-21 10:00:05`. */
  at(time: string): void;
  /** Sets the clock and ticks. */
  tick(time: string): ReturnType<Schedules["tick"]>;
  /** Stands for another process: a schedule with the same database, engine and clock. */
  another(): Schedules;
  account(): Promise<number>;
  /** Inserts a trigger whose first due time is `first`. @returns its id */
  cron(cron: Partial<NewCron>): Promise<number>;
  ledger(cron: number): Promise<Entry[]>;
}

interface NewCron {
  account_id: number;
  target_code: string;
  schedule: string;
  timezone: string;
  first: string;
  overlap: Overlap;
  catch_up: number;
  max_failures: number | null;
}

/** A ledger row; `due` is like `10:00`. */
export interface Entry {
  due: string;
  state: string;
  reason: string | null;
  slots: number;
  due_until: string | null;
  flow_process_id: string | null;
  outcome: string | null;
  started_at: string | null;
}

export const timeOf = (text: string) => new Date(`${text.replace(" ", "T")}Z`);

let place: Shared<Place> | undefined;

/** Declares tests that share a database, because its start takes longer than most tests. Each finds it empty. */
export function onSharedDatabase(): (name: string, work: (stage: Stage) => Promise<void>) => void {
  const shared = place ??= share(openPlace, (place) => place.close());
  return (name, work) => {
    shared.expect();
    Deno.test({
      name,
      ...BESIDE_SERVER,
      fn: () =>
        shared.use(async ({ sql }) => {
          const stage = await setStage(sql);
          await work(stage);
          await stage.schedules.close();
        }),
    });
  };
}

type Place = Awaited<ReturnType<typeof openPlace>>;

async function openPlace() {
  const folder = await Deno.makeTempDir({ prefix: "atrium_schedule_" });
  const database_url = await fillPlace(folder, "migrated");
  const database = await openDatabase({ database_url, data_dir: folder }, createLog(() => {}));
  return {
    sql: database.sql,
    async close() {
      await database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function setStage(sql: Pool): Promise<Stage> {
  const logged: string[] = [];
  const log = createLog((text) => logged.push(...text.trimEnd().split("\n")));
  await sql`delete from accounts`;
  await sql`delete from flow_processes`;
  let now = timeOf("2026-11-21 09:59:30");
  const clock = { now: () => now };
  const flows = fakeFlows(sql, clock.now);
  const another = () => createSchedules({ sql, flows, clock, log });
  const schedules = another();
  const at = (time: string) => void (now = timeOf(time));

  const account = async () => {
    const [row] = await sql<{ id: number }[]>`insert into accounts (name) values ('Test') returning id`;
    if (!row) throw new Error("no account");
    await sql`
      insert into flows (account_id, code, name, name_folded, fields)
      values (${row.id}, 'watch', 'Watch', 'watch', '{"program":[]}')
    `;
    return row.id;
  };
  const first_account = await account();

  return {
    sql,
    flows,
    schedules,
    logged,
    at,
    tick(time) {
      at(time);
      return schedules.tick();
    },
    another,
    account,
    async cron(cron) {
      const { account_id = first_account, target_code = "watch", schedule = "* * * * *", timezone = "UTC" } = cron;
      const { first = "2026-11-21 10:00", overlap = "skip", catch_up = 3_600, max_failures = 10 } = cron;
      const [row] = await sql<{ id: number }[]>`
        insert into crons
          (account_id, kind, target_code, schedule, timezone, sentence, active, overlap, catch_up, max_failures,
          next_run_at)
        values
          (${account_id}, 'flow', ${target_code}, ${schedule}, ${timezone}, '', true, ${overlap}, ${catch_up},
          ${max_failures}, ${timeOf(first)})
        returning id
      `;
      return row?.id ?? 0;
    },
    ledger: (cron) =>
      sql<Entry[]>`
        select
          to_char(due_at at time zone 'UTC', 'HH24:MI') as due, state, reason, slots, due_until, flow_process_id,
          outcome, started_at
        from cron_runs
        where cron_id = ${cron}
        order by due_at
      `,
  };
}
