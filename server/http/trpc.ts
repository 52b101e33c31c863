/**
 * `/trpc`: the procedures over tRPC's own protocol, with superjson; for the typed client and the console.
 *
 * tRPC's own adapter would read bodies of any size and depth, and build answers anew that PostgreSQL has built as JSON.
 * Calls come alone or in a batch, never as a stream; a body is read only once the caller is known. Subscriptions have
 * no body and are answered by tRPC's own adapter, as server-sent events.
 */
import { type AnyTRPCRouter, callTRPCProcedure } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import type { Hono } from "hono";
import superjson, { type SuperJSONResult } from "superjson";
import type { Context } from "../context.ts";
import { badRequest, notFound, Refusal } from "../errors.ts";
import { Json } from "../database/json.ts";
import type { Meta } from "../trpc.ts";
import { pathOf, queryOf } from "./address.ts";
import { parseJson, readBody } from "./rest/body.ts";
import { CORS, type Env, mountOthers, refuse, reported } from "./rest/rest.ts";

const ENDPOINT = "/trpc";
/** Calls in one batched request. */
const BATCH_LIMIT = 50;

const HEADERS = {
  ...CORS,
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export function mountTrpc(app: Hono<Env>, router: AnyTRPCRouter): void {
  app.on(["GET", "POST"], `${ENDPOINT}/*`, (c) => answerCalls(router, c.env.context, c.req.raw));
  mountOthers(app, `${ENDPOINT}/*`, ["GET", "POST"]);
}

interface Answer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

async function answerCalls(router: AnyTRPCRouter, context: Context, request: Request): Promise<Response> {
  if (request.headers.has("trpc-accept")) throw badRequest("Calls are not answered as a stream: use httpBatchLink");
  const query = queryOf(request.url);
  const batch = query.get("batch") === "1";
  const path = decoded(pathOf(request.url).slice(ENDPOINT.length + 1));
  const names = batch ? path.split(",") : [path];
  if (!batch && typeOf(router, path) === "subscription") return await subscribe(router, context, request);
  if (names.length > BATCH_LIMIT) return refuse(badRequest(`At most ${BATCH_LIMIT} calls go into one request`));
  const forms = names.some((name) => metaOf(router, name).multipart_only);
  const inputs = inputsOf(request, query, forms);
  const inputOf = async (index: number) => {
    const input = await inputs();
    if (input instanceof FormData) return input;
    const own = batch ? input?.[index] : input;
    return own === undefined ? {} : deserialized(own);
  };
  const answers = await Promise.all(
    names.map((name, index) => answerCall(router, context, request, name, () => inputOf(index))),
  );
  const [first] = answers;
  const status = answers.every((answer) => answer.status === first?.status) ? first?.status : 207;
  const text = batch ? `[${answers.map((answer) => answer.text).join(",")}]` : first?.text;
  return new Response(text, { status: status ?? 200, headers: { ...HEADERS, ...first?.headers } });
}

/** @throws {Refusal} 404 where the path is no text, and so no procedure's name */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw notFound("Procedure");
  }
}

/**
 * Shared values are left as the copies that superjson sends beside them: taken up, a body of 2 KB could stand for
 * more than any memory holds.
 */
function deserialized(input: unknown): unknown {
  try {
    const { json, meta } = input as SuperJSONResult;
    return superjson.deserialize({ json, meta: meta && { v: meta.v, values: meta.values } });
  } catch {
    throw badRequest("The input is not what superjson makes");
  }
}

/** The request's inputs, read and parsed when the first call asks, once. */
function inputsOf(
  request: Request,
  query: URLSearchParams,
  forms: boolean,
): () => Promise<Record<string, unknown> | FormData | undefined> {
  const read = async () => {
    if (request.method === "GET") {
      const text = query.get("input");
      return text === null ? undefined : parseJson(text);
    }
    if (!request.headers.has("content-type")) return undefined;
    return (await readBody(request, forms)).value;
  };
  let inputs: ReturnType<typeof read> | undefined;
  return () => inputs ??= read();
}

async function answerCall(
  router: AnyTRPCRouter,
  context: Context,
  request: Request,
  path: string,
  getRawInput: () => Promise<unknown>,
): Promise<Answer> {
  const meta = metaOf(router, path);
  try {
    const type = typeFor(router, request.method, path);
    const { signal } = request;
    const data = await callTRPCProcedure({ router, path, type, ctx: context, getRawInput, signal, batchIndex: 0 });
    return { status: 200, text: `{"result":{"data":${serialized(data)}}}` };
  } catch (error) {
    return refused(reported(error, meta, context), path);
  }
}

const metaOf = (router: AnyTRPCRouter, path: string): Meta =>
  Object.hasOwn(router._def.procedures, path) ? router._def.procedures[path]?._def.meta ?? {} : {};

/**
 * An EventSource sends no headers of its own: the token comes in the address, as tRPC's connection parameters.
 *
 * @throws {Refusal} 405
 */
async function subscribe(router: AnyTRPCRouter, context: Context, request: Request): Promise<Response> {
  if (request.method !== "GET") {
    throw new Refusal(405, "Call this subscription with GET", { headers: { allow: "GET" } });
  }
  const response = await fetchRequestHandler({
    endpoint: ENDPOINT,
    req: request,
    router,
    createContext({ info }) {
      const token = info.connectionParams?.token;
      if (token && !context.call.token) context.call.token = token;
      return context;
    },
  });
  for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
  return response;
}

const typeOf = (router: AnyTRPCRouter, path: string) =>
  Object.hasOwn(router._def.procedures, path) ? router._def.procedures[path]?._def.type : undefined;

/** @throws {Refusal} 404 for no procedure, 405 for the wrong method */
function typeFor(router: AnyTRPCRouter, method: string, path: string): "query" | "mutation" {
  const type = typeOf(router, path);
  if (type === undefined) throw notFound("Procedure");
  const wanted = type === "query" ? "GET" : "POST";
  if (method !== wanted) throw new Refusal(405, `Call this ${type} with ${wanted}`, { headers: { allow: wanted } });
  return type;
}

const serialized = (data: unknown) =>
  data instanceof Json ? `{"json":${data.text}}` : JSON.stringify(superjson.serialize(data));

/** The shape that `errorFormatter` gives, too. */
function refused({ message, code, status, body, headers }: Refusal, path: string): Answer {
  const shape = { message, code: TRPC_ERROR_CODES_BY_KEY[code], data: { code, httpStatus: status, path, body } };
  return { status, text: JSON.stringify({ error: superjson.serialize(shape) }), headers };
}
