/** Imports and exports of databases for tests. */
import assert from "node:assert/strict";
import type { Ask } from "../../stage/scenario.ts";

export const SCHEMA = {
  fields: {
    title: { type: "string", required: true },
    note: "text",
    n: "integer",
    x: "number",
    ok: "boolean",
    at: "datetime",
    day: "date",
    hour: "time",
  },
  indexes: { idx_int_1: "n" },
};

const TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;
export type Format = keyof typeof TYPES;

export const send = (ask: Ask, code: string, format: Format, raw: BodyInit, query = "") =>
  ask("POST", `/platform/dbs/${code}/import.${format}${query}`, { raw, headers: { "content-type": TYPES[format] } });

export const get = async (ask: Ask, code: string, format: Format, query = ""): Promise<string> => {
  const { status, body } = await ask("GET", `/platform/dbs/${code}/export.${format}${query}`);
  assert.equal(status, 200);
  return body ?? "";
};

interface Listed {
  data: Record<string, unknown>;
}
export const dataOf = async (ask: Ask, code: string): Promise<Record<string, unknown>[]> =>
  (await ask("GET", `/platform/dbs/${code}/records.json?sort=id`)).body.map(({ data }: Listed) => data);

/** A body of `count` rows that are generated as they are read. */
export function rows(count: number, made: (row: number) => void | Promise<void>): ReadableStream<Uint8Array> {
  let row = 0;
  return new ReadableStream({
    async pull(controller) {
      if (row === 0) controller.enqueue(new TextEncoder().encode("title,n\n"));
      const lines = Array.from({ length: Math.min(500, count - row) }, () => `row ${++row},${row}\n`);
      await made(row);
      if (lines.length === 0) controller.close();
      else controller.enqueue(new TextEncoder().encode(lines.join("")));
    },
  });
}
