const encoder = new TextEncoder();

/** Writes one line to standard output. A pipe may accept only a part of it at a time. */
export function print(line = ""): void {
  let bytes = encoder.encode(`${line}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}
