/** A round of the long test: many runs are started while workers are killed, paused and stopped at random. */
import { brokenChanges, changeRecords, deliveredAll } from "./changes.ts";
import { type Acknowledged, answerAll, type Fault, findBroken, SECRET_WITHOUT_KEY, settle } from "./invariants.ts";
import { FLOW_NAMES, LATE, NEVER } from "./flows.ts";
import type { Random } from "./random.ts";
import { LEASE_MS, type Site } from "./site.ts";
import type { Postgres } from "../stage/postgres/postgres.ts";
import type { Worker } from "./workers.ts";

const CALLERS = 6;
const RUNS_OF_EACH = 4;
/** Longer than a killed worker takes to come back on a busy machine. */
const START_MS = 60_000;
/** How long runs may take to end after a round, on a machine with much other work. */
const SETTLE_MS = 300_000;
/** How long a busy machine may stop a worker that then finds that it was declared dead. */
const STALL_MS = 5 * LEASE_MS;
/** Longer than the timeout of steps. */
const LATE_MS = 1_200;
/** How long workers are disturbed in a round. */
const STORM_MS = 1_200;

export interface Figures {
  acknowledged: number;
  kills: number;
  pauses: number;
  stops: number;
  /** Changes of records that were acknowledged. */
  changes: number;
  /** Restarts of PostgreSQL. */
  restarts: number;
  /** All calls to the oracle, and those whose key it had already answered. */
  calls: number;
  repeated: number;
  /** Workers that were declared dead although they had not been disturbed. */
  mistaken: number;
  broken: string[];
}

export const noFigures = (): Figures => ({
  acknowledged: 0,
  changes: 0,
  kills: 0,
  pauses: 0,
  stops: 0,
  restarts: 0,
  calls: 0,
  repeated: 0,
  mistaken: 0,
  broken: [],
});

export function addFigures(sum: Figures, more: Figures): void {
  for (
    const name of [
      "acknowledged",
      "changes",
      "kills",
      "pauses",
      "stops",
      "restarts",
      "calls",
      "repeated",
      "mistaken",
    ] as const
  ) {
    sum[name] += more[name];
  }
  sum.broken.push(...more.broken);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Answers quickly or slowly, and fails some calls at first. */
export function answersAtRandom(random: Random): Site["oracle"]["behave"] {
  const failed = new Map<string, number>();
  return async ({ key, place }) => {
    const is_late = place === NEVER || place === LATE && !failed.has(key);
    if (is_late) {
      failed.set(key, 1);
      await pause(LATE_MS);
      return 504;
    }
    await pause(random() < 0.1 ? 400 * random() : 60 * random());
    const before = failed.get(key) ?? 0;
    if (before >= 2 || random() > 0.1) return 200;
    failed.set(key, before + 1);
    return 503;
  };
}

export interface Crew {
  site: Site;
  workers: Worker[];
  /** Stops PostgreSQL once in each round. Undefined leaves it running. */
  interrupt?: Postgres["interrupt"] | undefined;
}

export async function launchCrew(site: Site, count: number): Promise<Crew> {
  const workers = await Promise.all(Array.from({ length: count }, (_, index) => site.launch(index, { wait_ms: 200 })));
  return { site, workers };
}

/** @param random decides everything except the timing of the machine */
export async function runRound(crew: Crew, random: Random): Promise<Figures> {
  const { site } = crew;
  site.oracle.calls.length = 0;
  site.oracle.behave = answersAtRandom(random);
  const figures = noFigures();
  const faults: Fault[] = [];
  const began = performance.now();
  const runs: Acknowledged[] = [];
  const callers = Array.from({ length: CALLERS }, () => beginRuns(crew, random, runs));
  const changing = changeRecords(crew, random);
  const disturbed = disturb(crew, random, figures, faults);
  const [changes] = await Promise.all([changing, ...callers, disturbed]);
  const [worker] = crew.workers;
  if (!worker) throw new Error("nobody to ask");
  const undelivered = await deliveredAll(worker, changes, SETTLE_MS);
  const unsettled = [...undelivered, ...await settle(site, worker, runs, SETTLE_MS)];
  for (const { deaths } of crew.workers) {
    for (const at of deaths.filter((at) => at > began)) {
      const known = faults.some(({ from, until }) => at > from && at < until + 2 * LEASE_MS);
      if (!known) figures.mistaken++;
      // The machine paused it: like a worker that the test pauses, it may still send what it had decided before. It
      // notices its death before or after that, and not before the machine lets it.
      const from = at - STALL_MS;
      faults.push({ from, until: at }, { from, until: at - LEASE_MS, wakes: true });
    }
  }
  const { calls } = site.oracle;
  const answered = calls.filter(({ status }) => status === 200);
  figures.calls = calls.length;
  figures.repeated = answered.length - new Set(answered.map(({ key }) => key)).size;
  figures.acknowledged = new Set(runs.map(({ id }) => id)).size;
  figures.changes = changes.acknowledged.length;
  figures.broken = unsettled.length > 0
    ? unsettled
    : [...await brokenChanges(worker, changes), ...await findBroken(site, crew.workers, runs, faults)];
  return figures;
}

/** Starts one run after the other. A run with a key is tried until it is acknowledged. */
async function beginRuns({ site, workers }: Crew, random: Random, runs: Acknowledged[]): Promise<void> {
  for (let i = 0; i < RUNS_OF_EACH; i++) {
    const flow = FLOW_NAMES[Math.floor(random() * FLOW_NAMES.length)] ?? "chain";
    const key = random() < 0.7 ? crypto.randomUUID() : undefined;
    // A caller may ask again after an answer that got lost, or send several requests at once.
    const [answers, at_once] = key === undefined ? [1, 1] : [random() < 0.3 ? 2 : 1, random() < 0.3 ? 3 : 1];
    const secret = key === undefined ? SECRET_WITHOUT_KEY : `secret-${key}`;
    const deadline = performance.now() + START_MS;
    for (let answered = 0; answered < answers && performance.now() < deadline;) {
      const worker = workers[Math.floor(random() * workers.length)];
      const ask = () =>
        worker?.ask(
          "POST",
          `/platform/apps/${site.app_id}/action/${flow}`,
          { key, ...flow === "fails" && { secret } },
          {
            ...key !== undefined && { "idempotency-key": key },
          },
        );
      const given = (await Promise.all(Array.from({ length: at_once }, ask))).filter((one) => one?.status === 200);
      for (const answer of given) {
        const { flow_process_id: id, ...end } = answer?.body;
        runs.push({ id, flow, key, ends: end.status === "pending" ? [] : [end] });
      }
      if (given.length > 0) {
        answered++;
        if (worker) await handle(worker, random, runs, runs.at(-1));
      } else if (key === undefined) {
        break;
      } else {
        await pause(100);
      }
    }
    await pause(120 * random());
  }
}

/** Cancels a run that has begun, or repeats one that has ended and has no key, and answers what runs ask. */
async function handle(
  worker: Worker,
  random: Random,
  runs: Acknowledged[],
  run: Acknowledged | undefined,
): Promise<void> {
  if (!run) return;
  const at = `/connect/flow_processes/${run.id}`;
  const dice = random();
  if (dice < 0.15) {
    run.cancelled = true;
    await worker.ask("POST", `${at}/cancel.json`);
  } else if (dice < 0.5 && run.key === undefined && run.ends.length > 0) {
    const from = run.flow === "fails" ? "failed_step" : "start";
    const { status, body } = await worker.ask("POST", `${at}/retry.json`, { from });
    if (status === 201) runs.push({ id: body.id, flow: run.flow, key: undefined, ends: [] });
  }
  if (run.flow === "asks") await answerAll(worker);
}

/** Kills, pauses and stops workers. At the end all of them run. */
async function disturb(crew: Crew, random: Random, figures: Figures, faults: Fault[]): Promise<void> {
  const { site, workers, interrupt } = crew;
  const until = performance.now() + STORM_MS;
  const alone = workers.length === 1;
  const exclusive = mutex();
  // A worker cannot be launched while PostgreSQL is stopped.
  const launch = (index: number) => exclusive(() => site.launch(index, { wait_ms: 200 }));
  const restart = async () => {
    if (!interrupt) return;
    const mode = random() < 0.5 ? "immediate" : "fast";
    await pause(600 * random());
    await exclusive(async () => {
      figures.restarts++;
      const comeBack = await interrupt(mode);
      await pause(800 * random());
      await comeBack();
    });
  };
  const restarting = restart();
  await Promise.all(workers.map(async (_, index) => {
    while (performance.now() < until) {
      await pause(800 * random());
      const worker = workers[index];
      const from = performance.now();
      if (!worker || from > until) return;
      const dice = random();
      if (dice < 0.4 && !alone) {
        figures.pauses++;
        worker.pause();
        await pause(LEASE_MS * (0.3 + 2 * random()));
        worker.resume();
      } else if (dice < 0.9) {
        figures.kills++;
        await worker.kill();
        workers[index] = await launch(index);
      } else {
        figures.stops++;
        await worker.stop();
        workers[index] = await launch(index);
      }
      faults.push({ from, until: performance.now(), wakes: dice < 0.4 });
    }
  }));
  await restarting;
}

/** @returns executes works one after the other */
function mutex() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
