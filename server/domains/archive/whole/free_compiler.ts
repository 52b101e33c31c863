/** Waits for a compiler that others keep busy. An import compiles many apps and holds no lock meanwhile. */
import { CompilerBusy } from "../../../compiler/compiler.ts";

/** A compiler that cannot start is told after this time, too. */
const LONGEST_MS = 60_000;

/** Repeats `compile` as long as the compiler is busy. @throws {CompilerBusy} once that has lasted for `longest_ms` */
export async function whenFree<Build>(compile: () => Promise<Build>, longest_ms = LONGEST_MS): Promise<Build> {
  for (const end = performance.now() + longest_ms;;) {
    try {
      return await compile();
    } catch (error) {
      if (!(error instanceof CompilerBusy) || performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.retry_after * 1_000));
    }
  }
}
