/**
 * `/trpc`: the procedures over tRPC's own protocol, with superjson; for the typed client and the console.
 *
 * tRPC's own adapter would read bodies of any size and depth, and parse and rebuild JSON that PostgreSQL has built. Calls
 * come alone or in a batch, never as a stream; a body is read only after the caller is proven. Subscriptions have no body
 * and are answered by tRPC's own adapter, as server-sent events.
 */
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import type { Hono } from "hono";
import superjson, { type SuperJSONResult } from "superjson";
import { Json } from "../database/json.ts";
import { badRequest, notFound, Refusal } from "../errors.ts";
import type { Meta } from "../trpc.ts";
import { takeConnectionParams } from "../viewer.ts";
import { queryOf } from "./address.ts";
import { allowed, CORS, methodNotAllowed, preflight, refuse, reported } from "./answers.ts";
import type { Env, HttpContext } from "./http_context.ts";
import { parseJson, readBody } from "./rest/body.ts";
import { type Runner, runnerOf } from "./rest/run_procedure.ts";

const ENDPOINT = "/trpc";
/** Calls in one batched request. */
const BATCH_LIMIT = 50;

const HEADERS = {
  ...CORS,
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** A procedure that can be called by its name. */
interface Callable {
  type: "query" | "mutation" | "subscription";
  meta: Meta;
  run: Runner;
}

type Callables = ReadonlyMap<string, Callable>;

export function mountTrpc(hono: Hono<Env>, router: AnyTRPCRouter): void {
  const procedures: [string, AnyTRPCProcedure][] = Object.entries(router._def.procedures);
  const callables: Callables = new Map(
    procedures.map(([name, procedure]) => {
      const meta: Meta = procedure._def.meta ?? {};
      return [name, { type: procedure._def.type, meta, run: runnerOf(procedure, name) }];
    }),
  );
  const allow = allowed(["GET", "POST"]);
  hono.on(
    ["GET", "POST"],
    `${ENDPOINT}/*`,
    (c) => answerCalls(callables, (context) => subscribe(router, context), c.env.context),
  );
  hono.options(`${ENDPOINT}/*`, () => preflight(allow));
  hono.all(`${ENDPOINT}/*`, () => methodNotAllowed(allow));
}

interface Answer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

async function answerCalls(
  callables: Callables,
  subscribe: (context: HttpContext) => Promise<Response>,
  context: HttpContext,
): Promise<Response> {
  const { call } = context;
  const { request } = call;
  if (request.headers.has("trpc-accept")) throw badRequest("Calls are not answered as a stream: use httpBatchLink");
  const query = queryOf(request.url);
  const batch = query.get("batch") === "1";
  const path = decoded(call.path.slice(ENDPOINT.length + 1));
  const names = batch ? path.split(",") : [path];
  if (!batch && callables.get(path)?.type === "subscription") return await subscribe(context);
  if (names.length > BATCH_LIMIT) return refuse(badRequest(`At most ${BATCH_LIMIT} calls go into one request`));
  const forms = names.some((name) => callables.get(name)?.meta.multipart_only);
  const inputs = inputsOf(context, query, forms);
  const inputOf = async (index: number) => {
    const input = await inputs();
    if (input instanceof FormData) return input;
    const own = batch ? input?.[index] : input;
    return own === undefined ? {} : deserialized(own);
  };
  const answers = await Promise.all(
    names.map((name, index) => answerCall(callables.get(name), context, name, () => inputOf(index))),
  );
  const [first] = answers;
  const status = answers.every((answer) => answer.status === first?.status) ? first?.status : 207;
  const text = batch ? `[${answers.map((answer) => answer.text).join(",")}]` : first?.text;
  const headers: Record<string, string> = { ...HEADERS, ...first?.headers };
  if (call.set_cookie !== undefined && answers.some((answer) => answer.status === 200)) {
    headers["set-cookie"] = call.set_cookie;
  }
  return new Response(text, { status: status ?? 200, headers });
}

/** @throws {Refusal} 404 where the path is not valid UTF-8 */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw notFound("Procedure");
  }
}

/**
 * superjson's references between equal values are ignored, because each value is also sent as a copy: with them a body of
 * 2 KB could expand beyond any memory.
 */
function deserialized(input: unknown): unknown {
  try {
    const { json, meta } = input as SuperJSONResult;
    return superjson.deserialize({ json, meta: meta && { v: meta.v, values: meta.values } });
  } catch {
    throw badRequest("The input is not what superjson makes");
  }
}

/** Reads and parses the request's inputs once, when the first call asks for its own. */
function inputsOf(
  { call: { request }, body_deadlines }: HttpContext,
  query: URLSearchParams,
  forms: boolean,
): () => Promise<Record<string, unknown> | FormData | undefined> {
  const read = async () => {
    if (request.method === "GET") {
      const text = query.get("input");
      return text === null ? undefined : parseJson(text);
    }
    if (!request.headers.has("content-type")) return undefined;
    return (await readBody(request, forms, body_deadlines)).value;
  };
  let inputs: ReturnType<typeof read> | undefined;
  return () => inputs ??= read();
}

async function answerCall(
  callable: Callable | undefined,
  context: HttpContext,
  name: string,
  getRawInput: () => Promise<unknown>,
): Promise<Answer> {
  const { request } = context.call;
  try {
    proveMethod(callable, request.method);
    const data = await callable.run({ ctx: context, getRawInput });
    return { status: 200, text: `{"result":{"data":${serialized(data)}}}` };
  } catch (error) {
    return refused(reported(error, callable?.meta ?? {}, context), name);
  }
}

/** @throws {Refusal} 405 */
async function subscribe(router: AnyTRPCRouter, context: HttpContext): Promise<Response> {
  const { call } = context;
  if (call.is_head || call.request.method !== "GET") {
    throw new Refusal(405, "Call this subscription with GET", { headers: { allow: "GET" } });
  }
  const response = await fetchRequestHandler({
    endpoint: ENDPOINT,
    req: call.request,
    router,
    createContext({ info }) {
      takeConnectionParams(call, info.connectionParams);
      return context;
    },
  });
  for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
  return response;
}

/** @throws {Refusal} 404 for no procedure, 405 for the wrong method */
function proveMethod(callable: Callable | undefined, method: string): asserts callable is Callable {
  if (callable === undefined) throw notFound("Procedure");
  const { type } = callable;
  const wanted = type === "query" ? "GET" : "POST";
  if (method !== wanted) throw new Refusal(405, `Call this ${type} with ${wanted}`, { headers: { allow: wanted } });
  if (type === "subscription") throw badRequest("A subscription is not called in a batch");
}

const serialized = (data: unknown) =>
  data instanceof Json ? `{"json":${data.text}}` : JSON.stringify(superjson.serialize(data));

/** The shape is the one of `errorFormatter` in `server/trpc.ts`. */
function refused({ message, code, status, body, headers }: Refusal, path: string): Answer {
  const shape = { message, code: TRPC_ERROR_CODES_BY_KEY[code], data: { code, httpStatus: status, path, body } };
  return { status, text: JSON.stringify({ error: superjson.serialize(shape) }), headers };
}
