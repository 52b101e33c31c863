/** REST routes, read once from the metas of the procedures. */
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import { z } from "zod";
import type { SentAs } from "../../database/json.ts";
import type { Meta } from "../../trpc.ts";

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As documented: `/account/departments/:id.json`. */
  path: string;
  /** The procedure's name: `departments.find`. */
  name: string;
  type: "query" | "mutation";
  procedure: AnyTRPCProcedure;
  meta: Meta;
  /** Input keys that stand in the path. */
  params: string[];
  /** The whole input as one object; undefined where the procedure takes none. */
  input: z.ZodObject | undefined;
  /** Undefined where the answer is empty. */
  output: z.ZodType | undefined;
  /** Input keys that come in the query. */
  query: string[];
  /** Input keys that come in the body. None for GET and DELETE. */
  body: string[];
  /** Answers with a list. */
  is_list: boolean;
  /** Unknown parameters of its query are refused: a misspelled filter would list everything. */
  has_strict_query: boolean;
  /** The header `Idempotency-Key` carries the input key `idempotency_key`, which the body may carry, too. */
  takes_key: boolean;
}

/** Every procedure that has a REST path, in the router's order. */
export function routesOf(router: AnyTRPCRouter): Route[] {
  const procedures: [string, AnyTRPCProcedure][] = Object.entries(router._def.procedures);
  return procedures.flatMap(([name, procedure]) => {
    const meta: Meta = procedure._def.meta ?? {};
    return meta.rest ? [routeOf(name, procedure, meta, meta.rest)] : [];
  });
}

function routeOf(name: string, procedure: AnyTRPCProcedure, meta: Meta, rest: string): Route {
  const [method, path] = rest.split(" ") as [Route["method"], string];
  const { inputs, output, type } = procedure._def as unknown as {
    inputs: z.ZodType[];
    output?: z.ZodType | SentAs<z.ZodType>;
    type: Route["type"];
  };
  const params = [...path.matchAll(/:(\w+)/g)].map(([, key = ""]) => key);
  const input = objectOf(inputs[0]);
  const keys = Object.keys(input?.shape ?? {}).filter((key) => !params.includes(key));
  const has_body = method !== "GET" && method !== "DELETE";
  const shape = output && "schema" in output ? output.schema : output;
  const is_list = method === "GET" && shape instanceof z.ZodArray;
  return {
    method,
    path,
    name,
    type,
    procedure,
    meta,
    params,
    input,
    output: shape,
    query: has_body ? [] : keys,
    body: !has_body ? [] : meta.whole_body === undefined ? keys : [meta.whole_body],
    is_list,
    has_strict_query: is_list || (!has_body && keys.length > 0),
    takes_key: has_body && keys.includes("idempotency_key"),
  };
}

/** The object behind `objectOrForm` and the like. */
function objectOf(schema: z.core.$ZodType | undefined): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodPipe) return objectOf(schema.def.out);
}
