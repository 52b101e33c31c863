/** Records that change while workers are disturbed, and the trigger that delivers each change once, in order. */
import type { Random } from "./random.ts";
import type { Worker } from "./workers.ts";

/** Writes of a round. The last one is awaited. */
const WRITES = 12;
const WRITE_MS = 180_000;
/** A change whose notification was lost is delivered by the next tick, which is asked for after this time. */
const TICK_MS = 3_000;
/** One writer at a time, so that acknowledged changes have an order. */
const PAUSE_MS = 100;

interface Change {
  kind: "create" | "update" | "delete";
  record: string;
  n: number;
}

export interface Changes {
  /** In the order in which they were acknowledged. */
  acknowledged: Change[];
  /** The number of the latest change before them, and of those that were delivered. */
  before: number;
  /** ISO time. */
  since: string;
}

interface Delivered {
  seq: number;
  kind: Change["kind"];
  record: string;
  /** After and before the change. */
  n: number | null;
  was: number | null;
}

const AT = "/platform/dbs/source/records";
const LEDGER = "/platform/dbs/delivered/search.json";
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Asks workers until one has done it. A worker that dies may have done it, too. */
async function write(
  workers: readonly Worker[],
  random: Random,
  method: string,
  path: string,
  data?: { n: number },
): Promise<{ id: string } | undefined> {
  const deadline = performance.now() + WRITE_MS;
  while (performance.now() < deadline) {
    const worker = workers[Math.floor(random() * workers.length)];
    const answer = await worker?.ask(method, path, data && { record: { data } });
    if (answer && answer.status >= 200 && answer.status < 300) return answer.body ?? { id: "" };
    // Deleted by a worker whose answer was lost.
    if (answer?.status === 404) return undefined;
    await pause(PAUSE_MS);
  }
  throw new Error(`${method} ${path} was not answered`);
}

const latest = async (workers: readonly Worker[]): Promise<number> => {
  const deadline = performance.now() + WRITE_MS;
  while (performance.now() < deadline) {
    const answer = await workers[0]?.ask("GET", `${LEDGER}?sort=-seq&per_page=1`);
    if (answer?.status === 200) return answer.body[0]?.seq ?? 0;
    await pause(PAUSE_MS);
  }
  throw new Error("the delivered changes were not listed");
};

export async function changeRecords({ workers }: { workers: Worker[] }, random: Random): Promise<Changes> {
  const changes: Changes = { acknowledged: [], before: await latest(workers), since: new Date().toISOString() };
  const live: { id: string; n: number }[] = [];
  for (let n = 1; n <= WRITES; n++) {
    const dice = random();
    const record = live[Math.floor(random() * live.length)];
    const done = (kind: Change["kind"], id: string, n: number) => changes.acknowledged.push({ kind, record: id, n });
    if (record && dice < 0.3 && n < WRITES) {
      record.n = n;
      if (await write(workers, random, "PATCH", `${AT}/${record.id}.json`, { n })) done("update", record.id, n);
    } else if (record && dice < 0.5 && n < WRITES) {
      live.splice(live.indexOf(record), 1);
      if (await write(workers, random, "DELETE", `${AT}/${record.id}.json`)) done("delete", record.id, record.n);
    } else {
      const made = await write(workers, random, "POST", `${AT}.json`, { n });
      if (made) {
        live.push({ id: made.id, n });
        done("create", made.id, n);
      }
    }
    await pause(PAUSE_MS * random());
  }
  return changes;
}

/** In the order in which they were delivered. */
async function listDelivered(worker: Worker, { before }: Changes): Promise<Delivered[] | undefined> {
  const path = `${LEDGER}?filter[seq][gt]=${before}&sort=created_at&per_page=100`;
  const { status, body } = await worker.ask("GET", path);
  return status === 200 ? body : undefined;
}

/** Waits until the last change was delivered. @returns a violation if it was not */
export async function deliveredAll(worker: Worker, changes: Changes, patience_ms: number): Promise<string[]> {
  const last = changes.acknowledged.at(-1);
  const deadline = performance.now() + patience_ms;
  let tick_at = performance.now() + TICK_MS;
  for (;;) {
    const delivered = await listDelivered(worker, changes);
    if (delivered?.some(({ kind, record }) => kind === last?.kind && record === last?.record)) return [];
    if (performance.now() > deadline) return [`${last?.kind} of ${last?.record} was not delivered`];
    if (performance.now() > tick_at) {
      await worker.ask("POST", "/-/tick");
      tick_at = performance.now() + TICK_MS;
    }
    await pause(PAUSE_MS);
  }
}

interface Row {
  state: string;
  outcome: string | null;
  slots: number;
}

/** The rows of the trigger's ledger. The tick notes the end of a run whose process died before it could. */
async function endedRows(worker: Worker, { since }: Changes): Promise<Row[]> {
  const deadline = performance.now() + WRITE_MS;
  for (;;) {
    const { status, body } = await worker.ask("GET", `/account/crons/1/runs.json?from=${since}&per_page=100`);
    const rows: Row[] = status === 200 ? body : [];
    const have_ended = rows.length > 0 && rows.every(({ outcome }) => outcome !== null);
    if (have_ended || performance.now() > deadline) return rows;
    await worker.ask("POST", "/-/tick");
    await pause(PAUSE_MS);
  }
}

const sentence = (kind: string, record: string, n: number | null) => `${kind} of ${record} (${n})`;

/** For changes that were all delivered: each once, in order, those that were acknowledged among them. */
export async function brokenChanges(worker: Worker, changes: Changes): Promise<string[]> {
  const delivered = await listDelivered(worker, changes) ?? [];
  const seqs = delivered.map(({ seq }) => seq);
  const wanted = seqs.map((_, i) => changes.before + 1 + i);
  const order = seqs.join() === wanted.join() ? [] : [`changes were delivered in the order ${seqs.join()}`];
  const known = delivered.map(({ kind, record, n, was }) => sentence(kind, record, kind === "delete" ? was : n));
  const wrote = changes.acknowledged.map(({ kind, record, n }) => sentence(kind, record, n));
  const positions = wrote.map((change) => known.indexOf(change));
  const lost = wrote.filter((_, i) => positions[i] === -1);
  const rows = await endedRows(worker, changes);
  // A restart of PostgreSQL between a claim and its start makes the start late.
  const odd = rows.filter(({ state, outcome }) => !["ran", "late"].includes(state) || outcome !== "finished");
  const slots = rows.reduce((sum, row) => sum + row.slots, 0);
  return [
    ...order,
    ...lost.map((change) => `${change} was not delivered`),
    ...positions.every((at, i) => i === 0 || at > (positions[i - 1] ?? 0))
      ? []
      : ["changes were delivered out of order"],
    ...odd.map((row) => `the trigger's ledger has ${JSON.stringify(row)}`),
    ...slots === delivered.length
      ? []
      : [`the trigger's ledger has ${slots} changes, ${delivered.length} were delivered`],
  ];
}
