/** REST: every procedure with a `rest` meta, on the path that the meta declares. */
import type { AnyTRPCRouter } from "@trpc/server";
import { Json } from "../../database/json.ts";
import type { Call } from "../../viewer.ts";
import { emptyAnswer, jsonAnswer, refuse, reported } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import type { Params, RouteTable } from "../route_table.ts";
import { linksOf } from "./links.ts";
import { readInput } from "./read_input.ts";
import { type Route, routesOf } from "./routes.ts";
import { type Runner, runnerOf } from "./run_procedure.ts";

export function addRest(table: RouteTable, router: AnyTRPCRouter): void {
  for (const route of routesOf(router)) {
    const run = runnerOf(route.procedure, route.name);
    table.add(route.method, route.path, (context, params) => answer(route, run, context, params));
  }
}

async function answer(route: Route, run: Runner, context: HttpContext, params: Params): Promise<Response> {
  context.call.params = params;
  try {
    // The body is read only after the caller is proven: a visitor's body costs nothing.
    const getRawInput = () => readInput(route, context, params);
    return send(route, context, await run({ ctx: context, getRawInput }));
  } catch (error) {
    return refuse(reported(error, route.meta, context));
  }
}

function send({ method, meta: { status = 200 } }: Route, context: HttpContext, value: unknown): Response {
  const { call } = context;
  if (status === 204) return emptyAnswer(call, cookieOf(call));
  if (!(value instanceof Json)) return jsonAnswer(call, status, JSON.stringify(value), cookieOf(call));
  const more = method === "GET" && (value.total !== undefined || value.more) ? listHeaders(context, value) : undefined;
  return jsonAnswer(call, status, value.text, call.set_cookie === undefined ? more : { ...more, ...cookieOf(call) });
}

function listHeaders(context: HttpContext, list: Json<unknown>): Record<string, string> {
  const link = linksOf(context, context.call, list);
  return {
    ...list.total !== undefined && { "x-total-count": String(list.total) },
    ...link !== undefined && { link },
  };
}

const cookieOf = ({ set_cookie }: Call) => set_cookie === undefined ? undefined : { "set-cookie": set_cookie };
