/** Group writes: one transaction for several rows. */
import postgres from "postgres";
import { type Part, sendText } from "../part.ts";
import type { Sql } from "../sql.ts";
import { createGroups, type Id, MOST_ROWS, type Now, ROWS, type Rows, sinceStart, type Waiting } from "./group.ts";

export interface RowWrites {
  /**
   * @param write makes the statement. Its parameter `rows` is sent as a text: a JSON array of rows as `row` gives them.
   * The statement writes those that it can lock without a wait (`skip locked`), and selects the columns `id` and `json`
   * of what it has written
   * @param row its id as the driver returns it: a uuid in lower case
   * @returns undefined if nothing was written for this row: the caller then writes it alone, which tells why
   */
  write<Row extends { id: Id }>(write: (rows: Rows) => Part, row: Row): Promise<string | undefined>;
}

interface Sent {
  id: Id;
  json: string;
}

type Writing = Waiting<Sent, string | undefined>;

/** @param sql a pool */
export function createRowWrites(sql: Sql, now: Now = sinceStart): RowWrites {
  const write = createGroups<Sent, string | undefined>({
    take: takeDistinct,
    now,
    async send(taken, { text, parametersWith }) {
      try {
        const rows = await sendText<Sent[]>(sql, text, parametersWith(arrayOf(taken)));
        const written = new Map(rows.map(({ id, json }) => [id, json]));
        for (const { row, resolve } of taken) resolve(written.get(row.id));
      } catch (error) {
        // What PostgreSQL has refused is rolled back. One of the rows may be the reason.
        const is_rolled_back = error instanceof postgres.PostgresError;
        for (const { resolve, reject } of taken) is_rolled_back ? resolve(undefined) : reject(error);
      }
    },
  });
  return { write: (statement, row) => write(statement(ROWS), { id: row.id, json: JSON.stringify(row) }) };
}

/** Takes a quarter less of the driver's time than an array of texts, and a tenth less of PostgreSQL's. */
const arrayOf = (taken: readonly Writing[]): string => `[${taken.map(({ row }) => row.json).join()}]`;

/** Characters of a query's rows. A larger row is sent alone. */
const MOST_CHARACTERS = 1_000_000;

/** Of two writes of one row, the second waits: a statement can write a row only once. */
function takeDistinct(waiting: Writing[]): Writing[] {
  const seen = new Set<Id>();
  const taken: Writing[] = [];
  const left: Writing[] = [];
  let characters = 0;
  for (const writing of waiting) {
    const { id, json } = writing.row;
    const fits = taken.length === 0 || taken.length < MOST_ROWS && characters + json.length <= MOST_CHARACTERS;
    if (fits && !seen.has(id)) {
      taken.push(writing);
      characters += json.length;
    } else left.push(writing);
    // Of one that is left, too: writes of one row keep their order.
    seen.add(id);
  }
  waiting.splice(0, waiting.length, ...left);
  return taken;
}
