const encoder = new TextEncoder();

/** Writes one line to standard output, whole even where that is a pipe that takes less at a time. */
export function print(line = ""): void {
  let bytes = encoder.encode(`${line}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}
