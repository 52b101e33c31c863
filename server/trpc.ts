/** Meta type, base procedures and the one error middleware. */
import { initTRPC, TRPCError } from "@trpc/server";
import superjson from "superjson";
import { ZodError } from "zod";
import { CompileFailure, CompilerBusy } from "./compiler/compiler.ts";
import { type Context, type Role, ROLES, type Viewer } from "./context.ts";
import { refusalOfDatabase } from "./database/pg_errors.ts";
import {
  badRequest,
  forbidden,
  internal,
  invalid,
  notFound,
  Refusal,
  type RefusalStatus,
  unauthorized,
  unavailable,
} from "./errors.ts";
import { Json } from "./database/json.ts";
import { fieldsOf } from "./input/messages.ts";

export interface Meta {
  /** `METHOD /path.json`, with `:names` for input keys that stand in the path. */
  rest?: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;
  /** Of success; 200 unless told. */
  status?: 200 | 201 | 204;
  /** The input key whose object carries the body's fields, such as `department`. */
  wrapper?: string;
  /** Fields inside the wrapper that only multipart/form-data carries; the route takes such bodies where this is set. */
  multipart_only?: readonly string[];
  /** For the API reference: statuses that the shape of the route does not tell, such as 409. */
  refuses?: readonly RefusalStatus[];
  /** The least that a caller must be; set by the base procedure. */
  role?: Role;
  /** One line for the API reference. */
  summary?: string;
  /** More for the API reference: rules that types cannot say. */
  description?: string;
}

/** superjson, with JSON that PostgreSQL built taken along as it is. */
export const transformer = {
  input: superjson,
  output: {
    serialize: (value: unknown) => value instanceof Json ? { json: value.parse() } : superjson.serialize(value),
    deserialize: superjson.deserialize,
  },
};

const t = initTRPC.context<Context>().meta<Meta>().create({
  transformer,
  isDev: false,
  errorFormatter({ shape, error }) {
    const refusal = refusalOf(error);
    return {
      ...shape,
      message: refusal.message,
      data: { code: refusal.code, httpStatus: refusal.status, path: shape.data.path, body: refusal.body },
    };
  },
});

export const { router } = t;

/** Every procedure that a signed-in user calls stands on one of these four; each is one middleware. */
export const guestProcedure = procedureFor("guest");
export const userProcedure = procedureFor("user");
export const managerProcedure = procedureFor("manager");
export const adminProcedure = procedureFor("admin");

/**
 * Proves who calls, whether the role and the token's scopes allow it, and turns whatever goes wrong below into a
 * refusal. A scope is the procedure's first path segment with `write` for a mutation and `read` for all else.
 */
function procedureFor(role: Role) {
  return t.procedure.meta({ role }).use(async ({ ctx, meta, path, type, next }) => {
    const viewer = ctx.call.viewer = await authenticate(ctx);
    allow(viewer, role, `${path.slice(0, path.indexOf("."))}:${type === "mutation" ? "write" : "read"}`);
    const result = await next();
    return result.ok ? result : { ...result, error: refusalOf(result.error, meta) };
  });
}

async function authenticate({ call, viewers }: Context): Promise<Viewer> {
  const viewer = call.token && await viewers.byToken(call.token);
  if (!viewer) throw unauthorized();
  return viewer;
}

/** @throws {Refusal} 403 */
export function allow(viewer: Viewer, role: Role, scope: string): void {
  if (ROLES.indexOf(viewer.role) < ROLES.indexOf(role)) throw forbidden(`This needs the role ${role}`);
  if (viewer.scopes && !viewer.scopes.includes(scope)) throw forbidden(`This token lacks the scope ${scope}`);
}

/** Whatever was thrown, as what the caller is told. */
export function refusalOf(error: unknown, meta?: Meta): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof CompileFailure) return invalid({ source_code: error.messages });
  if (error instanceof CompilerBusy) return unavailable(error.message, undefined, error.retry_after);
  const known = refusalOfDatabase(error);
  if (known) return known;
  if (!(error instanceof TRPCError)) return internal(error);
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) return refusalOfInput(error.cause, meta);
  if (error.code === "INTERNAL_SERVER_ERROR") return error.cause ? refusalOf(error.cause, meta) : internal(error);
  if (error.code === "NOT_FOUND") return notFound();
  return badRequest(error.message);
}

/** No object, a missing wrapper or a wrong query parameter: 400. Path parameters that cannot be: 404. Else 422 by field. */
function refusalOfInput({ issues }: ZodError, meta: Meta = {}): Refusal {
  const [method, path = ""] = meta.rest?.split(" ") ?? [];
  if (issues.some(({ code, path }) => code === "invalid_type" && path.length === 0)) {
    return badRequest("The input must be an object");
  }
  const segments = path.split(/[/.]/);
  if (issues.some((issue) => segments.includes(`:${String(issue.path[0])}`))) return notFound();
  if (meta.wrapper && issues.some(({ path: [first, second] }) => first === meta.wrapper && second === undefined)) {
    return badRequest(`The body must be an object with an object named ${meta.wrapper}`);
  }
  const fields = fieldsOf(issues, meta.wrapper);
  if (method !== "GET") return invalid(fields);
  const sentences = Object.entries(fields).map(([field, messages]) => `${field} ${messages.join(", ")}`);
  return badRequest(sentences.join("; "));
}
