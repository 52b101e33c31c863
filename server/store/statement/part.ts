/**
 * Statements composed of parts. A postgres.js fragment is a promise with a stack trace: 6 µs each, and a list has
 * twenty of them, which is more than the rest of its work in this process. A part is a template and its values.
 */
import type postgres from "postgres";
import type { Sql } from "../../database/pool.ts";

/** An object becomes a JSON parameter: the statement casts it to jsonb. */
export type PartValue = Part | string | number | boolean | null | readonly string[] | readonly number[] | JsonObject;
interface JsonObject {
  readonly [name: string]: string | number | boolean | null;
}

/** Only `part` makes one, so that every statement's text is written in this program. */
class Part {
  constructor(readonly template: TemplateStringsArray, readonly values: readonly PartValue[]) {}
}
export type { Part };

/** What stands in `${}` is another part, or becomes a parameter. */
export const part = (template: TemplateStringsArray, ...values: PartValue[]): Part => new Part(template, values);

type Rows = postgres.MaybeRow[];
type Parameter = Exclude<PartValue, Part>;

const PREPARED = { prepare: true } as const;

/** Sends a statement, prepared once per connection. */
export function run<Result extends Rows>(sql: Sql, statement: Part): postgres.PendingQuery<Result> {
  const { text, parameters } = written(statement);
  return sql.unsafe<Result>(text, parameters, PREPARED);
}

/** The statement as PostgreSQL takes it: `$1` is the first parameter. */
export function written(statement: Part): { text: string; parameters: Parameter[] } {
  const parameters: Parameter[] = [];
  const end = walk(texts.root, statement, parameters);
  if (end.text === undefined) {
    end.text = textOf(statement, { count: 0 });
    if (++texts.count > TEXTS_KEPT) texts = { root: newStep(), count: 0 };
  }
  return { text: end.text, parameters };
}

/**
 * Texts by the templates that they consist of. Writing the text of a create takes 10 µs, looking it up takes 1. Which
 * templates a list consists of is the caller's choice (filters, sort), so the number of texts has a limit.
 */
const TEXTS_KEPT = 1_000;
let texts: { root: Step; count: number } = { root: newStep(), count: 0 };

/** Where a walk through a statement's templates and parameters has come to. */
interface Step {
  /** Of the statement that ends here. */
  text: string | undefined;
  byTemplate: Map<TemplateStringsArray, Step>;
  byParameter: Step | undefined;
}

function newStep(): Step {
  return { text: undefined, byTemplate: new Map(), byParameter: undefined };
}

function walk(from: Step, { template, values }: Part, parameters: Parameter[]): Step {
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

function textOf({ template, values }: Part, parameters: { count: number }): string {
  return values.reduce<string>(
    (sofar, value, i) =>
      sofar + (value instanceof Part ? textOf(value, parameters) : `$${++parameters.count}`) + template[i + 1],
    template[0] ?? "",
  );
}
