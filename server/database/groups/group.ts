/**
 * Statements on single rows that share a query: while a query is in flight, further ones that are equal but for their
 * row wait, and go together into the next query. A statement that finds no query of its group in flight is sent at once.
 * A second query begins when as many rows wait as the first one has: callers that come one by one need not wait for each
 * other, and callers that come together share what PostgreSQL, the driver, the network and the disk take for a query.
 * Where queries are slow, such as those that read from a disk, more are in flight.
 */
import { LRUCache } from "lru-cache";
import { type Parameter, type Part, written } from "../part.ts";

/** Queries of one group in flight, if they are answered soon. */
const MOST_IN_FLIGHT = 2;
/** If the last query was sent so long ago and none has been answered since, a statement begins another one. */
const SLOW_MS = 20;
const MOST_SLOW_IN_FLIGHT = 6;
/** Rows of a query. A record may have 2 MB, and all of them are in memory when the query ends. */
export const MOST_ROWS = 32;
/** Groups that are remembered. A group that is dropped while it works still answers its callers. */
const MOST_GROUPS = 500;

/** Stands for the rows in a statement. Its elements are never read. */
export const ROWS: Rows = Object.freeze([]);
export type Rows = readonly never[];

export type Id = number | string;

export interface Waiting<Row, Result> {
  row: Row;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Options<Row, Result> {
  /** Removes from `waiting` what goes into the next query: at least one. */
  take(waiting: Waiting<Row, Result>[]): Waiting<Row, Result>[];
  /** Sends one query, and resolves or rejects all that it was given. Never throws. */
  send(taken: readonly Waiting<Row, Result>[], statement: Grouped): Promise<void>;
  now: Now;
}

/** Milliseconds since some fixed moment. */
export type Now = () => number;
export const sinceStart: Now = () => performance.now();

/** The statement of a group. */
export interface Grouped {
  text: string;
  /** @param rows takes the place of `ROWS` */
  parametersWith(rows: Parameter): Parameter[];
}

/**
 * @returns passes a row to the group of its statement. Statements with the same text and the same parameters, `ROWS`
 * among them, are of one group
 */
export function createGroups<Row, Result>(
  options: Options<Row, Result>,
): (statement: Part, row: Row) => Promise<Result> {
  const groups = new LRUCache<string, Group<Row, Result>>({ max: MOST_GROUPS });
  const numberOf = numbers();
  return (statement, row) => {
    const { text, parameters } = written(statement);
    const key = `${numberOf(text)}${JSON.stringify(parameters)}`;
    let group = groups.get(key);
    if (!group) groups.set(key, group = new Group(options, { text, parametersWith: placing(parameters) }));
    return group.add(row);
  };
}

/** Numbers of texts. A text that is dropped gets another number. To compare long keys would take 3 µs. */
function numbers(): (text: string) => number {
  const known = new LRUCache<string, number>({ max: MOST_GROUPS });
  let count = 0;
  return (text) => {
    let number = known.get(text);
    if (number === undefined) known.set(text, number = ++count);
    return number;
  };
}

const placing = (parameters: readonly Parameter[]): Grouped["parametersWith"] => (rows) =>
  parameters.map((value) => value === ROWS ? rows : value);

class Group<Row, Result> {
  #waiting: Waiting<Row, Result>[] = [];
  #in_flight = 0;
  /** Of all queries in flight. */
  #rows_in_flight = 0;
  #sent_at = 0;

  constructor(readonly options: Options<Row, Result>, readonly statement: Grouped) {}

  add(row: Row): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (this.#isWorthAQuery() || this.#isSlow()) void this.#work();
    });
  }

  #isWorthAQuery(): boolean {
    return this.#in_flight < MOST_IN_FLIGHT && this.#waiting.length >= this.#rows_in_flight;
  }

  #isSlow(): boolean {
    return this.#in_flight < MOST_SLOW_IN_FLIGHT && this.options.now() - this.#sent_at > SLOW_MS;
  }

  async #work(): Promise<void> {
    this.#in_flight++;
    while (this.#waiting.length > 0) {
      this.#sent_at = this.options.now();
      const taken = this.options.take(this.#waiting);
      this.#rows_in_flight += taken.length;
      await this.options.send(taken, this.statement);
      this.#rows_in_flight -= taken.length;
    }
    this.#in_flight--;
  }
}
