/** Where compiled code of a `code` step is in its source, by the source map that the code ends with. */
import type { Position } from "../bundle/positions.ts";

const MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/;

/**
 * @param code what `Compiler.code` has made
 * @returns undefined where the place is in no line of the source
 */
export async function originOf(code: string, { line, column }: Position): Promise<Position | undefined> {
  const map = MAP.exec(code)?.[1];
  if (map === undefined) return undefined;
  // Loaded by the first error: most servers see none.
  const { originalPositionFor, TraceMap } = await import("@jridgewell/trace-mapping");
  const traced = new TraceMap(new TextDecoder().decode(Uint8Array.fromBase64(map)));
  const found = originalPositionFor(traced, { line, column: column - 1 });
  return found.line === null ? undefined : { line: found.line, column: found.column + 1 };
}
