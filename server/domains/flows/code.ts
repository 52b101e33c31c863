/** Compiles the code of a program when it is saved. */
import { CompileFailure } from "../../compiler/compiler.ts";
import type { Context } from "../../context.ts";
import { invalid } from "../../errors.ts";
import { codesOf, type Fault, parseProgram } from "../../flow/flow.ts";
import { byPath } from "./warnings.ts";

/** @returns a fault for each mistake: `line:column message`. @throws {CompilerBusy} */
export async function faultsOfCode({ compiler, viewer }: Context, program: unknown): Promise<Fault[]> {
  const read = parseProgram(program);
  if ("faults" in read) return [];
  const faults: Fault[] = [];
  // One after the other: an account that saves a long program must not take the turns of others.
  for (const { source, path } of codesOf(read.steps)) {
    try {
      await compiler.code(source, viewer.account_id);
    } catch (error) {
      if (!(error instanceof CompileFailure)) throw error;
      faults.push(...error.messages.map((message) => ({ path, message })));
    }
  }
  return faults;
}

/** @throws {Refusal} 422 by path. @throws {CompilerBusy} */
export async function proveCode(ctx: Context, program: unknown): Promise<void> {
  const faults = await faultsOfCode(ctx, program);
  if (faults.length > 0) throw invalid(byPath(faults));
}
