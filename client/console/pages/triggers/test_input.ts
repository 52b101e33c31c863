/** The input of a test: what an event would bring. */
import { api } from "../../api.ts";
import type { Trigger } from "./triggers.ts";

const DELIVERY = {
  body: { id: "test", message: "Hello" },
  raw_body: '{"id":"test","message":"Hello"}',
  headers: { "content-type": "application/json" },
  query: {},
  delivery_id: null,
};

/** For changes of records, the newest record that the trigger would pass on stands for a changed one. */
export async function testInput({ kind, record }: Pick<Trigger, "kind" | "record">): Promise<Record<string, unknown>> {
  if (kind === "webhook") return DELIVERY;
  if (!record) return {};
  const { db_code, table_name, filter, on } = record;
  const wanted = { db_code, ...table_name && { table_name }, ...filter && { filter } };
  // Without one, or where the person does not see the database, the record is written by hand.
  const [found] = await api.records.search.query({ ...wanted, per_page: 1 }).catch(() => []);
  const values = found ?? {};
  const change = on?.[0] ?? "create";
  return {
    changes: [{
      kind: change,
      record_id: found?.id ?? crypto.randomUUID(),
      table_name: table_name ?? null,
      record: change === "delete" ? null : values,
      before: change === "create" ? null : values,
      seq: 1,
    }],
  };
}
