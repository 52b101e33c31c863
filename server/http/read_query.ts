/** The query of a route that is no procedure. */
import type { z } from "zod";
import { badRequest } from "../errors.ts";
import { coerce, plantField } from "../input/form.ts";
import { fieldsOf, sentenceOf } from "../input/messages.ts";
import { queryOf } from "./address.ts";
import type { Parameter } from "./plain_route.ts";

/** @throws {Refusal} 400 */
export function readQuery<Options extends z.ZodObject>(options: Options, url: string): z.output<Options> {
  const query = queryOf(url);
  const given: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries<z.ZodType>(options.shape)) {
    if (query.has(name)) given[name] = coerce(schema, query.get(name));
  }
  // `filter[author]=Ada`
  for (const [name, value] of query) {
    const [, head = ""] = /^([^[]+)\[/.exec(name) ?? [];
    if (Object.hasOwn(options.shape, head)) plantField(given, name, value);
  }
  const { data, error } = options.safeParse(given);
  if (data === undefined) throw badRequest(sentenceOf(fieldsOf(error?.issues ?? [])));
  return data;
}

/**
 * Refuses a query with another name, or with a name that is given twice: a typing error in a filter or in `dry_run` would
 * choose or write more than is meant.
 *
 * @throws {Refusal} 400
 */
export function proveNames(names: readonly string[], url: string): void {
  const seen = new Set<string>();
  for (const name of queryOf(url).keys()) {
    if (!names.includes(name.replace(/\[.*/, ""))) throw badRequest(`There is no parameter ${name.slice(0, 100)}`);
    // `filter[title][in][]` is a list.
    if (seen.has(name) && !name.endsWith("[]")) throw badRequest(`${name.slice(0, 100)} is given twice`);
    seen.add(name);
  }
}

/** The names that a route declares. */
export const queryNames = (parameters: readonly Parameter[]): string[] =>
  parameters.flatMap((parameter) => parameter.in === "query" ? [parameter.name] : []);

/** For the API reference. */
export const parametersOf = (options: z.ZodObject): Parameter[] =>
  Object.entries<z.ZodType>(options.shape).map(([name, shape]) => ({ in: "query", name, shape }));
