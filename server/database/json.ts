/**
 * JSON that PostgreSQL has built, passed through as it is: a list is three times as fast so, and no shape is written
 * twice. REST sends the text; tRPC's transformer takes it along; the client sees `T`.
 */
import { z } from "zod";

export class Json<T> {
  /** Only the type checker reads it: what the text says. */
  declare readonly says: T;

  /** @param total of a list, over all its pages */
  constructor(readonly text: string, readonly total?: number) {}

  parse(): T {
    return JSON.parse(this.text);
  }
}

/** An output parser: the procedure returns `Json<T>`, the client gets `T`, the API reference reads `schema`. */
export interface SentAs<S extends z.ZodType> {
  schema: S;
  _input: Json<z.output<S>>;
  _output: z.output<S>;
  parse(value: unknown): z.output<S>;
}

/**
 * Declares what a procedure's `Json` says. The text is not proven again on every answer; the tests prove every answer
 * of every route against `schema`.
 */
export function sent<S extends z.ZodType>(schema: S): SentAs<S> {
  const parser = {
    schema,
    parse(value: unknown) {
      if (!(value instanceof Json)) throw new TypeError("a procedure that declares sent() must return Json");
      return value;
    },
  };
  return parser as unknown as SentAs<S>;
}
