/** Hides a run's secrets in what the run keeps and answers. Templates of later steps see the same, as after a takeover. */
import { createRedactor, REDACTED, type Redactor } from "../../connectors/connectors.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import type { Call, Outcome, StepRecord } from "../run/model.ts";
import { type Effect, StepFault } from "../steps/fault.ts";

export interface Hiding {
  /** Hides a text from now on. */
  hide(text: string): void;
  /** What a called run must hide: all secrets, and those of the texts hidden later that its input has. */
  textsFor(input: JsonObject): readonly string[];
  text(text: string): string;
  object(value: JsonObject): Promise<JsonObject>;
  /** The result of an effect, or its fault. @throws {StepFault} */
  effect<T extends Effect | undefined>(work: () => Promise<T>): Promise<T | Effect>;
  records(records: readonly StepRecord[]): Promise<StepRecord[]>;
  outcome(outcome: Outcome): Promise<Outcome>;
}

/** @returns undefined without secrets */
export const createHiding = (secrets: readonly string[]): Hiding | undefined =>
  secrets.length === 0 ? undefined : createHidingOfRun(secrets);

/** For runs, which may have something to hide later. */
export function createHidingOfRun(secrets: readonly string[]): Hiding {
  const later = new Set<string>();
  let redactor: Redactor | undefined;
  const current = () => redactor ??= createRedactor([...secrets, ...later]);
  const text = (text: string) => current().text(text);
  const json = (value: JsonValue) => current().json(value);
  const hidesNothing = () => secrets.length === 0 && later.size === 0;

  /** Names stay: they are the program's own. */
  const object = async (value: JsonObject): Promise<JsonObject> => {
    if (hidesNothing()) return value;
    const entries: [string, JsonValue][] = [];
    for (const [name, inner] of Object.entries(value)) entries.push([name, await json(inner)]);
    return Object.fromEntries(entries);
  };
  const headersOf = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)]));
  const hiddenEffect = async (effect: Effect): Promise<Effect> => ({
    ...effect,
    output: await json(effect.output),
    ...effect.headers && { headers: headersOf(effect.headers) },
  });
  /** A text that was shortened may have been cut inside of a secret. */
  const side = async (value: JsonValue, shortened: boolean | undefined) =>
    shortened && typeof value === "string" ? REDACTED : await json(value);
  const hiddenCall = (call: Call): Call => ({
    ...call,
    url: text(call.url),
    headers: headersOf(call.headers),
    attempts: call.attempts.map((attempt) => ({
      ...attempt,
      error: attempt.error === null ? null : text(attempt.error),
    })),
  });

  async function hiddenRecord(record: StepRecord): Promise<StepRecord> {
    const { input, output, error, warnings, compared, call, console } = record;
    const hidden: StepRecord = {
      ...record,
      input: await json(input),
      output: await json(output),
      error: error === null ? null : text(error),
      warnings: warnings.map(text),
    };
    if (compared) {
      hidden.compared = [];
      for (const one of compared) {
        const left = await side(one.left, one.shortened);
        const right = one.right === undefined ? undefined : await side(one.right, one.shortened);
        hidden.compared.push({ ...one, left, right });
      }
    }
    if (call) hidden.call = hiddenCall(call);
    if (console) hidden.console = console.map(text);
    return hidden;
  }

  return {
    hide(text) {
      if (later.has(text)) return;
      later.add(text);
      redactor = undefined;
    },
    textsFor(input) {
      if (later.size === 0) return secrets;
      const written = JSON.stringify(input);
      return [...secrets, ...[...later].filter((text) => written.includes(text))];
    },
    text,
    object,
    async effect(work) {
      try {
        const effect = await work();
        return effect && await hiddenEffect(effect);
      } catch (error) {
        if (!(error instanceof StepFault)) throw error;
        const { message, cause_name, effect, retry_after_ms } = error;
        throw new StepFault(text(message), cause_name, await hiddenEffect(effect), retry_after_ms);
      }
    },
    async records(records) {
      if (hidesNothing()) return [...records];
      const hidden: StepRecord[] = [];
      for (const record of records) hidden.push(await hiddenRecord(record));
      return hidden;
    },
    outcome: async ({ status, data, error }) => ({
      status,
      data: await json(data),
      error: error === null ? null : text(error),
    }),
  };
}
