/**
 * Group reads. A query is sent after its reads have been asked for, so each sees all writes that were committed before
 * it was asked.
 */
import postgres from "postgres";
import { type Part, sendText, written } from "../part.ts";
import type { Sql } from "../sql.ts";
import { createGroups, type Grouped, type Id, MOST_ROWS, type Now, ROWS, sinceStart, type Waiting } from "./group.ts";

/** By id, what a query has selected: a text, or null. */
export type FoundRows = ReadonlyMap<Id | null, string | null>;

/** By the value that was asked for: a page of rows as JSON, and how many rows there are, with one behind the page. */
export type FoundPages = ReadonlyMap<Id, Page>;
interface Page {
  json: string;
  rows: number;
}

export interface RowReads {
  /**
   * @param select makes the statement, which selects the columns `id` and `json` of the rows with one of `ids`. What the
   * caller may see is decided by the statement and its parameters, because reads that share them share a query
   * @param id as the driver returns it: a uuid in lower case
   * @returns all rows of the query, among them those of other callers' ids
   */
  read<I extends Id>(select: (ids: readonly I[]) => Part, id: I): Promise<FoundRows>;
  /**
   * @param select makes the statement, which selects the columns `id`, `json` and `rows` for each of `values`. Otherwise
   * like that of `read`
   * @returns all pages of the query; none if the statement selects nothing
   */
  pages(select: (values: readonly string[]) => Part, value: string): Promise<FoundPages>;
}

interface Row {
  id: Id | null;
  json: string | null;
}

/** Pages of a query. It ends with its last page, and a page may take a millisecond. */
const MOST_PAGES = 8;

const byId = (rows: readonly Row[]): FoundRows => new Map(rows.map(({ id, json }) => [id, json]));
const pagesById = (pages: readonly (Page & { id: Id })[]): FoundPages => new Map(pages.map((page) => [page.id, page]));

/** @param sql a pool */
export function createRowReads(sql: Sql, now: Now = sinceStart): RowReads {
  const groups = <Found>(most: number, foundIn: (rows: readonly never[]) => Found) => {
    const send = async (taken: readonly Waiting<Id, Found>[], statement: Grouped): Promise<void> => {
      const ids = new Set(taken.map(({ row }) => row));
      try {
        const found = foundIn(await sendText<never[]>(sql, statement.text, statement.parametersWith([...ids])));
        for (const { resolve } of taken) resolve(found);
      } catch (error) {
        // The others do not answer for a value that PostgreSQL cannot read.
        if (ids.size > 1 && isDataException(error)) await Promise.all(taken.map((one) => send([one], statement)));
        else for (const { reject } of taken) reject(error);
      }
    };
    return createGroups<Id, Found>({ take: (waiting) => waiting.splice(0, most), send, now });
  };
  const read = groups(MOST_ROWS, byId);
  const pages = groups(MOST_PAGES, pagesById);
  return { read: (select, id) => read(select(ROWS), id), pages: (select, value) => pages(select(ROWS), value) };
}

const isDataException = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code.startsWith("22");

/** Sends each read as a query of its own: for transactions. */
export const singleReads = (sql: Sql): RowReads => {
  const sent = <Rows extends object[]>(statement: Part) => {
    const { text, parameters } = written(statement);
    return sendText<Rows>(sql, text, parameters);
  };
  return {
    read: async (select, id) => byId(await sent<Row[]>(select([id]))),
    pages: async (select, value) => pagesById(await sent<(Page & { id: Id })[]>(select([value]))),
  };
};
