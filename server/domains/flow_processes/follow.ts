/** Runs as they come on, for whoever watches. What other processes work on is asked for every two seconds. */
import type { Context, Viewer } from "../../context.ts";
import { visibleTo } from "../../visibility.ts";
import { pendingProcess, readProcess } from "./inspect.ts";
import { listRecent } from "./queries.ts";
import type { FlowProcess, WholeFlowProcess } from "./schema.ts";

export interface ProcessEvent {
  /** Counts this stream's events. Whoever comes back reads the list again. */
  id: number;
  event: "ready" | "process";
  data: FlowProcess | WholeFlowProcess | Record<string, never>;
}

/** Between two looks, however much happens. */
const SOONEST_MS = 150;
const ELSEWHERE_MS = 2_000;
/** Runs in flight that are looked at. */
const MOST = 500;
/** A run is made at most so long before it ends, or it was seen in flight. */
const LOOK_BACK_MS = 60_000;

/** Resolves at the next news of the account, or when it is time to ask what other processes do. */
async function news({ flows, viewer }: Context, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SOONEST_MS));
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = flows.watch(viewer.account_id, resolve);
  const timer = setTimeout(resolve, ELSEWHERE_MS);
  const stop = () => resolve();
  signal.addEventListener("abort", stop);
  await promise;
  signal.removeEventListener("abort", stop);
  clearTimeout(timer);
  end();
}

/**
 * One run with its steps, whenever it has come on; the stream ends with it.
 *
 * @param again proves anew who follows
 * @throws {Refusal} 404
 */
export async function* followProcess(
  ctx: Context,
  id: string,
  again: () => Promise<Viewer>,
  signal: AbortSignal,
): AsyncGenerator<ProcessEvent> {
  let told = "";
  for (let count = 1; !signal.aborted;) {
    await again();
    const now = await readProcess(ctx, id);
    if (now.text !== told) {
      const data = now.parse();
      yield { id: count++, event: "process", data };
      told = now.text;
      if (data.status !== "pending") return;
    }
    await news(ctx, signal);
  }
}

/**
 * All of the account's that the viewer may see: `ready` first, then each that begins, is taken in hand or ends.
 *
 * @param again proves anew who follows
 */
export async function* followProcesses(
  ctx: Context,
  again: () => Promise<Viewer>,
  signal: AbortSignal,
): AsyncGenerator<ProcessEvent> {
  const told = new Map<string, string>();
  let count = 1;
  const look = async (viewer: Viewer): Promise<FlowProcess[]> => {
    const pending = (await ctx.flows.pending(viewer.account_id, MOST))
      .filter(({ department_id }) => visibleTo(viewer, department_id)).map(pendingProcess);
    const flying = [...told].filter(([, status]) => status.startsWith("pending")).map(([id]) => id);
    const ended = await listRecent(ctx.sql, viewer, ctx.clock.now().getTime() - LOOK_BACK_MS, flying, MOST);
    const over = new Set(ended.map(({ id }) => id));
    return [...ended, ...pending.filter(({ id }) => !over.has(id))].toSorted((a, b) => a.id < b.id ? -1 : 1)
      .filter(({ id, status, started_at, attempts }) => {
        const now = `${status} ${started_at} ${attempts}`;
        const known = told.get(id) === now;
        told.delete(id);
        told.set(id, now);
        return !known;
      });
  };
  await look(ctx.viewer);
  yield { id: count++, event: "ready", data: {} };
  while (!signal.aborted) {
    await news(ctx, signal);
    if (signal.aborted) return;
    for (const data of await look(await again())) yield { id: count++, event: "process", data };
    for (const id of [...told.keys()].slice(0, Math.max(0, told.size - 4 * MOST))) told.delete(id);
  }
}
