/** Records as files, in and out, as they are read. */
import type { CallOptions, ImportResult } from "./types/index.d.ts";
import { queryOf } from "./procedures.ts";
import type { Transport } from "./transport.ts";

type Format = "csv" | "ndjson";
const TYPES: Record<Format, string> = { csv: "text/csv", ndjson: "application/x-ndjson" };

export async function exportFile(
  transport: Transport,
  at: string,
  { format = "csv", ...query }: { format?: Format | undefined; [parameter: string]: unknown },
  call: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const address = `${at}/export.${format}${queryOf(query)}`;
  const body = await transport.ask(
    "GET",
    address,
    { ...call, repeat: "safe" },
    (response) => Promise.resolve(response.body ?? new Blob([]).stream()),
  );
  // The deadline is one of the answer's beginning; the signal ends the file, too.
  return call.signal ? body.pipeThrough(new TransformStream(), { signal: call.signal }) : body;
}

export async function importFile(
  transport: Transport,
  at: string,
  source: Blob | string | ReadableStream<Uint8Array>,
  { format = "csv", ...query }: { format?: Format | undefined; [parameter: string]: unknown },
  call: CallOptions = {},
): Promise<ImportResult> {
  const headers = { "content-type": TYPES[format] };
  const address = `${at}/import.${format}${queryOf(query)}`;
  return await transport.value("POST", address, { ...call, headers, body: source, repeat: "never" }) as ImportResult;
}

/** The lines of a text that arrives in pieces, without empty ones. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value ?? "")).split("\n");
      rest = done ? "" : lines.pop() ?? "";
      yield* lines.filter(Boolean);
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
