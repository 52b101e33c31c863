/**
 * Statements put together from many pieces. To the driver each fragment is a promise with a trace of its calls: 6 µs, and
 * a list has twenty of them, which is more than the rest of its way through the server. A part is text and values.
 */
import type postgres from "postgres";
import type { Sql } from "../../database/pool.ts";

/** An object goes in as JSON: the statement casts it to jsonb. */
export type PartValue = Part | string | number | boolean | null | readonly string[] | readonly number[] | JsonObject;
interface JsonObject {
  readonly [name: string]: string | number | boolean | null;
}

/** Made by `part` alone, so that its text is the program's own. */
class Part {
  constructor(readonly text: readonly string[], readonly values: readonly PartValue[]) {}
}
export type { Part };

/** What stands in `${}` is another part, or becomes a parameter. */
export const part = (text: TemplateStringsArray, ...values: PartValue[]): Part => new Part(text, values);

type Rows = postgres.MaybeRow[];
type Parameter = Exclude<PartValue, Part>;

/** Sends it as one prepared statement. */
export function run<Result extends Rows>(sql: Sql, statement: Part): postgres.PendingQuery<Result> {
  const { text, parameters } = written(statement);
  return sql.unsafe<Result>(text, parameters, { prepare: true });
}

/** The statement as the database takes it, with `$1` for the first parameter. */
export function written(statement: Part): { text: string; parameters: Parameter[] } {
  const parameters: Parameter[] = [];
  return { text: textOf(statement, parameters), parameters };
}

const textOf = ({ text, values }: Part, parameters: Parameter[]): string =>
  values.reduce<string>(
    (sofar, value, i) =>
      sofar + (value instanceof Part ? textOf(value, parameters) : `$${parameters.push(value)}`) + text[i + 1],
    text[0] ?? "",
  );
