/** Evaluation of expressions and code in confined processes. What they compute depends on their values alone. */
import { createHash } from "node:crypto";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import type { Reason } from "../../subprocess/subprocess.ts";
import type { Evaluated, Scope } from "../template/template.ts";
import type { Place } from "./protocol.ts";
import { createPool, type PoolAnswer, type PoolOptions, Unavailable } from "./pool.ts";

/** Processor time of one expression, and of code. docs/flows.md names both. */
const EXPRESSION_MS = 1_000;
const CODE_MS = 5_000;

/** Characters of what a program is given. */
const MOST_GIVEN = 4 * 1024 * 1024;

/** Who evaluates, where and when. */
export interface Evaluation {
  account_id: number;
  /** The run and the place: random values derive from it. */
  seed: string;
  /** What programs see as the time, in milliseconds since 1970: the start of the run. */
  now: number;
  signal: AbortSignal;
}

/** `at`: where the compiled code has thrown the error. `reason`: why its process was ended. */
export type Ran = Evaluated & { console: string[]; at?: Place | undefined; reason?: Reason | undefined };

export { type Place, Unavailable };

export interface Evaluations {
  /**
   * @param first the number of the first expression within its step
   * @returns by expression
   * @throws the signal's reason, and {Unavailable}
   */
  expressions(
    at: Evaluation,
    expressions: readonly string[],
    first: number,
    scope: Scope,
  ): Promise<ReadonlyMap<string, Evaluated>>;
  /** Calls the default export of compiled code. @param most_cpu_ms if less than 5 s @throws as above */
  code(at: Evaluation, code: string, given: JsonObject, most_cpu_ms?: number): Promise<Ran>;
  close(): Promise<void>;
}

/** @param options also `expression_ms`: the processor time of one expression */
export function createEvaluations(
  { expression_ms = EXPRESSION_MS, ...options }: PoolOptions & { expression_ms?: number },
): Evaluations {
  const pool = createPool(options);
  return {
    async expressions({ account_id, seed, now, signal }, expressions, first, scope) {
      const names = JSON.stringify(namesIn(expressions.join(" "), scope));
      if (names.length > MOST_GIVEN) return new Map(expressions.map((one) => [one, { error: TOO_MUCH }]));
      const order = { kind: "expressions", expressions, first, names, now, seeds: seedsOf(seed) } as const;
      const answers = await pool.perform(account_id, order, expression_ms, signal);
      return new Map(expressions.map((one, index) => [one, evaluated(answers[index])]));
    },
    async code({ account_id, seed, now, signal }, code, given, most_cpu_ms = CODE_MS) {
      const names = JSON.stringify(given);
      if (names.length > MOST_GIVEN) return { error: TOO_MUCH, console: [] };
      const order = { kind: "code", code, names, now, seeds: seedsOf(seed) } as const;
      const [answer] = await pool.perform(account_id, order, Math.min(CODE_MS, most_cpu_ms), signal);
      const at = answer && "at" in answer ? answer.at : undefined;
      return { ...evaluated(answer), console: answer?.console ?? [], at, reason: answer?.reason };
    },
    close: pool.close,
  };
}

const TOO_MUCH = "is given more than 4 MiB of values";

function evaluated(answer: PoolAnswer | undefined): Evaluated {
  if (!answer) return { error: "was not evaluated, because an expression before it ended the process" };
  if ("error" in answer) return { error: answer.error };
  if (deeperThan(answer.json, DEPTH_LIMIT)) return { error: `returns JSON that is nested deeper than ${DEPTH_LIMIT}` };
  const value: JsonValue = JSON.parse(answer.json);
  return { value };
}

const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;

/** The names in scope that a text mentions: what else is there need not be sent. */
export function namesIn(text: string, scope: Scope): JsonObject {
  const words = new Set(text.match(WORD));
  return Object.fromEntries(Object.entries(scope).filter(([name]) => words.has(name)));
}

/** Four integers of 32 bits. */
function seedsOf(seed: string): string {
  const hash = createHash("sha256").update(seed).digest();
  return [0, 4, 8, 12].map((at) => hash.readInt32LE(at)).join();
}
