/** The invariants of flows after everything has settled. A violation is reported as a sentence. */
import type { Call } from "./oracle.ts";
import { type FlowName, FLOWS, LATE, NEVER } from "./flows.ts";
import type { Site } from "./site.ts";
import type { Answer, Worker } from "./workers.ts";

/** A run whose start was acknowledged to a caller. */
export interface Acknowledged {
  id: string;
  flow: FlowName;
  key: string | undefined;
  /** The outcomes that callers got. */
  ends: End[];
  /** A cancellation was requested. */
  cancelled?: boolean;
}

interface End {
  status: string;
  data?: unknown;
  error?: string;
}

/** A period (`performance.now()`) in which a worker was disturbed, so that steps may be repeated. */
export interface Fault {
  from: number;
  until: number;
  /** The worker was paused. When it resumes, it may still send what it had decided before. */
  wakes?: boolean;
}

interface Step {
  place: string;
  type: string;
  status: string;
  output: { mark?: number; id?: string } | null;
}

interface Run {
  id: string;
  input: { secret?: string };
  status: string;
  error: string | null;
  data: Record<string, unknown> | null;
  steps: Step[];
}

interface Mark {
  id: string;
  place: string;
  mark: number;
}

/** The secret of runs without an idempotency key, which may be repeated as runs of their own. */
export const SECRET_WITHOUT_KEY = "secret-without-key";

/** How long runs may take to end once no worker is disturbed. A planted fault may use all of it. */
const PATIENCE_MS = 30_000;
/** How long after a pause a worker may still send what it had decided before. */
const WAKING_MS = 2_000;

export const statusPath = ({ app_id }: Site, { flow, id }: Pick<Acknowledged, "flow" | "id">) =>
  `/platform/apps/${app_id}/action/${flow}/status?flow_process_id=${id}`;

/** The keys of runs in Deno KV, and the rows of runs that wait. */
export async function listLeft({ kv: path, sql }: Site): Promise<string[]> {
  using kv = await Deno.openKv(path);
  const waits = sql ? await sql<{ run_id: string }[]>`select run_id from flow_waits limit 100` : [];
  const left = waits.map(({ run_id }) => `flow_waits/${run_id}`);
  for (const table of ["flow_runs", "flow_steps"]) {
    for await (const { key } of kv.list({ prefix: [table] })) left.push(key.join("/"));
  }
  return left;
}

/** Waits until all runs have ended and left Deno KV. @returns the violations that remain */
export async function settle(
  site: Site,
  worker: Worker,
  runs: readonly Acknowledged[],
  patience_ms = PATIENCE_MS,
): Promise<string[]> {
  const deadline = performance.now() + patience_ms;
  for (;;) {
    const pending: string[] = [];
    const lost: string[] = [];
    for (const run of runs) {
      const { status, body } = await worker.ask("GET", statusPath(site, run));
      if (status === 404) lost.push(`${run.id} is lost: it was acknowledged, and nobody knows it`);
      else if (status !== 200 || body.status === "pending") pending.push(`${run.id} is pending for ever`);
    }
    // An acknowledged run must be known at any time, so there is nothing to wait for.
    if (lost.length > 0) return lost;
    const left = pending.length === 0 ? await listLeft(site) : [];
    const broken = [...pending, ...left.map((key) => `${key} is left in Deno KV`)];
    if (broken.length === 0 || performance.now() > deadline) return broken;
    // Also of runs whose start was not acknowledged.
    await answerAll(worker);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Answers what runs ask. Several workers may be asked at the same time: the first answer counts. */
export async function answerAll(worker: Worker): Promise<void> {
  const { status, body } = await worker.ask("GET", "/connect/approvals.json");
  if (status !== 200) return;
  await Promise.all(
    body.map(({ id }: { id: string }) => worker.ask("POST", `/connect/approvals/${id}.json`, { choice: "approve" })),
  );
}

/** Returns all violations, for runs that have settled. */
export async function findBroken(
  site: Site,
  workers: readonly Worker[],
  runs: readonly Acknowledged[],
  faults: readonly Fault[],
): Promise<string[]> {
  const alone = new Set(runs.filter(({ flow }) => flow === "alone").map(({ id }) => id));
  const broken = [...brokenCalls(site, faults), ...brokenTurns(site, alone, faults)];
  const cancelled = new Set(runs.filter(({ cancelled }) => cancelled).map(({ id }) => id));
  for (const run of runs) {
    broken.push(...await brokenRun(site, workers, { ...run, cancelled: cancelled.has(run.id) }));
  }
  for (const [key, same] of Map.groupBy(runs.filter(({ key }) => key), ({ key }) => key)) {
    if (new Set(same.map(({ id }) => id)).size > 1) broken.push(`the key ${key} was given several runs`);
  }
  return broken;
}

/** An attempt to connect that began while the database was away may be refused when it is back: the answer is 503. */
async function answerOf(worker: Worker, path: string): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await worker.ask("GET", path);
    if (answer.status !== 503 || performance.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function brokenRun(site: Site, workers: readonly Worker[], known: Acknowledged): Promise<string[]> {
  const [worker] = workers;
  if (!worker) throw new Error("nobody to ask");
  const { id, flow } = known;
  const { status, body } = await answerOf(worker, `/connect/flow_processes/${id}.json`);
  if (status !== 200) return [`${id} is lost: ${status}`];
  const run: Run = body;
  const told = await Promise.all(workers.map(async (one) => (await answerOf(one, statusPath(site, known))).body));
  const marks: Mark[] = (await answerOf(worker, `/platform/dbs/marks/search.json?filter[run]=${id}`)).body;
  const calls = site.oracle.calls.filter((call) => call.run === id);
  const broken = [...known.ends, ...told].flatMap((end) =>
    sameEnd(end, run) ? [] : [`was told ${JSON.stringify(end)}`]
  );
  if (flow === "fails" && run.status !== "cancelled") broken.push(...brokenFailure(run, calls, marks));
  else if (run.status === "finished") {
    broken.push(...brokenSteps(run, calls), ...brokenMarks(run, flow, marks), ...brokenData(run, flow));
  } else if (!(run.status === "cancelled" && known.cancelled) && !isForgiven(run)) {
    broken.push(`ended as ${run.status}: ${run.error}`);
  }
  for (const [place, same] of Map.groupBy(marks, ({ place }) => place)) {
    if (same.length > 1) broken.push(`the record of ${place} was made ${same.length} times`);
  }
  return broken.map((what) => `${id} (${flow}, ${run.status}): ${what}`);
}

/** On a busy machine all attempts of a step with a short timeout may be late. */
const isForgiven = ({ error }: Run) => /^Given up|^late: (there was no whole answer|took longer)/.test(error ?? "");

/** An action answers that a cancelled run has failed. */
const sameEnd = (end: End, { status, data, error }: Run) =>
  end.status === (status === "cancelled" ? "error" : status) &&
  (status === "finished" ? JSON.stringify(end.data) === JSON.stringify(data) : end.error === error);

/** A run of `fails` must hide its secret, send it, and have called `tell` once. */
function brokenFailure(run: Run, calls: readonly Call[], marks: readonly Mark[]): string[] {
  const told = marks.filter(({ place }) => place === "told").length;
  return [
    ...run.status === "error" && run.error === "No [redacted]" || /^Given up/.test(run.error ?? "")
      ? []
      : [`ended as ${run.status}: ${run.error}`],
    ...run.input.secret === "[secret]" && !/secret-/.test(JSON.stringify(run)) ? [] : ["its secret is shown"],
    ...calls.every(({ caller_key }) => caller_key?.startsWith("secret-")) ? [] : ["its secret was not sent"],
    ...told === 1 ? [] : [`its failure was told ${told} times`],
  ];
}

/** A run of `alone` must begin after the end of the one before. */
function brokenTurns({ oracle: { calls } }: Site, ids: ReadonlySet<string>, faults: readonly Fault[]): string[] {
  const own = calls.filter(({ run, at }) => ids.has(run) && !isWaking(faults, at));
  const runs = [...Map.groupBy(own, ({ run }) => run).values()].map((calls) => ({
    run: calls[0]?.run,
    from: Math.min(...calls.map(({ at }) => at)),
    until: Math.max(...calls.map(({ at }) => at)),
  })).toSorted((a, b) => a.from - b.from);
  return runs.flatMap((run, i) => {
    const before = runs[i - 1];
    return before && before.until > run.from ? [`${run.run} called before the end of ${before.run}`] : [];
  });
}

/** Whether a worker that was paused may still send what it had decided before. */
const isWaking = (faults: readonly Fault[], at: number): boolean =>
  faults.some(({ wakes, until }) => wakes && at >= until && at < until + WAKING_MS);

/** The connector steps must match the oracle's calls and answers. */
function brokenSteps({ steps }: Run, calls: readonly Call[]): string[] {
  const done = steps.filter(({ type }) => type === "connector");
  return [
    ...done.flatMap(({ place, status, output }) => {
      if (place === NEVER) return status === "error" ? [] : [`the step ${place} is ${status}`];
      if (status !== "finished") return [`the step ${place} is ${status}`];
      const given = calls.some((call) => call.place === place && call.status === 200 && call.mark === output?.mark);
      return given ? [] : [`the step ${place} has ${output?.mark}, which the oracle never gave it`];
    }),
    ...calls.flatMap(({ place }) =>
      done.some((step) => step.place === place) ? [] : [`${place} was called, and is no step of it`]
    ),
  ];
}

/** Each record step must have created one record, with the mark that the call before it received. */
function brokenMarks({ steps }: Run, flow: FlowName, marks: readonly Mark[]): string[] {
  const find = (place: string) => steps.find((step) => step.place === place)?.output;
  const notes: Record<string, string> = FLOWS[flow].notes;
  const wanted = Object.entries(notes).flatMap(([place, of]) => {
    const [made, ...more] = marks.filter((mark) => mark.place === place);
    const step = steps.find((one) => one.place === place);
    if (!step) return made ? [`there is a record of ${place}, which is no step of it`] : [];
    if (!made || more.length > 0) return [`the record of ${place} was made ${made ? more.length + 1 : 0} times`];
    if (made.id !== step.output?.id) return [`the record of ${place} is another one than the step's`];
    return made.mark === find(of)?.mark ? [] : [`the record of ${place} does not follow from ${of}`];
  });
  const strange = marks.filter(({ place }) => !Object.hasOwn(notes, place));
  return [...wanted, ...strange.map(({ place }) => `a record of ${place}`)];
}

function brokenData({ steps, data }: Run, flow: FlowName): string[] {
  return Object.entries(FLOWS[flow].returns).flatMap(([name, of]) => {
    const mark = steps.find(({ place }) => place === of)?.output?.mark;
    return data?.[name] === mark ? [] : [`${name} of its data is not what ${of} gave`];
  });
}

/** The order of a call. Calls inside of `all` are made at the same time. */
function rankOf(places: readonly string[], place: string): number {
  const group = (one: string) => one.startsWith("all.") ? "all" : one;
  return [...new Set(places.map(group))].indexOf(group(place));
}

/** All calls of a run and the faults around them, with times in milliseconds since its first call. */
function describeCalls(own: readonly Call[], faults: readonly Fault[]): string {
  const start = own[0]?.at ?? 0;
  const end = own.at(-1)?.at ?? start;
  const ms = (at: number) => Math.round(at - start);
  const calls = own.map(({ place, worker, at, status }) => `${place} by ${worker} at ${ms(at)}: ${status}`);
  const near = faults.filter(({ from, until }) => until > start - 10_000 && from < end + 10_000)
    .map(({ from, until, wakes }) => `${ms(from)} to ${ms(until)}${wakes ? " (paused)" : ""}`);
  return `calls ${calls.join(", ")}; disturbed ${near.join(", ")}`;
}

/** Checks the oracle's calls alone: one run for a key, one key for a step, in order, and no repeated call without a fault. */
function brokenCalls({ oracle: { calls } }: Site, faults: readonly Fault[]): string[] {
  const broken: string[] = [];
  for (const [key, same] of Map.groupBy(calls.filter((call) => call.caller_key), ({ caller_key }) => caller_key)) {
    if (key !== SECRET_WITHOUT_KEY && new Set(same.map(({ run }) => run)).size > 1) {
      broken.push(`the key ${key} has several runs`);
    }
  }
  const between = (from: number, until: number) =>
    faults.some((fault) => fault.from <= until && fault.until + (fault.wakes ? WAKING_MS : 0) >= from);
  for (const [run, own] of Map.groupBy(calls, ({ run }) => run)) {
    const places = Object.values(FLOWS).map((flow) => flow.places).find((known) =>
      own.every(({ place }) => known.includes(place))
    );
    let furthest = 0;
    if (new Set(own.map(({ started }) => started)).size > 1) broken.push(`${run}: its started_at has changed`);
    for (const [place, same] of Map.groupBy(own, ({ place }) => place)) {
      if (new Set(same.map(({ value }) => value)).size > 1) {
        broken.push(`${run}: ${place} was called with other values`);
      }
    }
    for (const [i, { key, place, at }] of own.entries()) {
      if (key !== `${run}:${place}` || !places) broken.push(`${run}: a call with the key ${key}`);
      const before = own.slice(0, i).findLast((one) => one.place === place && one.status === 200);
      if (before && place !== LATE && !between(before.at, at)) {
        broken.push(`${run}: ${place} was called again for no reason; ${describeCalls(own, faults)}`);
      }
      const rank = places ? rankOf(places, place) : 0;
      if (rank > furthest + 1) broken.push(`${run}: ${place} was called before the one before it`);
      if (rank < furthest && !isWaking(faults, at)) {
        broken.push(`${run}: ${place} was called after ${places?.[furthest]}`);
      }
      furthest = Math.max(furthest, rank);
    }
  }
  return broken;
}
