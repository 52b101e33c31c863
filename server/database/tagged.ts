/**
 * The tag of a pool or transaction, made cheap: sql`…` is a part until it is awaited. What only the driver can write
 * (identifiers, `insert` helpers, `unsafe` text) stays with the driver.
 */
import { Part, run } from "./part.ts";
import type { Sql } from "./sql.ts";
import { answered, answerUnsafe, type StatementTimes } from "./statement_times.ts";

/** Where each template stands in the program: an error of the driver names it in its stack. Read when it is first sent. */
const origins = new WeakMap<TemplateStringsArray, Error | string>();

function originOf(template: TemplateStringsArray): string {
  const origin = origins.get(template);
  if (typeof origin !== "object") return origin ?? "";
  const stack = origin.stack ?? "";
  origins.set(template, stack);
  return stack;
}

/** A statement, or a fragment of one. It is sent once, when it is first awaited. */
export class Statement extends Part implements Promise<unknown> {
  #sent: Promise<unknown> | undefined;

  constructor(readonly tag: Tag, template: TemplateStringsArray, values: readonly unknown[]) {
    super(template, values);
    if (!origins.has(template)) origins.set(template, new Error());
  }

  then<T, E>(
    fulfilled?: ((value: unknown) => T | PromiseLike<T>) | null,
    rejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<T | E> {
    return (this.#sent ??= this.tag.send(this)).then(fulfilled, rejected);
  }

  catch<E>(rejected?: ((reason: unknown) => E | PromiseLike<E>) | null): Promise<unknown> {
    return this.then(undefined, rejected);
  }

  get [Symbol.toStringTag]() {
    return "Statement";
  }

  finally(settled?: (() => void) | null): Promise<unknown> {
    return (this.#sent ??= this.tag.send(this)).finally(settled);
  }
}

/** How the statements of a pool or transaction are sent. */
interface Tag {
  send(statement: Part): Promise<unknown>;
}

/** A transaction, as the property `TRANSACTION` of its handle and of those of its savepoints. */
export interface Transaction {
  /** Its connection is lost, or it has failed: a statement would be executed outside of it. */
  is_over: boolean;
  /** The error of the query that was refused first because the connection is lost. */
  loss: unknown;
  /** Does not send this query of the driver once it is over. Notes at once if it is refused because the connection is lost. */
  watch(query: object): void;
}
export const TRANSACTION = Symbol("transaction");

interface Tagged {
  driver: Sql;
  /** Undefined for a pool. */
  transaction: Transaction | undefined;
  /** Whether a value writes SQL that only the driver knows. */
  isDrivers(value: unknown): boolean;
  times: StatementTimes | undefined;
}

const hasAny = ({ values }: Part, isDrivers: Tagged["isDrivers"]): boolean =>
  values.some((value) => value instanceof Part ? hasAny(value, isDrivers) : isDrivers(value));

/** The same statement as the driver's own. */
const native = ({ template, values }: Part, driver: Sql): Promise<unknown> =>
  Reflect.apply(driver, undefined, [
    template,
    ...values.map((value) => value instanceof Part ? native(value, driver) : value),
  ]);

function send({ driver, transaction, isDrivers, times }: Tagged, statement: Part): Promise<unknown> {
  if (hasAny(statement, isDrivers)) {
    const query = native(statement, driver);
    transaction?.watch(query);
    return answered(query, statement.template.join("…"), times);
  }
  const query = run(driver, statement);
  // A getter would give each query a hidden class of its own. V8 frees those, and what they hold, only in full collections.
  Object.defineProperty(query, "origin", { value: originOf(statement.template) });
  return query;
}

/** @param driver a pool or transaction of postgres.js */
export function withParts<Handle extends Sql>(driver: Handle, times?: StatementTimes): Handle {
  const writers = [driver("name"), driver({ name: 1 }), driver.unsafe("")].map((writer) => writer.constructor);
  const transaction = Reflect.get(driver, TRANSACTION) as Transaction | undefined;
  answerUnsafe(driver, times, (query) => transaction?.watch(query));
  const tagged: Tagged = {
    driver,
    transaction,
    times,
    isDrivers: (value) => typeof value === "object" && value !== null && writers.includes(value.constructor),
  };
  const tag: Tag = { send: (statement) => send(tagged, statement) };
  return new Proxy(driver, {
    apply(_, __, [first, ...values]: [unknown, ...unknown[]]) {
      return isTemplate(first)
        ? new Statement(tag, first, values)
        : Reflect.apply(driver, undefined, [first, ...values]);
    },
  });
}

export const isTemplate = (value: unknown): value is TemplateStringsArray => Array.isArray(value) && "raw" in value;
