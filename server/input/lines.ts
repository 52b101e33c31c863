/** The lines of a stream, without line ends. @param limit in characters @throws {RangeError} on a longer line */
export async function* readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  limit = 64 * 1024 * 1024,
): AsyncGenerator<string> {
  let parts: string[] = [];
  let held = 0;
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const [first = "", ...others] = text.split("\n");
    parts.push(first);
    held += first.length;
    for (const next of others) {
      yield parts.join("");
      parts = [next];
      held = next.length;
    }
    if (held > limit) throw new RangeError(`a line is longer than ${limit} characters`);
  }
}
