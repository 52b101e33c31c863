/** REST: every procedure with a `rest` meta, mounted on Hono through `callTRPCProcedure`. */
import { type AnyTRPCRouter, callTRPCProcedure } from "@trpc/server";
import type { Context as HonoContext, Hono } from "hono";
import { badRequest, invalid, notFound, Refusal, unsupported } from "../../errors.ts";
import { coerce, nest, plantField } from "../../input/form.ts";
import { Json } from "../../database/json.ts";
import { type Meta, refusalOf } from "../../trpc.ts";
import { type Context, stamp } from "../../context.ts";
import { faultOf } from "../../log.ts";
import { pathOf, queryOf } from "../address.ts";
import { type Body, hasNone, readBody } from "./body.ts";
import { honoPath, type Route, routesOf } from "./routes.ts";

/** What the outermost handler hands to Hono's `c.env`. */
export interface Env {
  Bindings: { context: Context };
}

/** A caller with a token may be any page: no credentials are ever taken along. */
export const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-request-id, x-total-count, link, retry-after",
};
const JSON_HEADERS = {
  ...CORS,
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};
const PREFLIGHT = {
  ...CORS,
  "access-control-allow-headers":
    "authorization, content-type, x-app-token, last-event-id, x-request-id, idempotency-key",
  "access-control-max-age": "86400",
};

export function mountRest(app: Hono<Env>, router: AnyTRPCRouter): void {
  const routes = [...Map.groupBy(routesOf(router), ({ path }) => path)];
  // What is written out stands before what a parameter would take: `batch.json` is nobody's id.
  for (const [path, known] of routes.toSorted(([a], [b]) => parametersIn(a) - parametersIn(b))) {
    for (const route of known) app.on(route.method, honoPath(path), (c) => answer(router, route, c));
    mountOthers(app, honoPath(path), known.map(({ method }) => method));
  }
}

const parametersIn = (path: string) => path.split("/:").length;

/** OPTIONS, and 405 for the methods that a known path does not have. */
export function mountOthers(app: Hono<Env>, path: string, known: string[]): void {
  mountOptions(app, path, known);
  const allow = allowed(known);
  app.all(path, () => refuse(new Refusal(405, `Only ${allow} are possible here`, { headers: { allow } })));
}

/** Without it a page of another origin could not read a refusal, be it only that there is nothing. */
export function mountOptions(app: Hono<Env>, path: string, known: string[]): void {
  const allow = allowed(known);
  app.on(
    "OPTIONS",
    path,
    () => new Response(null, { status: 204, headers: { ...PREFLIGHT, allow, "access-control-allow-methods": allow } }),
  );
}

const allowed = (known: string[]) => [...known, ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");

async function answer(router: AnyTRPCRouter, route: Route, c: HonoContext<Env>): Promise<Response> {
  const { context } = c.env;
  // An encoded dot is no dot: paths are matched as they are written.
  if (route.path.endsWith(".json") && !pathOf(c.req.raw.url).endsWith(".json")) return refuse(notFound());
  try {
    const value = await callTRPCProcedure({
      router,
      path: route.name,
      type: route.type,
      ctx: context,
      // Called only once the caller is known: strangers' bodies are not read.
      getRawInput: () => readInput(route, c),
      signal: c.req.raw.signal,
      batchIndex: 0,
    });
    return send(route, c, value);
  } catch (error) {
    return refuse(reported(error, route.meta, context));
  }
}

/** The refusal for whatever was thrown; what nobody expected goes to the log with its cause. */
export function reported(error: unknown, meta: Meta, { log, call }: Context): Refusal {
  const refusal = refusalOf(error, meta);
  if (refusal.status >= 500) {
    log.error("request failed", { request_id: call.request_id, ...faultOf(refusal.cause ?? refusal) });
  }
  return refusal;
}

async function readInput(route: Route, c: HonoContext<Env>): Promise<unknown> {
  if (!route.input) return undefined;
  const input: Record<string, unknown> = {};
  if (route.body.length > 0) await takeBody(input, route, c.req.raw);
  else takeQuery(input, route, c.req.raw.url);
  if (route.body.includes("idempotency_key")) takeKey(input, c.req.header("idempotency-key"));
  for (const key of route.params) input[key] = paramOf(route, key, c.req.param(key)?.replace(/\.json$/, ""));
  return input;
}

async function takeBody(input: Record<string, unknown>, route: Route, request: Request): Promise<void> {
  const { multipart_only, wrapper } = route.meta;
  // The schema says what must be there.
  if (wrapper === undefined && hasNone(request)) return;
  const body = await readBody(request, Boolean(multipart_only));
  const fields = body.kind === "form" ? nest(body.value) : body.value;
  if (body.kind === "json") refuseFiles(body, route);
  // Nobody sends back what was read here, and a typo would mean something else.
  if (wrapper === undefined) refuseUnknown(fields, route);
  for (const key of route.body) {
    if (!Object.hasOwn(fields, key)) continue;
    input[key] = body.kind === "form" ? coerceKey(route, key, fields[key]) : fields[key];
  }
}

/** The header stands for the body's own key. */
function takeKey(input: Record<string, unknown>, header: string | undefined): void {
  if (header === undefined) return;
  if (input.idempotency_key !== undefined && input.idempotency_key !== header) {
    throw invalid({ idempotency_key: ["is another one than that of the header Idempotency-Key"] });
  }
  input.idempotency_key = header;
}

function refuseUnknown(fields: Record<string, unknown>, { body, params }: Route): void {
  const unknown = Object.keys(fields).filter((key) => !body.includes(key) && !params.includes(key));
  if (unknown.length === 0) return;
  throw invalid(Object.fromEntries(unknown.slice(0, 100).map((key) => [key, ["is not a known field"]])));
}

/** JSON cannot carry a file (spec, "File upload"). */
function refuseFiles({ value }: Body & { kind: "json" }, { meta: { wrapper = "", multipart_only = [] } }: Route): void {
  const inner = value[wrapper];
  if (typeof inner !== "object" || inner === null) return;
  const field = multipart_only.find((name) => Object.hasOwn(inner, name));
  if (field) throw unsupported(`${field} needs a multipart/form-data request`);
}

function takeQuery(input: Record<string, unknown>, route: Route, url: string): void {
  const start = url.indexOf("?");
  if (start === -1) return;
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    const key = name.replace(/\[.*/, "");
    if (!route.query.includes(key)) continue;
    if (seen.has(name) && !name.endsWith("[]")) throw badRequest(`${name} is given twice`);
    seen.add(name);
    if (key !== name) {
      plantField(input, name, value);
      continue;
    }
    input[key] = coerceKey(route, key, value);
  }
}

/** A number in a path has one spelling: `01` and `1.0` name nothing. */
const paramOf = (route: Route, key: string, text = "") => /^0|\./.test(text) ? text : coerceKey(route, key, text);

const coerceKey = ({ input }: Route, key: string, value: unknown) => {
  const schema = input?.shape[key];
  return schema ? coerce(schema, value) : value;
};

function send({ meta: { status = 200 } }: Route, c: HonoContext<Env>, value: unknown): Response {
  const { call } = c.env.context;
  if (status === 204) return new Response(null, { status, headers: CORS });
  const headers = { ...JSON_HEADERS, ...stamp(call) };
  if (!(value instanceof Json)) return new Response(JSON.stringify(value), { status, headers });
  if (value.total === undefined) return new Response(value.text, { status, headers });
  return new Response(value.text, {
    status,
    headers: {
      ...headers,
      "x-total-count": String(value.total),
      ...linksOf(c.env.context, c.req.url, value),
    },
  });
}

/** RFC 8288 links to the other pages of a list. */
function linksOf({ config }: Context, url: string, list: Json<unknown>): { link: string } {
  const pathname = pathOf(url);
  const searchParams = queryOf(url);
  const page = Number(searchParams.get("page") ?? 1);
  const per_page = Number(searchParams.get("per_page") ?? 100);
  const last = Math.max(1, Math.ceil((list.total ?? 0) / per_page));
  const begins_after = searchParams.has("after");
  searchParams.delete("after");
  const link = (rel: string, key: string, value: string | number) => {
    searchParams.set(key, String(value));
    return `<${config.base_url}${pathname}?${searchParams}>; rel="${rel}"`;
  };
  const to = (rel: string, number: number) => link(rel, "page", number);
  if (begins_after) {
    // Which page it is nobody knows: it goes on behind its last row.
    const rows = list.parse() as { id?: string }[];
    const behind = rows.length === per_page ? rows.at(-1)?.id : undefined;
    const ends = [to("first", 1), to("last", last)];
    searchParams.delete("page");
    return { link: ends.toSpliced(1, 0, ...behind === undefined ? [] : [link("next", "after", behind)]).join(", ") };
  }
  const links = [to("first", 1)];
  if (page > 1) links.push(to("prev", Math.min(page - 1, last)));
  if (page < last) links.push(to("next", page + 1));
  return { link: [...links, to("last", last)].join(", ") };
}

export const refuse = (refusal: Refusal) =>
  new Response(JSON.stringify(refusal.body), {
    status: refusal.status,
    headers: { ...JSON_HEADERS, ...refusal.headers },
  });
