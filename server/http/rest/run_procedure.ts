/**
 * Runs a procedure as `callTRPCProcedure` does: the same middlewares, input parsers, resolver and output parsers in the
 * same order, with the same errors. tRPC copies all options for each middleware and wraps each in two promises, which
 * took 12 of a read's 30 µs; here the parsers and the resolver run in one frame. `test/trpc/runner_test.ts` compares both
 * for every procedure. Parsers must be synchronous; subscriptions stay with tRPC.
 */
import { type AnyTRPCProcedure, getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import type { Context } from "../../context.ts";

export interface ProcedureCall {
  ctx: Context;
  /** Read when the first input parser asks: after the middlewares that prove the caller. */
  getRawInput: () => unknown;
}

export type Runner = (call: ProcedureCall) => Promise<unknown>;

/** What `next()` resolves to, tRPC's `MiddlewareResult`. */
type Result = { ok: true; data: unknown; ctx: unknown } | { ok: false; error: TRPCError };

interface NextOptions {
  ctx?: object;
  input?: unknown;
  getRawInput?: () => unknown;
}

/** What middlewares and resolvers receive. */
class Options {
  batchIndex = 0;
  next: ((more?: NextOptions) => Promise<Result>) | undefined;

  constructor(
    readonly ctx: Context,
    readonly getRawInput: () => unknown,
    readonly input: unknown,
    readonly path: string,
    readonly type: string,
    readonly meta: unknown,
  ) {}

  /** Made only where it is used: it costs more than the rest of these options. */
  get signal(): AbortSignal {
    return this.ctx.call.request.signal;
  }
}

interface Parser {
  parse(value: unknown): unknown;
}

/** In tRPC's words. */
const NO_RESULT = "No result from middlewares - did you forget to `return next()`?";

type Middleware = ((options: Options) => Promise<Result>) & { _type?: string };

/** The part of a built procedure that tRPC declares as internal. */
interface Definition {
  middlewares: readonly Middleware[];
  inputs: readonly Parser[];
  output?: Parser;
  resolver: (options: Options) => unknown;
  meta: unknown;
  type: string;
}

type Step =
  | { kind: "use"; run: Middleware }
  | { kind: "input" | "output"; parser: Parser }
  | { kind: "resolve" };

/**
 * Prepares a procedure once.
 *
 * @param path the procedure's name, such as `departments.find`
 */
export function runnerOf(procedure: AnyTRPCProcedure, path: string): Runner {
  const definition = procedure._def as unknown as Definition;
  const { resolver, meta, type } = definition;
  const steps = stepsOf(definition);

  async function run(from: number, { ctx, getRawInput }: ProcedureCall, given: unknown): Promise<Result> {
    let input = given;
    const outputs: Parser[] = [];
    try {
      for (let at = from;; at++) {
        const step = steps[at] ?? { kind: "resolve" };
        switch (step.kind) {
          case "input":
            input = combined(input, parsed(step.parser, await getRawInput()));
            break;
          case "output":
            outputs.push(step.parser);
            break;
          case "use": {
            const options = new Options(ctx, getRawInput, input, path, type, meta);
            options.next = (more) =>
              run(at + 1, more ? changed(options, more) : options, more && "input" in more ? more.input : input);
            const result = await step.run(options);
            if (outputs.length === 0) return result;
            return result.ok ? { ...result, data: checked(outputs, result.data) } : result;
          }
          case "resolve": {
            const data = await resolver(new Options(ctx, getRawInput, input, path, type, meta));
            return { ok: true, data: checked(outputs, data), ctx };
          }
        }
      }
    } catch (error) {
      return { ok: false, error: getTRPCErrorFromUnknown(error) };
    }
  }

  return async (call) => {
    const result = await run(0, call, undefined);
    if (!result) throw new TRPCError({ code: "INTERNAL_SERVER_ERROR", message: NO_RESULT });
    if (!result.ok) throw result.error;
    return result.data;
  };
}

/** tRPC marks the middlewares that `input()` and `output()` make; the resolver's is always the last. */
function stepsOf({ middlewares, inputs, output }: Definition): Step[] {
  const parsers = [...inputs];
  return middlewares.slice(0, -1).map((run): Step => {
    const parser = run._type === "input" ? parsers.shift() : run._type === "output" ? output : undefined;
    return parser && (run._type === "input" || run._type === "output")
      ? { kind: run._type, parser }
      : { kind: "use", run };
  });
}

const changed = ({ ctx, getRawInput }: ProcedureCall, more: NextOptions): ProcedureCall => ({
  ctx: more.ctx ? { ...ctx, ...more.ctx } : ctx,
  getRawInput: more.getRawInput ?? getRawInput,
});

function parsed(parser: Parser, raw: unknown): unknown {
  try {
    return parser.parse(raw);
  } catch (cause) {
    throw new TRPCError({ code: "BAD_REQUEST", cause });
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Later input parsers add to what the earlier ones read. */
const combined = (before: unknown, now: unknown) => isObject(before) && isObject(now) ? { ...before, ...now } : now;

function checked(outputs: Parser[], data: unknown): unknown {
  try {
    return outputs.reduceRight((value, output) => output.parse(value), data);
  } catch (cause) {
    throw new TRPCError({ code: "INTERNAL_SERVER_ERROR", message: "Output validation failed", cause });
  }
}
