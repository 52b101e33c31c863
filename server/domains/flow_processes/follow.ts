/**
 * Event streams of runs. Changes in this process are sent at once; runs of other processes are polled every two seconds.
 */
import type { Context } from "../../context.ts";
import type { Viewer } from "../../viewer.ts";
import { visibleTo } from "../../visibility.ts";
import { pendingProcess, readProcess } from "./inspect.ts";
import { listRecent } from "./queries.ts";
import type { FlowProcess, WholeFlowProcess } from "./schema.ts";

export interface ProcessEvent {
  /** Counts the events of one stream. A client that reconnects reads the list again. */
  id: number;
  event: "ready" | "process";
  data: FlowProcess | WholeFlowProcess | Record<string, never>;
}

/** The shortest time between two reads, however many changes there are. */
const SHORTEST_POLL_MS = 150;
/** The longest time between two reads: changes in other processes are not notified. */
const LONGEST_POLL_MS = 2_000;
/** Runs in flight that are read. */
const MOST = 500;
/** A run that started earlier and has ended since was seen in flight before, so it is looked up by its id. */
const LOOK_BACK_MS = 60_000;

/** Resolves at the next change of the account's runs in this process, and after LONGEST_POLL_MS. */
async function nextChange({ flows, viewer }: Context, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SHORTEST_POLL_MS));
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = flows.watch(viewer.account_id, resolve);
  const timer = setTimeout(resolve, LONGEST_POLL_MS);
  const stop = () => resolve();
  signal.addEventListener("abort", stop);
  await promise;
  signal.removeEventListener("abort", stop);
  clearTimeout(timer);
  end();
}

/**
 * One run with its steps, after each change. The stream ends with the run.
 *
 * @param authenticate checks the viewer's login again, before each read
 * @throws {Refusal} 404
 */
export async function* followProcess(
  ctx: Context,
  id: string,
  authenticate: () => Promise<Viewer>,
  signal: AbortSignal,
): AsyncGenerator<ProcessEvent> {
  let sent = "";
  for (let count = 1; !signal.aborted;) {
    await authenticate();
    const now = await readProcess(ctx, id);
    if (now.text !== sent) {
      const data = now.parse();
      yield { id: count++, event: "process", data };
      sent = now.text;
      if (data.status !== "pending" && data.status !== "waiting") return;
    }
    await nextChange(ctx, signal);
  }
}

/**
 * All runs of the account that the viewer may see: `ready` first, then each run that starts, is claimed or ends.
 *
 * @param authenticate checks the viewer's login again, before each read
 */
export async function* followProcesses(
  ctx: Context,
  authenticate: () => Promise<Viewer>,
  signal: AbortSignal,
): AsyncGenerator<ProcessEvent> {
  /** By run: the state that was sent last. The newest is at the end. */
  const sent = new Map<string, string>();
  let count = 1;
  const changed = async (viewer: Viewer): Promise<FlowProcess[]> => {
    const pending = (await ctx.flows.pending(viewer.account_id, MOST))
      .filter(({ department_id }) => visibleTo(viewer, department_id)).map((head) => pendingProcess(head));
    const in_flight = [...sent].filter(([, status]) => /^(pending|waiting)/.test(status)).map(([id]) => id);
    const ended = await listRecent(ctx.sql, viewer, ctx.clock.now().getTime() - LOOK_BACK_MS, in_flight, MOST);
    const ended_ids = new Set(ended.map(({ id }) => id));
    // A run that has ended between two parts of the statement is in both.
    const stored = [...new Map(ended.map((run) => [run.id, run])).values()];
    return [...stored, ...pending.filter(({ id }) => !ended_ids.has(id))].toSorted((a, b) => a.id < b.id ? -1 : 1)
      .filter(({ id, status, started_at, attempts }) => {
        const now = `${status} ${started_at} ${attempts}`;
        const known = sent.get(id) === now;
        sent.delete(id);
        sent.set(id, now);
        return !known;
      });
  };
  await changed(ctx.viewer);
  yield { id: count++, event: "ready", data: {} };
  while (!signal.aborted) {
    await nextChange(ctx, signal);
    if (signal.aborted) return;
    for (const data of await changed(await authenticate())) yield { id: count++, event: "process", data };
    for (const id of [...sent.keys()].slice(0, Math.max(0, sent.size - 4 * MOST))) sent.delete(id);
  }
}
