/** What takes seconds is done before the transaction: compiling sources, and rehearsing the examples of guarded flows. */
import { CompileFailure } from "../../compiler/compiler.ts";
import type { Context } from "../../context.ts";
import { type Fields, Refusal } from "../../errors.ts";
import { NewApp } from "../apps/schema.ts";
import { buildOf } from "../apps/weight.ts";
import { faultsOfCode } from "../flows/code.ts";
import { FlowChanges } from "../flows/schema.ts";
import { proveGuard } from "../flows/write.ts";
import type { Decisions, Task } from "./plan.ts";
import { type Value } from "./thing.ts";

const Source = NewApp.pick({ source_code: true, app_engine: true, css_engine: true });

/**
 * @param ctx remembers what it compiles
 * @returns the faults of guarded flows, by `kind/key`
 */
export async function prepare(ctx: Context, { tasks }: Decisions): Promise<Map<string, Fields>> {
  const refused = new Map<string, Fields>();
  for (const task of tasks) {
    if (!task.value || Object.keys(task.faults).length > 0) continue;
    if (task.kind === "app") await compile(ctx, task.value);
    if (task.kind !== "flow") continue;
    await faultsOfCode(ctx, task.value.program);
    const faults = await faultsOfGuard(ctx, task, task.value);
    if (faults) refused.set(`${task.kind}/${task.key}`, faults);
  }
  return refused;
}

async function compile(ctx: Context, value: Value): Promise<void> {
  try {
    await buildOf(ctx, Source.parse(value));
  } catch (error) {
    // The write of the app reports it.
    if (!(error instanceof CompileFailure)) throw error;
  }
}

async function faultsOfGuard(ctx: Context, { stored, fields }: Task, value: Value): Promise<Fields | undefined> {
  if (!stored) return undefined;
  const { program, ...changes } = Object.fromEntries(fields.map((name) => [name, value[name]]));
  const { department: _, ...known } = changes;
  try {
    await proveGuard(
      ctx,
      Number(stored.id),
      FlowChanges.parse({ ...known, ...program !== undefined && { fields: { program } } }),
    );
  } catch (error) {
    if (error instanceof Refusal && error.fields) return error.fields;
    throw error;
  }
}
