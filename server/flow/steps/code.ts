/** `code`: computes with JavaScript or TypeScript in a confined process. */
import { z } from "zod";
import { CompileFailure, CompilerBusy, originOf } from "../../compiler/compiler.ts";
import { tooLong } from "../../input/messages.ts";
import { namesIn, type Place, Unavailable } from "../confined/evaluations.ts";
import { pause } from "../run/execution/interruption.ts";
import { asStored } from "../storage/storable.ts";
import { StepFault } from "./fault.ts";
import { commonKeys, type StepListShape } from "./step.ts";
import type { EffectCall, StepType } from "./step_type.ts";

const MOST_SOURCE = 100_000;

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("code"),
    ...commonKeys(steps),
    source: z.string().min(1).refine(({ length }) => length <= MOST_SOURCE, tooLong(MOST_SOURCE))
      .meta({ maxLength: MOST_SOURCE }).describe(
        "A module of JavaScript or TypeScript whose default export is a function. It gets an object of the names that " +
          "the source mentions, and returns JSON: `export default ({ input, steps }) => input.price * 2`",
      ).meta({ "x-kind": "code" }),
  });

type CodeStep = z.output<ReturnType<typeof shape>>;

/** Between two attempts to get a process. */
const PAUSE_MS = 500;

/** An effect, so that a process that takes the run over finds its result, also of code that took too long. */
export const code = {
  type: "code",
  about: {
    title: "Run code",
    summary: "computes with JavaScript or TypeScript",
    icon: "code",
    group: "values",
    line: "Run code",
    blank: { source: "export default ({ input }) => {\n  return input;\n};\n" },
  },
  shape,
  templates: [],
  code: ({ source }) => [{ key: "source", source }],
  effect: {
    input: ({ source }, { scope }) => namesIn(source, scope),
    async perform({ source, timeout }, input, call) {
      const { services: { compiler, evaluations }, head, place, signal } = call;
      const at = { account_id: head.account_id, seed: `${head.id}/${place}`, now: head.made_at, signal };
      const { compiled, ran } = await untilThere(call, async () => {
        const compiled = await compiler.code(source, head.account_id);
        return { compiled, ran: await evaluations.code(at, compiled, input, timeout * 1_000) };
      });
      const lines = "error" in ran ? [...ran.console, ...await whereIn(compiled, ran)] : ran.console;
      if (lines.length > 0) call.noteConsole(lines);
      if ("value" in ran) return { output: asStored(ran.value), http_status: null };
      throw new StepFault(ran.error, ran.reason === "timeout" ? "timeout" : undefined);
    },
    computes: true,
    waits_for_others: true,
    isTransaction: () => false,
  },
} satisfies StepType<CodeStep>;

/** @returns a line of the console with the error and its place in the source, if that is known */
async function whereIn(compiled: string, { error, at }: { error: string; at?: Place | undefined }): Promise<string[]> {
  const origin = at && await originOf(compiled, at);
  return origin ? [`${error} (line ${origin.line}, column ${origin.column})`] : [];
}

/** That no process is free or starts is never the step's fault. */
async function untilThere<T>({ signal }: EffectCall, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // Only a program that an older server has saved can fail here.
      if (error instanceof CompileFailure) throw new StepFault(`source: ${error.messages.join("\n")}`);
      if (!(error instanceof CompilerBusy || error instanceof Unavailable)) throw error;
    }
    await pause(PAUSE_MS, signal);
  }
}
