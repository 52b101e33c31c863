/** Hands the runs of a process that closes over to its peers. */
import { faultOf, type Log } from "../../log.ts";
import type { RunStore } from "../storage/run_store.ts";
import { CLOSING } from "./execution/interruption.ts";
import type { Job } from "./jobs.ts";

/** Steps in progress may take so long to end by themselves. Then they are aborted. */
const GRACE_MS = 2_500;

export async function handOverAll(jobs: readonly Job[], store: RunStore, log: Log): Promise<void> {
  const abort = setTimeout(() => jobs.forEach(({ controller }) => controller.abort(CLOSING)), GRACE_MS);
  await Promise.all(jobs.filter(({ begun }) => begun).map(({ ended }) => ended.promise));
  clearTimeout(abort);
  await Promise.all(jobs.map((job) => handOver(job, store, log)));
}

/** Keeps the journal and gives up ownership, so that any peer may claim the run at once. */
async function handOver(job: Job, store: RunStore, log: Log): Promise<void> {
  try {
    const has_ended = await Promise.race([job.ended.promise, undefined]);
    if (has_ended) return;
    // Without it, the journal would wait for a store that is away.
    job.controller.abort(CLOSING);
    await job.journal?.keep();
    await store.checkpoint({ head: { ...job.head, owner: "" }, versionstamp: job.versionstamp });
  } catch (error) {
    log.warn("a run was not handed over", { run: job.head.id, ...faultOf(error) });
  }
}
