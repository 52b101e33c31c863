/**
 * Group reads. A query is sent after its reads have been asked for, so each sees all writes that were committed before
 * it was asked.
 */
import { type Part, sendText, written } from "../part.ts";
import type { Sql } from "../sql.ts";
import { createGroups, type Id, MOST_ROWS, ROWS } from "./group.ts";

/** By id, what a query has selected: a text, or null. */
export type FoundRows = ReadonlyMap<Id | null, string | null>;

export interface RowReads {
  /**
   * @param select makes the statement, which selects the columns `id` and `json` of the rows with one of `ids`. What the
   * caller may see is decided by the statement and its parameters, because reads that share them share a query
   * @param id as the driver returns it: a uuid in lower case
   * @returns all rows of the query, among them those of other callers' ids
   */
  read<I extends Id>(select: (ids: readonly I[]) => Part, id: I): Promise<FoundRows>;
}

interface Row {
  id: Id | null;
  json: string | null;
}

const byId = (rows: readonly Row[]): FoundRows => new Map(rows.map(({ id, json }) => [id, json]));

/** @param sql a pool */
export function createRowReads(sql: Sql): RowReads {
  const read = createGroups<Id, FoundRows>({
    take: (waiting) => waiting.splice(0, MOST_ROWS),
    async send(taken, { text, parametersWith }) {
      const ids = new Set(taken.map(({ row }) => row));
      try {
        const rows = byId(await sendText<Row[]>(sql, text, parametersWith([...ids])));
        for (const { resolve } of taken) resolve(rows);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    },
  });
  return { read: (select, id) => read(select(ROWS), id) };
}

/** Sends each read as a query of its own: for transactions. */
export const singleReads = (sql: Sql): RowReads => ({
  async read(select, id) {
    const { text, parameters } = written(select([id]));
    return byId(await sendText<Row[]>(sql, text, parameters));
  },
});
