/** The query of a route that is no procedure. */
import type { z } from "zod";
import { badRequest } from "../errors.ts";
import { coerce } from "../input/form.ts";
import { fieldsOf, sentenceOf } from "../input/messages.ts";
import { queryOf } from "./address.ts";
import type { Parameter } from "./plain_route.ts";

/** @throws {Refusal} 400 */
export function readQuery<Options extends z.ZodObject>(options: Options, url: string): z.output<Options> {
  const query = queryOf(url);
  const given = Object.entries<z.ZodType>(options.shape).flatMap(([name, schema]) =>
    query.has(name) ? [[name, coerce(schema, query.get(name))]] : []
  );
  const { data, error } = options.safeParse(Object.fromEntries(given));
  if (data === undefined) throw badRequest(sentenceOf(fieldsOf(error?.issues ?? [])));
  return data;
}

/** For the API reference. */
export const parametersOf = (options: z.ZodObject): Parameter[] =>
  Object.entries<z.ZodType>(options.shape).map(([name, shape]) => ({ in: "query", name, shape }));
