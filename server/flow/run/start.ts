/** Starts runs: stores the head durably before the caller gets the run's id. */
import { newUuid } from "../../database/uuid_v7.ts";
import { invalid, unavailable } from "../../errors.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { Keys } from "../../secrets/keys.ts";
import { NoReach, reachOfAuthor, type Users } from "../../reach.ts";
import { visibleTo } from "../../visibility.ts";
import { proveInput } from "../declared/input.ts";
import { NO_FLOW } from "../flow.ts";
import type { Heartbeat } from "../lease/heartbeat.ts";
import type { KnownFlow, Programs } from "../storage/program_cache.ts";
import type { Kept, RunStore } from "../storage/run_store.ts";
import { createHiding } from "../secret/hiding.ts";
import { MASK, masked, openSealed, seal, secretsOf, unmasked } from "../secret/seal.ts";
import type { Turns } from "../waiting/turns.ts";
import { newHead } from "./heads.ts";
import type { Limits } from "./limits.ts";
import type { NewRun } from "./model.ts";

interface Deps {
  users: Users;
  keys: Keys;
  programs: Programs;
  store: RunStore;
  heartbeat: Heartbeat;
  turns: Turns;
  limits: Limits;
  clock: { now(): Date };
  closing: AbortSignal;
  /** Runs that wait or are executed in this process: all, or those of the share of a run. */
  count(of?: NewRun): number;
  /** Executes the run when it is its turn. @param made_at when it was about to be stored, by the monotonic clock */
  enqueue(kept: Kept, made_at: number): void;
}

export interface Starts {
  /** @throws {Refusal} as `Flows.start` */
  start(run: NewRun): Promise<{ id: string }>;
  /** Whether the run is being started: its head may be stored already, while its job does not exist yet. */
  isStarting(id: string): boolean;
}

export function createStarts(deps: Deps): Starts {
  const { users, programs, store, heartbeat, turns, limits, clock, closing, count, enqueue } = deps;
  const starting = new Set<string>();
  /** Triggers may wait in half the number, beside the others. */
  const mostOf = ({ trigger }: NewRun) => limits.most_per_account / (trigger === "cron" ? 2 : 1);
  return {
    isStarting: (id) => starting.has(id),
    async start(run) {
      if (closing.aborted) throw unavailable("The server is stopping", undefined, 1);
      const flow = await programs.find(run.account_id, run.flow_code);
      if (!flow || !await isVisible(users, run, flow.department_id)) throw invalid({ flow_code: [NO_FLOW] });
      if (!flow.active) throw invalid({ flow_code: ["is not active"] });
      const id = run.id ?? newUuid();
      const { input, sealed, mark } = await inputOf(deps, run, flow, id);
      if (count() >= limits.most || count(run) >= mostOf(run)) throw unavailable("Too many runs wait", undefined, 5);
      const head = newHead({ ...run, id, input }, flow, await heartbeat.prove(), clock.now().getTime());
      if (sealed !== undefined) head.sealed = sealed;
      // A repeated start takes no turn: what it repeats has one.
      const repeats = flow.max_at_once !== null && await store.isUsed(head.account_id, run.idempotency_key);
      if (flow.max_at_once !== null && !repeats && await turns.take(head)) head.takes_turn = true;
      starting.add(head.id);
      const made_at = performance.now();
      try {
        const made = await store.create(head, run.idempotency_key, mark);
        if ("id" in made) {
          if (head.takes_turn && made.id !== head.id) await turns.pass(head, head.id);
          if (made.same) return { id: made.id };
          throw invalid({ idempotency_key: ["has been used with another input"] });
        }
        enqueue(made, made_at);
        return { id: head.id };
      } finally {
        starting.delete(head.id);
      }
    },
  };
}

/** An input as it is stored: with the defaults that the flow declares, and without what it keeps secret. */
interface StoredInput {
  input: JsonObject;
  sealed?: string | undefined;
  /** The same for the same secrets. Says nothing about them. */
  mark?: string | undefined;
}

/** @throws {Refusal} 422 where it does not match what the flow declares */
async function inputOf(
  { programs, keys }: Pick<Deps, "programs" | "keys">,
  run: NewRun,
  flow: KnownFlow,
  id: string,
): Promise<StoredInput> {
  const { account_id, flow_version = flow.version, sealed, secret_texts = [] } = run;
  const is_declared = run.flow_version !== undefined || flow.declares_input;
  if (!is_declared && !sealed && secret_texts.length === 0) return { input: run.input };
  const program = is_declared ? await programs.read({ account_id, flow_id: flow.id, flow_version }) : undefined;
  const before = sealed ? openSealed(keys, { account_id, id: sealed.of }, sealed.text) : undefined;
  const input = proveInput(program?.input, before ? unmasked(run.input, before) : run.input);
  const names = new Set(program?.secret_inputs);
  for (const name of Object.keys(before?.values ?? {})) if (run.input[name] === MASK) names.add(name);
  const hiding = createHiding([...secret_texts, ...before?.inherited ?? []]);
  const shown = await hiding?.object(input);
  // What contains a secret of the calling run is secret here, too.
  for (const name of Object.keys(input)) {
    if (shown && JSON.stringify(shown[name]) !== JSON.stringify(input[name])) names.add(name);
  }
  const secrets = secretsOf(input, names, [...secret_texts, ...before?.inherited ?? []]);
  if (Object.keys(secrets.values).length === 0) return { input };
  const mark = keys.sign("secret inputs", JSON.stringify(secrets.values)).toString("base64url");
  return { input: masked(input, names), sealed: seal(keys, { account_id, id }, secrets), mark };
}

/** Whether the author of the action or trigger sees the flow now. @throws {Refusal} 422 if there is no such author */
async function isVisible(
  users: Users,
  { account_id, author, reach }: NewRun,
  department_id: number | null,
): Promise<boolean> {
  if (reach) return visibleTo(reach, department_id);
  if (!author) return true;
  try {
    return visibleTo(await reachOfAuthor(users, account_id, author.id, author.of), department_id);
  } catch (error) {
    throw error instanceof NoReach ? invalid({ base: [error.message] }) : error;
  }
}
