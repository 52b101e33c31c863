/** Databases for tests, and the paths of their records. */
import type { Answer } from "./harness.ts";
import { type Ask, made } from "./people.ts";

export const DBS = "/platform/dbs.json";
export const dbAt = (code: string) => `/platform/dbs/${code}.json`;

export interface TestDb {
  code: string;
  /** The path of its `records.json`, with a query. */
  records(query?: Record<string, string> | string): string;
  search(query?: Record<string, string> | string): string;
  record(id: string, query?: string): string;
  /** @returns the created record */
  create(data: Record<string, unknown>, more?: Record<string, unknown>): ReturnType<typeof made>;
  change(db: Record<string, unknown>): Promise<Answer>;
}

export interface Listed {
  id: string;
  data: Record<string, unknown>;
}

const queryOf = (query: Record<string, string> | string = "") => {
  const text = `${new URLSearchParams(query)}`;
  return text && `?${text}`;
};

/** @param more other fields of the database, such as `code`, which is random by default */
export async function addDb(ask: Ask, schema: unknown, more: Record<string, unknown> = {}): Promise<TestDb> {
  const name = `db ${crypto.randomUUID()}`;
  const { code } = made(await ask("POST", DBS, { json: { db: { name, schema, ...more } } }));
  const at = `/platform/dbs/${code}`;
  return {
    code,
    records: (query) => `${at}/records.json${queryOf(query)}`,
    search: (query) => `${at}/search.json${queryOf(query)}`,
    record: (id, query = "") => `${at}/records/${id}.json${query}`,
    create: async (data, more = {}) =>
      made(await ask("POST", `${at}/records.json`, { json: { record: { data, ...more } } })),
    change: (db) => ask("PATCH", dbAt(code), { json: { db } }),
  };
}
