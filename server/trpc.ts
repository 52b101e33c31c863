/** The shape of a procedure's meta, the base procedures, and the one place that turns errors into refusals. */
import { initTRPC, TRPCError } from "@trpc/server";
import superjson from "superjson";
import { ZodError } from "zod";
import { CompileFailure, CompilerBusy } from "./compiler/compiler.ts";
import type { Context } from "./context.ts";
import { Json } from "./database/json.ts";
import { refusalOfDatabase } from "./database/pg_errors.ts";
import { badRequest, internal, invalid, notFound, Refusal, type RefusalStatus, unavailable } from "./errors.ts";
import type { Who } from "./fairness/rate_limits.ts";
import { fieldsOf, sentenceOf } from "./input/messages.ts";
import { proveCaller, proveRole, refuseViewAs, type Role } from "./viewer.ts";

export interface Meta {
  /** `METHOD /path.json`, with `:names` for input keys that stand in the path. */
  rest?: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
  /** Of success; 200 unless set. */
  status?: 200 | 201 | 204;
  /** The input key whose object carries the body's fields, such as `department`. */
  wrapper?: string;
  /** The input key that takes the whole body, whatever its fields. */
  whole_body?: string;
  /** Fields inside the wrapper that only multipart/form-data carries; the route takes such bodies where this is set. */
  multipart_only?: readonly string[];
  /** Input keys that name an object, beside those in the path: one that cannot exist is a 404 of that object. */
  names?: Readonly<Record<string, string>>;
  /** Callers may be strangers' scripts: unknown fields of the body are ignored, and wrong ones are 400 instead of 422. */
  lenient_body?: boolean;
  /** A body without a wrapper whose unknown fields are ignored, as in bodies with one. */
  ignores_unknown?: boolean;
  /** A key that JSON repeats in the body is refused instead of silently replacing the one before. */
  unique_keys?: boolean;
  /** For the API reference: statuses that the shape of the route does not imply, such as 409. */
  refuses?: readonly RefusalStatus[];
  /** Bytes of the largest JSON body over REST, where it is not the common limit. */
  json_limit?: number;
  /** What a mutation is counted as, beside a request; `writes` unless set. docs/limits.md */
  counts_as?: "writes" | "compiles" | "actions";
  /** For the API reference; the procedure's domain unless set. */
  tag?: string;
  /** Concerns the viewer's own credentials, or what only the viewer reads: never answered as another user. */
  personal?: true;
  /** Any token may call, whatever its scopes. */
  any_scope?: true;
  /** Needs no credential; set by the base procedure. */
  open?: true;
  /** The least role that may call; set by the base procedure, and absent where callers need no login. */
  role?: Role;
  /** One line for the API reference. */
  summary?: string;
  /** For the API reference: rules that types cannot say. */
  description?: string;
}

/** superjson, which passes on JSON that PostgreSQL built. */
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

/** Procedures for viewers of at least this role. */
export const guestProcedure = procedureFor("guest");
export const userProcedure = procedureFor("user");
export const managerProcedure = procedureFor("manager");
export const adminProcedure = procedureFor("admin");

/** Procedures for anyone: a viewer, the page of an app, or a visitor known by a browser key. It fills `ctx.caller`. */
export const pageProcedure = t.procedure.use(async ({ ctx, meta, type, next }) => {
  const caller = await proveCaller(ctx, isViewable(type, meta));
  const counted = type === "mutation" && limit(ctx, caller, meta);
  if (counted) await counted;
  const result = await next();
  return result.ok ? result : { ...result, error: refusalOf(result.error, meta) };
});

/** Procedures that take no credential, such as the one that checks a password. */
export const openProcedure = t.procedure.meta({ open: true }).use(async ({ ctx, meta, next }) => {
  refuseViewAs(ctx.call);
  const result = await next();
  return result.ok ? result : { ...result, error: refusalOf(result.error, meta) };
});

/** A scope is the procedure's domain, with `write` for a mutation and `read` for all else. */
function procedureFor(role: Role) {
  return t.procedure.meta({ role }).use(async ({ ctx, meta, path, type, next }) => {
    const scope = `${path.slice(0, path.indexOf("."))}:${type === "mutation" ? "write" : "read"}`;
    const viewer = await proveRole(ctx, role, meta?.any_scope ? undefined : scope, isViewable(type, meta));
    const counted = type === "mutation" && limit(ctx, { account_id: viewer.account_id, viewer }, meta);
    if (counted) await counted;
    const result = await next();
    return result.ok ? result : { ...result, error: refusalOf(result.error, meta) };
  });
}

const isViewable = (type: string, meta: Meta | undefined): boolean => type === "query" && !meta?.personal;

/** Counts a mutation. A visitor's actions are counted by app. @throws {Refusal} 429 */
function limit(
  { limits, call }: Context,
  { account_id, viewer, app_id }: Pick<Who, "account_id" | "viewer" | "app_id">,
  { counts_as = "writes" }: Meta = {},
): void | Promise<void> {
  const app = counts_as === "actions" && !viewer ? call.params?.id ?? app_id : undefined;
  return limits.take(counts_as, { account_id, viewer, address: call.address, app_id: app });
}

/** The refusal that a client gets for any error. */
export function refusalOf(error: unknown, meta?: Meta): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof CompileFailure) return invalid({ source_code: error.messages });
  if (error instanceof CompilerBusy) return unavailable(error.message, error.cause, error.retry_after);
  const known = refusalOfDatabase(error);
  if (known) return known;
  if (!(error instanceof TRPCError)) return internal(error);
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) return refusalOfInput(error.cause, meta);
  if (error.code === "INTERNAL_SERVER_ERROR") return error.cause ? refusalOf(error.cause, meta) : internal(error);
  if (error.code === "NOT_FOUND") return notFound();
  return badRequest(error.message);
}

/**
 * 400 for an input that is no object, a missing wrapper or a wrong query parameter; 404 for a name or a path parameter
 * that cannot exist; else 422 by field.
 */
function refusalOfInput({ issues }: ZodError, meta: Meta = {}): Refusal {
  const { wrapper, whole_body, names = {}, lenient_body } = meta;
  const [method, path = ""] = meta.rest?.split(" ") ?? [];
  if (issues.some(({ code, path }) => code === "invalid_type" && path.length === 0)) {
    return badRequest("The input must be an object");
  }
  const named = issues.find(({ code, path: [key] }) => Object.hasOwn(names, String(key)) && code !== "invalid_type");
  if (named) return notFound(names[String(named.path[0])]);
  const segments = path.split(/[/.]/);
  if (issues.some((issue) => segments.includes(`:${String(issue.path[0])}`))) return notFound();
  if (wrapper && issues.some(({ path: [first, second] }) => first === wrapper && second === undefined)) {
    return badRequest(`The body must be an object with an object named ${wrapper}`);
  }
  const fields = fieldsOf(issues, wrapper ?? whole_body);
  if (method !== "GET" && method !== "DELETE" && !lenient_body) return invalid(fields);
  return badRequest(sentenceOf(fields));
}
