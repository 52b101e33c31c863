/** Reads the body of an answer as the method's `response` says. */
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import type { JsonValue } from "../../input/json_value.ts";
import type { AnswerType } from "../definition/body_type.ts";
import { bodyOf, jsonOf, textOf } from "../egress/response_body.ts";
import { ConnectorFault } from "./fault.ts";

/** A small file may have very many cells, each of which takes memory. */
const MOST_CELLS = 1_000_000;
/** Characters that are parsed between two turns of the event loop. */
const SLICE = 64 * 1024;

/**
 * @param type the answer's content type
 * @throws {ConnectorFault} `network` if the body is not of that kind; `too_large`
 * @throws the signal's reason
 */
export async function readBody(
  bytes: Uint8Array,
  type: string | undefined,
  response: AnswerType | undefined,
  signal?: AbortSignal,
): Promise<JsonValue> {
  switch (response) {
    case "bytes":
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    case "text":
      return textOf(bytes, type);
    case "csv":
      return await rowsOf(textOf(bytes, type), signal);
    case "json": {
      if (bytes.length === 0) return null;
      const body = jsonOf(textOf(bytes, type));
      if (body === undefined) throw new ConnectorFault("network", "the answer is not JSON");
      return body;
    }
    case undefined:
      return bodyOf(bytes, type);
  }
}

async function rowsOf(text: string, signal?: AbortSignal): Promise<JsonValue> {
  const rows: JsonValue[] = [];
  let cells = 0;
  const parser = parse({
    columns: namedOnce,
    bom: true,
    delimiter: delimiterOf(text),
    skip_empty_lines: true,
    relax_column_count_less: true,
  });
  const source = Readable.from(slices(text));
  source.on("error", (error) => parser.destroy(error)).pipe(parser);
  try {
    for await (const row of parser as AsyncIterable<Record<string, string>>) {
      signal?.throwIfAborted();
      cells += Object.keys(row).length;
      if (cells > MOST_CELLS) {
        throw new ConnectorFault("too_large", `the answer has more than ${MOST_CELLS.toLocaleString("en")} cells`);
      }
      rows.push(row);
    }
  } catch (error) {
    throw error instanceof CsvError ? new ConnectorFault("network", `the answer is not CSV: ${faultOf(error)}`) : error;
  } finally {
    source.destroy();
  }
  return rows;
}

/** A repeated name gets a number, so that no column hides another one: `price`, `price_2`. */
function namedOnce(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let once = name;
    for (let number = 2; seen.has(once) || once !== name && taken.has(once); number++) once = `${name}_${number}`;
    seen.add(once);
    return once;
  });
}

/** The parser's own sentences quote the answer. */
function faultOf({ code, lines }: CsvError): string {
  const what = code === "CSV_RECORD_INCONSISTENT_COLUMNS"
    ? "has more values than the first line has names"
    : "has a quotation mark that is not closed, or stands inside of a value";
  return `line ${lines} ${what}`;
}

function* slices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += SLICE) yield text.slice(at, at + SLICE);
}

/** The separator that the first line has most of, outside of its quoted names. */
function delimiterOf(text: string): string {
  const [line = ""] = /[^\r\n]+/.exec(text.slice(0, 10_000).replace(/"[^"]*(?:"|$)/g, "name")) ?? [];
  const count = (sign: string) => line.split(sign).length;
  return [",", ";", "\t"].reduce((most, sign) => count(sign) > count(most) ? sign : most);
}
