/** Scenarios with one fault each. The oracle and locks in the database decide when it happens, not chance. */
import type postgres from "postgres";
import { until } from "../stage/until.ts";
import { type Acknowledged, type Fault, findBroken, listLeft, settle } from "./invariants.ts";
import type { FlowName } from "./flows.ts";
import { LEASE_MS, type Site } from "./site.ts";
import type { Worker } from "./workers.ts";

/** @param tree the source tree that the workers run. @returns the violations */
export type Scenario = (site: Site, tree: string | undefined) => Promise<string[]>;

/** How long a call of an action waits for its run: longer than a takeover on a busy machine. */
const WAIT_MS = 50_000;
/** The key of the advisory lock that makes inserts wait. */
const HELD = 4711;

/** A lease that a busy worker keeps until it stalls on purpose, for longer than this. */
const STALL_LEASE_MS = 3_000;

/** How long a second call of a run is waited for. */
const SECOND_CALL_MS = 10_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function begin({ app_id }: Site, worker: Worker, flow: FlowName, key?: string): Promise<Acknowledged> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const { status, body } = await worker.ask("POST", `/platform/apps/${app_id}/action/${flow}`, { key }, headers);
  if (status !== 200) throw new Error(`not acknowledged: ${status} ${JSON.stringify(body)}`);
  return { id: body.flow_process_id, flow, key, ends: [] };
}

/** Holds all calls of the oracle until the returned function is called. */
function gate(site: Site): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.oracle.behave = () => promise.then(() => 200);
  return resolve;
}

async function kill(worker: Worker): Promise<Fault> {
  const from = performance.now();
  await worker.kill();
  return { from, until: from };
}

/** Launches another worker and waits until the runs have settled. */
async function recover(
  site: Site,
  tree: string | undefined,
  runs: readonly Acknowledged[],
  faults: Fault[],
): Promise<string[]> {
  const worker = await site.launch(1, { tree });
  const unsettled = await settle(site, worker, runs);
  return unsettled.length > 0 ? unsettled : await findBroken(site, [worker], runs, faults);
}

/** Callers send the same request several times without waiting for the answer. */
export const askedSeveralTimesAtOnce: Scenario = async (site, tree) => {
  const worker = await site.launch(0, { tree });
  const runs = await Promise.all(
    Array.from({ length: 24 }, (_, i) => begin(site, worker, "single", `key_${Math.floor(i / 6)}`)),
  );
  const unsettled = await settle(site, worker, runs);
  return unsettled.length > 0 ? unsettled : await findBroken(site, [worker], runs, []);
};

export const killedOnceAcknowledged: Scenario = async (site, tree) => {
  const open = gate(site);
  const worker = await site.launch(0, { tree });
  const run = await begin(site, worker, "single");
  const fault = await kill(worker);
  open();
  return await recover(site, tree, [run], [fault]);
};

export const killedInItsFirstCall: Scenario = async (site, tree) => {
  const open = gate(site);
  const worker = await site.launch(0, { tree });
  const run = await begin(site, worker, "single");
  await site.oracle.reached("one");
  const fault = await kill(worker);
  open();
  return await recover(site, tree, [run], [fault]);
};

export const killedInItsSecondCall: Scenario = async (site, tree) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.oracle.behave = ({ place }) => place === "one" ? 200 : promise.then(() => 200);
  const worker = await site.launch(0, { tree });
  const run = await begin(site, worker, "chain");
  await site.oracle.reached("two");
  const fault = await kill(worker);
  resolve();
  return await recover(site, tree, [run], [fault]);
};

function sqlOf({ sql }: Site): postgres.Sql {
  if (!sql) throw new Error("needs a database that several processes can open");
  return sql;
}

/** Ends the workers' sessions. */
const endSessions = (sql: postgres.ISql) =>
  sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where application_name = 'atrium'
      and datname = current_database()
  `;

/** Makes inserts into a table wait. @returns `waits` resolves when an insert waits, `release` ends the waiting */
async function holdInserts(sql: postgres.Sql, table: string) {
  await sql.unsafe(`
    create function hold_${table}() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(${HELD});
        return new;
      end
    $$;
    create trigger hold before insert on ${table} for each row execute function hold_${table}();
  `);
  const holder = await sql.reserve();
  await holder`select pg_advisory_lock(${HELD})`;
  return {
    waits: () =>
      until(async () => {
        // pg_locks lists the locks of every database, also those of a scenario that runs at the same time.
        const [row] = await sql`
          select count(*)::int as n
          from pg_locks
          where locktype = 'advisory'
            and not granted
            and database = (select oid from pg_database where datname = current_database())
        `;
        return row?.n > 0;
      }, `an insert into ${table} waits`),
    async release() {
      await holder`select pg_advisory_unlock(${HELD})`;
      holder.release();
    },
  };
}

export const killedWhileItsOutcomeIsWritten: Scenario = async (site, tree) => {
  const worker = await site.launch(0, { tree, sweep_ms: 0 });
  const held = await holdInserts(sqlOf(site), "flow_processes");
  const run = await begin(site, worker, "single");
  await held.waits();
  const fault = await kill(worker);
  // Otherwise PostgreSQL would finish the killed worker's statement after the release.
  await endSessions(sqlOf(site));
  await held.release();
  return await recover(site, tree, [run], [fault]);
};

/** Two workers take over a dead worker's runs at the same time. Each run must be claimed by one of them. */
export const sweptByTwoAtOnce: Scenario = async (site, tree) => {
  const never = gate(site);
  const worker = await site.launch(0, { tree });
  const runs = await Promise.all(Array.from({ length: 15 }, () => begin(site, worker, "single")));
  await site.oracle.reached("one", 15);
  const fault = await kill(worker);
  never();
  const open = gate(site);
  const two = await Promise.all([1, 2].map((index) => site.launch(index, { tree, sweep_ms: 0 })));
  const sweep = () => Promise.all(two.map((one) => one.ask("POST", "/-/sweep")));
  await sweep();
  // The dead worker's lease lapses.
  await pause(LEASE_MS + 50);
  const swept = sweep();
  await site.oracle.reached("one", 30);
  await Deno.writeTextFile(`${site.folder}/called`, "");
  await swept;
  // Time for a run that both have claimed to make its second call. No event tells that there is none.
  await site.oracle.reached("one", 31, SECOND_CALL_MS).catch(() => {});
  open();
  const [one] = two;
  const unsettled = one ? await settle(site, one, runs) : [];
  // On a busy machine, one of the two may miss its lease.
  const late = two.flatMap(({ deaths }) => deaths.map((at) => ({ from: at - LEASE_MS, until: at })));
  return unsettled.length > 0 ? unsettled : await findBroken(site, two, runs, [fault, ...late]);
};

/** A worker is paused in its first call while a peer takes over the run, and resumes when the run has ended. */
export const pausedInItsFirstCall: Scenario = async (site, tree) => {
  const sleeper = await site.launch(0, { tree, wait_ms: WAIT_MS });
  const other = await site.launch(1, { tree });
  const faults: Fault[] = [];
  const attempt = async (): Promise<string[] | undefined> => {
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    site.oracle.behave = ({ worker }) => {
      if (worker !== 0) return 200;
      sleeper.pauseBetweenCommits();
      return woken.then(() => 200);
    };
    const from = performance.now();
    const earlier = site.oracle.calls.filter(({ place }) => place === "one").length;
    const told = sleeper.ask("POST", `/platform/apps/${site.app_id}/action/chain`, {});
    const { run: id, worker } = await site.oracle.reached("one", earlier + 1);
    // On a busy machine, the worker may miss its lease before it makes the call.
    const made = worker === 0;
    if (made) await site.oracle.reached("one", earlier + 2);
    // No call after this one may be repeated.
    if (made) faults.push({ from, until: performance.now() - 1 });
    const run: Acknowledged = { id, flow: "chain", key: undefined, ends: [] };
    const unsettled = await settle(site, other, [run]);
    site.oracle.behave = () => 200;
    sleeper.resume();
    wake();
    const { body: { flow_process_id: _, ...end } } = await told;
    run.ends.push(end);
    if (!made) {
      faults.push({ from, until: performance.now() });
      return undefined;
    }
    // Time for the resumed worker to go on with the run by mistake. No event tells that it does not.
    await pause(500);
    const left = (await listLeft(site)).map((key) => `${key} is left in Deno KV`);
    return [...unsettled, ...left, ...await findBroken(site, [sleeper, other], [run], faults)];
  };
  for (;;) {
    const broken = await attempt();
    if (broken) return broken;
  }
};

/** PostgreSQL is unreachable when a run ends. No step may be repeated. */
export const databaseAwayAtItsEnd: Scenario = async (site, tree) => {
  const open = gate(site);
  const worker = await site.launch(0, { tree });
  const run = await begin(site, worker, "single");
  await site.oracle.reached("one");
  await site.setReachable(false);
  open();
  // The outage outlasts the lease.
  await pause(1.5 * LEASE_MS);
  await site.setReachable(true);
  const unsettled = await settle(site, worker, [run]);
  return unsettled.length > 0 ? unsettled : await findBroken(site, [worker], [run], []);
};

/** A worker is frozen inside the transaction of a record step. Its peer must not wait for its locks for ever. */
export const frozenInsideATransaction: Scenario = async (site, tree) => {
  const sleeper = await site.launch(2, { tree });
  const other = await site.launch(3, {});
  const held = await holdInserts(sqlOf(site), "records");
  const from = performance.now();
  const run = await begin(site, sleeper, "chain");
  await held.waits();
  sleeper.pause();
  await held.release();
  const unsettled = await settle(site, other, [run]);
  sleeper.resume();
  const fault = { from, until: performance.now(), wakes: true };
  const broken = unsettled.length > 0 ? unsettled : await findBroken(site, [sleeper, other], [run], [fault]);
  await Promise.all([sleeper.stop(), other.stop()]);
  return broken;
};

/**
 * A worker stalls between its last check and writing the outcome, while a peer takes over and ends the run differently.
 *
 * @param tree the source tree of the worker that stalls; its peer has no planted fault
 */
export const lateWithItsOutcome: Scenario = async (site, tree) => {
  const open = Promise.withResolvers<void>();
  site.oracle.behave = ({ place }) => place === "two" ? open.promise.then(() => 200) : 200;
  const late = await site.launch(0, { tree, wait_ms: WAIT_MS, lease_ms: STALL_LEASE_MS });
  const other = await site.launch(1, { lease_ms: STALL_LEASE_MS });
  const from = performance.now();
  const told = late.ask("POST", `/platform/apps/${site.app_id}/action/fork`, {});
  const { run: id } = await site.oracle.reached("two");
  await until(() => late.deaths.length > 0, "it finds itself declared dead");
  // Time for it to write the outcome by mistake. No event tells that it does not.
  await pause(300);
  open.resolve();
  const fault = { from, until: performance.now() };
  const { body: { flow_process_id: _, ...end } } = await told;
  const run: Acknowledged = { id, flow: "fork", key: undefined, ends: [end] };
  const unsettled = await settle(site, other, [run]);
  return [...unsettled, ...await findBroken(site, [late, other], [run], [fault])];
};

/** A worker is told to stop during a call that takes longer than the stop. */
export const stoppedInALongCall: Scenario = async (site, tree) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.oracle.behave = ({ worker, place }) => worker === 0 && place === "two" ? promise.then(() => 200) : 200;
  const worker = await site.launch(0, { tree });
  const run = await begin(site, worker, "chain");
  await site.oracle.reached("two");
  const from = performance.now();
  await worker.stop();
  const fault = { from, until: performance.now() };
  resolve();
  return await recover(site, tree, [run], [fault]);
};

/** Adds a trigger whose due time passed ten minutes ago, when no worker ran. */
async function addDueTrigger(sql: postgres.Sql): Promise<number> {
  const due = new Date(Math.floor(Date.now() / 60_000 - 10) * 60_000);
  const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const [row] = await sql`
    insert into crons
      (account_id, author_id, kind, target_code, schedule, timezone, sentence, active, overlap, catch_up, next_run_at)
    values (1, 1, 'flow', 'single', ${schedule}, 'UTC', '', true, 'skip', 3600, ${due})
    returning id
  `;
  return row?.id;
}

/** The due time must be in the ledger once, with one finished run. */
async function brokenTrigger(site: Site, worker: Worker, cron: number): Promise<string[]> {
  const sql = sqlOf(site);
  const rows = await sql`select state, reason, flow_process_id as id from cron_runs where cron_id = ${cron}`;
  if (rows.length !== 1) return [`the trigger's moment stands ${rows.length} times in the ledger`];
  const [row] = rows;
  if (!row?.id) return [`the trigger's moment was ${row?.state}: ${row?.reason}`];
  await until(
    async () => (await worker.ask("GET", `/connect/flow_processes/${row.id}.json`)).body.status === "finished",
    "the trigger's run finishes",
  );
  const [count] = await sql`select count(*)::int as n from flow_processes where cron_id = ${cron}`;
  return count?.n === 1 ? [] : [`the trigger's moment came to ${count?.n} runs`];
}

export const dueWhileNobodyWasThere: Scenario = async (site, tree) => {
  const cron = await addDueTrigger(sqlOf(site));
  const worker = await site.launch(0, { tree });
  await worker.ask("POST", "/-/tick");
  return await brokenTrigger(site, worker, cron);
};

export const killedWhileATriggerIsClaimed: Scenario = async (site, tree) => {
  const sql = sqlOf(site);
  const cron = await addDueTrigger(sql);
  const worker = await site.launch(0, { tree });
  const held = await holdInserts(sql, "cron_runs");
  const ticking = worker.ask("POST", "/-/tick");
  await held.waits();
  await worker.kill();
  await ticking;
  await endSessions(sql);
  await held.release();
  const other = await site.launch(1, { tree });
  await other.ask("POST", "/-/tick");
  return await brokenTrigger(site, other, cron);
};
