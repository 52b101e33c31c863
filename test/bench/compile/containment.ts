/**
 * Measures how hostile sources affect other requests: their latency (p99) while every compile worker hangs, in turn with
 * their latency without an attack.
 */
import { HANGS } from "../../once/compiler/hostile.ts";
import { print } from "../../stage/print.ts";
import { findProgram } from "../../stage/programs.ts";
import { HOW_TO_INSTALL, type Load, load, type Order } from "../measure/load.ts";
import type { Section } from "../measure/section.ts";
import { setStage } from "../requests/stage.ts";
import { layOut, median } from "../measure/table.ts";
import { worksOf } from "../requests/works.ts";

export interface Containment {
  work: string;
  connections: number;
  /** Milliseconds, medians of the rounds. */
  p99_ms: { quiet: number; attacked: number };
  /** Medians of the ratios within a round, attacked ÷ quiet. */
  p99_ratio: number;
  per_second_ratio: number;
}

/** Target: p99 under attack as a multiple of p99 without, at most. */
const AIM = 2;

/** Concurrent hostile saves: one per compile worker. */
const ATTACKERS = 2;

/** Long enough for workers to hang, be killed and start again. */
const SHORTEST_SECONDS = 6;

/** A few connections, as on most servers, and as many as in the other sections. */
const FEW_CONNECTIONS = 4;

/** Saves hostile sources, all different, until it is stopped. */
async function attack(origin: string, token: string, isOver: () => boolean): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  while (!isOver()) {
    const app = { name: "Hostile", css_engine: "none", source_code: `${HANGS}<p>${crypto.randomUUID()}</p>` };
    const answer = await fetch(`${origin}/platform/apps.json`, {
      method: "POST",
      headers,
      body: JSON.stringify({ app }),
    });
    const text = await answer.text();
    if (answer.status !== 422) throw new Error(`a hostile save was answered ${answer.status}: ${text}`);
  }
}

async function underAttack(order: Order, token: string, how: Parameters<typeof load>[1]): Promise<Load> {
  let over = false;
  const { origin } = new URL(order.url);
  const attackers = Promise.all(Array.from({ length: ATTACKERS }, () => attack(origin, token, () => over)));
  try {
    // By then the first worker hangs and the second is starting.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return await load(order, how);
  } finally {
    over = true;
    await attackers;
  }
}

interface Options {
  seconds: number;
  rounds: number;
  connections: number;
}

async function measureAll(stack: AsyncDisposableStack, { seconds, rounds, connections }: Options) {
  const stage = await setStage(stack);
  const works = worksOf(stage)
    .filter(({ name }) => name === "list" || name === "page");
  const cases = [FEW_CONNECTIONS, connections].flatMap((connections) =>
    works.map(({ name, ours }) => ({ name, ours, how: { seconds: Math.max(seconds, SHORTEST_SECONDS), connections } }))
  );
  // Loads the runtime into the store.
  await underAttack(cases[0]?.ours ?? { method: "GET", url: stage.ours.origin }, stage.token, {
    seconds: 1,
    connections,
  });
  const rows: Containment[] = await Array.fromAsync(cases, async ({ name, ours, how }) => {
    const turns = await Array.fromAsync(Array.from({ length: rounds }), async (_, turn) => {
      print(`${name}, ${how.connections} connections: round ${turn + 1} of ${rounds}`);
      return { quiet: await load(ours, how), attacked: await underAttack(ours, stage.token, how) };
    });
    const middle = (figure: (turn: typeof turns[number]) => number) => median(turns.map(figure));
    return {
      work: name,
      connections: how.connections,
      p99_ms: { quiet: middle(({ quiet }) => quiet.p99_ms), attacked: middle(({ attacked }) => attacked.p99_ms) },
      p99_ratio: middle(({ quiet, attacked }) => attacked.p99_ms / quiet.p99_ms),
      per_second_ratio: middle(({ quiet, attacked }) => attacked.per_second / quiet.per_second),
    };
  });
  return { rows };
}

function reportOf(rows: readonly Containment[]): string {
  return layOut([
    ["work", "connections", "p99 ms quiet", "attacked", "ratio", "aim", "req/s ratio"],
    ...rows.map(({ work, connections, p99_ms, p99_ratio, per_second_ratio }) => [
      work,
      String(connections),
      p99_ms.quiet.toFixed(1),
      p99_ms.attacked.toFixed(1),
      p99_ratio.toFixed(2),
      `≤${AIM.toFixed(2)} ${p99_ratio <= AIM ? "met" : "MISSED"}`,
      per_second_ratio.toFixed(2),
    ]),
  ], 1);
}

export const containment = (options: Options): Section => ({
  name: "containment",
  missing: findProgram("wrk") ? undefined : HOW_TO_INSTALL,
  async measure(stack) {
    const result = await measureAll(stack, options);
    return { result, report: reportOf(result.rows) };
  },
});
