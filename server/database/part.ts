/**
 * Statements composed of parts, and their texts. To postgres.js each fragment is a promise, and each statement's text is
 * put together anew: together 25 µs for a list of departments. A part is a template and its values, and the texts of
 * statements are remembered.
 */
import type postgres from "postgres";
import type { Sql } from "./sql.ts";

/** An object becomes a JSON parameter: the statement casts it to jsonb. */
export type PartValue = Part | string | number | boolean | null | readonly string[] | readonly number[] | JsonObject;
interface JsonObject {
  readonly [name: string]: string | number | boolean | null | undefined | JsonObject;
}

/** Only the tags in this folder make one, so that every statement's text is written in this program. */
export class Part {
  constructor(readonly template: TemplateStringsArray, readonly values: readonly unknown[]) {}
}

/** What stands in `${}` is another part, or becomes a parameter. */
export const part = (template: TemplateStringsArray, ...values: PartValue[]): Part => new Part(template, values);

/** A template tag that builds SQL: `part`, or that of a pool. */
export type Tag<Piece> = (
  text: TemplateStringsArray,
  ...values: (Piece | string | number | readonly number[])[]
) => Piece;

type Rows = postgres.MaybeRow[];

/** Sends a statement, prepared once per connection. */
export function run<Result extends Rows>(sql: Sql, statement: Part): postgres.PendingQuery<Result> {
  const { text, parameters } = written(statement);
  return sendText(sql, text, parameters);
}

/** Like `run`, of a statement that is written already. */
export const sendText = <Result extends Rows>(
  sql: Sql,
  text: string,
  parameters: Parameter[],
): postgres.PendingQuery<Result> => sql.unsafe<Result>(text, parameters, PREPARED);

/** Without `simple: false` the driver sends statements without parameters unprepared. */
const PREPARED = { prepare: true, simple: false } as const;

export type Parameter = postgres.ParameterOrJSON<never>;

/** The statement as PostgreSQL takes it: `$1` is the first parameter. */
export function written(statement: Part): { text: string; parameters: Parameter[] } {
  const parameters: Parameter[] = [];
  const end = walk(texts.root, statement, parameters);
  if (end.text === undefined) {
    const pieces: string[] = [];
    write(statement, pieces, { count: 0 });
    // Joined, so that the text is one string. The driver reads it for each query, and `+` would leave a tree of pieces.
    end.text = pieces.join("");
    if (++texts.count > TEXTS_KEPT) texts = { root: newStep(), count: 0 };
  }
  return { text: end.text, parameters };
}

/**
 * Texts by the templates that they consist of. Writing the text of a create takes 10 µs, looking it up takes 1. A list's
 * caller chooses of which templates it consists (filters, sort), so the number of texts has a limit.
 */
const TEXTS_KEPT = 1_000;
let texts: { root: Step; count: number } = { root: newStep(), count: 0 };

/** A position in the walk through a statement's templates and parameters. */
interface Step {
  /** Of the statement that ends here. */
  text: string | undefined;
  byTemplate: Map<TemplateStringsArray, Step>;
  byParameter: Step | undefined;
}

function newStep(): Step {
  return { text: undefined, byTemplate: new Map(), byParameter: undefined };
}

function walk(from: Step, { template, values }: Part, parameters: unknown[]): Step {
  let step = from.byTemplate.get(template);
  if (!step) from.byTemplate.set(template, step = newStep());
  for (const value of values) {
    if (value instanceof Part) {
      step = walk(step, value, parameters);
    } else {
      parameters.push(value);
      step = step.byParameter ??= newStep();
    }
  }
  return step;
}

/** @param pieces receives the text */
function write({ template, values }: Part, pieces: string[], parameters: { count: number }): void {
  template.forEach((text, i) => {
    pieces.push(text);
    const value = values[i];
    if (value instanceof Part) write(value, pieces, parameters);
    else if (i < values.length) pieces.push(`$${++parameters.count}`);
  });
}
