/** Merges a request's path, query, headers and body into the one input of its procedure. */
import { badRequest, invalid, unsupported } from "../../errors.ts";
import { coerce, nest, plantField } from "../../input/form.ts";
import { repeatedKeys } from "../../input/repeated_keys.ts";
import { messageOf } from "../../input/messages.ts";
import type { HttpContext } from "../http_context.ts";
import type { Params } from "../route_table.ts";
import { type Body, hasNone, readBody } from "./body.ts";
import { parametersOf } from "./parameters.ts";
import type { Route } from "./routes.ts";

/** @throws {Refusal} 400, 408, 413, 415, 422 */
export function readInput(route: Route, context: HttpContext, params: Params): unknown {
  const { request } = context.call;
  const input: Record<string, unknown> = {};
  if (route.body.length > 0) return readWithBody(route, context, params, input);
  takeQuery(input, route, request.url);
  return route.input && takeParams(input, route, params);
}

async function readWithBody(route: Route, context: HttpContext, params: Params, input: Record<string, unknown>) {
  const { request } = context.call;
  const key = route.takes_key ? request.headers.get("idempotency-key") : null;
  if (key !== null && route.meta.whole_body !== undefined) proveKey(route, key);
  await takeBody(input, route, context);
  if (key !== null) takeKey(input, key);
  return takeParams(input, route, params);
}

function takeParams(input: Record<string, unknown>, route: Route, params: Params): unknown {
  for (const name of route.params) input[name] = readParam(route, name, params[name]);
  return input;
}

async function takeBody(
  input: Record<string, unknown>,
  route: Route,
  { call: { request }, body_deadlines }: HttpContext,
): Promise<void> {
  const { multipart_only, wrapper, whole_body, lenient_body, ignores_unknown, unique_keys, json_limit } = route.meta;
  // Without a wrapper the schema decides which fields must be there.
  if (wrapper === undefined && hasNone(request)) return;
  const body = await readBody(request, Boolean(multipart_only), body_deadlines, json_limit);
  if (whole_body !== undefined) {
    input[whole_body] = body.value;
    return;
  }
  const fields = body.kind === "form" ? nest(body.value) : body.value;
  if (body.kind === "json") {
    refuseFiles(body, route);
    if (unique_keys) refuseRepeated(body.text, wrapper);
  }
  // A body without a wrapper is a command, never an object that was read here: an unknown field is a typo.
  if (wrapper === undefined && !lenient_body && !ignores_unknown) refuseUnknown(fields, route);
  for (const key of route.body) {
    if (!Object.hasOwn(fields, key)) continue;
    input[key] = body.kind === "form" ? coerceKey(route, key, fields[key]) : fields[key];
  }
}

/** Where the body has no place for the key, a wrong header is reported as a header, and before the body is read. */
function proveKey({ input }: Route, header: string): void {
  const [issue] = input?.shape.idempotency_key?.safeParse(header).error?.issues ?? [];
  if (issue) throw badRequest(`The header Idempotency-Key ${messageOf(issue)}`);
}

function takeKey(input: Record<string, unknown>, header: string): void {
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

function refuseRepeated(text: string, wrapper: string | undefined): void {
  const repeated = repeatedKeys(text).map((path) => (path[0] === wrapper ? path.slice(1) : path).join("."));
  if (repeated.length === 0) return;
  throw invalid(Object.fromEntries(repeated.slice(0, 100).map((path) => [path || "base", ["is given twice"]])));
}

/** JSON cannot carry a file (spec, "File upload"). */
function refuseFiles({ value }: Body & { kind: "json" }, { meta: { wrapper = "", multipart_only = [] } }: Route): void {
  const inner = value[wrapper];
  if (typeof inner !== "object" || inner === null) return;
  const field = multipart_only.find((name) => Object.hasOwn(inner, name));
  if (field) throw unsupported(`${field} needs a multipart/form-data request`);
}

function takeQuery(input: Record<string, unknown>, route: Route, url: string): void {
  const seen = new Set<string>();
  for (const [name, value] of parametersOf(url)) {
    const bracket = name.indexOf("[");
    const key = bracket === -1 ? name : name.slice(0, bracket);
    if (!route.query.includes(key)) {
      if (route.has_strict_query) {
        throw badRequest(`This ${route.is_list ? "list" : "address"} has no parameter ${name.slice(0, 100)}`);
      }
      continue;
    }
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
const readParam = (route: Route, key: string, text = "") => /^0|\./.test(text) ? text : coerceKey(route, key, text);

const coerceKey = ({ input }: Route, key: string, value: unknown) => {
  const schema = input?.shape[key];
  return schema ? coerce(schema, value) : value;
};
