/** Scenarios with a fault of a store: another file of Deno KV, a full disk, the embedded database after a crash. */
import { until } from "../stage/until.ts";
import { type Acknowledged, findBroken, settle, statusPath } from "./invariants.ts";
import type { FlowName } from "./flows.ts";
import type { Site } from "./site.ts";
import type { SmallDisk } from "./small_disk.ts";
import type { Worker } from "./workers.ts";

const FLOWS: FlowName[] = ["chain", "single", "turns", "fork"];

async function begin({ app_id }: Site, worker: Worker, flow: FlowName): Promise<Acknowledged | undefined> {
  const { status, body } = await worker.ask("POST", `/platform/apps/${app_id}/action/${flow}`, {});
  return status === 200 ? { id: body.flow_process_id, flow, key: undefined, ends: [] } : undefined;
}

async function beginAll(site: Site, worker: Worker): Promise<Acknowledged[]> {
  const runs = await Promise.all(FLOWS.map((flow) => begin(site, worker, flow)));
  return runs.map((run) => {
    if (!run) throw new Error("not acknowledged");
    return run;
  });
}

/** The first call of `turns` is inside of its loop. */
const inTheirFirstCalls = ({ oracle }: Site) =>
  Promise.all([oracle.reached("one", FLOWS.length - 1), oracle.reached("each.0.one")]);

/** Holds all calls of the oracle until the returned function is called. */
function gate(site: Site): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.oracle.behave = () => promise.then(() => 200);
  return resolve;
}

const settled = async (site: Site, worker: Worker, runs: readonly Acknowledged[]): Promise<string[]> => {
  const unsettled = await settle(site, worker, runs);
  return unsettled.length > 0 ? unsettled : await findBroken(site, [worker], runs, []);
};

/** A second worker has another file of Deno KV: it must not start, and the first one's runs go on. */
export async function startedWithAnotherKv(site: Site): Promise<string[]> {
  const open = gate(site);
  const worker = await site.launch(0);
  const runs = await beginAll(site, worker);
  const refused = await site.launch(1, { kv: `${site.folder}/other.sqlite3` }).then(
    async (other) => (await other.stop(), "it started"),
    (error) => /KV_URL .* adopt-kv/.test(String(error)) ? "" : `it did not start for another reason: ${error}`,
  );
  open();
  const broken = await settled(site, worker, runs);
  await worker.stop();
  return refused === "" ? broken : [`a worker with another file of Deno KV: ${refused}`, ...broken];
}

/**
 * The disk of the tables and of Deno KV is full while runs are in progress. What was acknowledged waits for room, and
 * what is not stored is not acknowledged.
 */
export async function fullDisk(site: Site, disk: SmallDisk): Promise<string[]> {
  const open = gate(site);
  const worker = await site.launch(0);
  const runs = await beginAll(site, worker);
  await inTheirFirstCalls(site);
  await disk.fill();
  open();
  // Each write asks for room that is not there: a run with an effect must store it before its next one.
  const waits = () => /a run waits for a store|cannot be written|out of space/.test(worker.output());
  await until(async () => {
    const late = await begin(site, worker, "single");
    if (late) runs.push(late);
    return waits();
  }, "a write finds no room");
  const failed: string[] = [];
  for (const run of runs) {
    const { status, body } = await worker.ask("GET", statusPath(site, run));
    if (status === 200 && body.status === "error") {
      failed.push(`${run.id} failed while the disk was full: ${body.error}`);
    }
  }
  await disk.free();
  const broken = await settled(site, worker, runs);
  await worker.stop();
  return [...failed, ...broken];
}

/** The lock of the data folder proves that the previous process is dead, so its lease is not awaited. */
export async function crashedAlone(site: Site): Promise<string[]> {
  // No process would be declared dead within the test.
  const more = { lease_ms: 3_600_000, sweep_ms: 0 };
  const open = gate(site);
  const worker = await site.launch(0, more);
  const runs = await beginAll(site, worker);
  await inTheirFirstCalls(site);
  const from = performance.now();
  await worker.kill();
  const next = await site.launch(0, more);
  open();
  // What the process does once a minute, beginning with its start.
  await next.ask("POST", "/-/sweep");
  const unsettled = await settle(site, next, runs);
  const fault = { from, until: performance.now() };
  return unsettled.length > 0 ? unsettled : await findBroken(site, [next], runs, [fault]);
}
