/**
 * Compares our runner of procedures with `callTRPCProcedure`, for every procedure of the router: the same middlewares,
 * parsers and resolvers must run in the same order, with the same results and errors.
 */
import assert from "node:assert/strict";
import { type AnyTRPCProcedure, type AnyTRPCRouter, callTRPCProcedure, initTRPC, TRPCError } from "@trpc/server";
import { z } from "zod";
import type { Context } from "../../server/context.ts";
import { Json } from "../../server/database/json.ts";
import { Refusal } from "../../server/errors.ts";
import { runnerOf } from "../../server/http/rest/run_procedure.ts";
import { loadRouter } from "../../server/router.ts";
import type { Viewer } from "../../server/viewer.ts";

const VIEWER: Viewer = {
  account_id: 1,
  user_id: 1,
  token_id: 1,
  session_id: null,
  role: "admin",
  expires_at: null,
  scopes: null,
  restricted: false,
  department_ids: [],
  without_department: true,
};

/** Viewers by token. */
const VIEWERS: Record<string, Viewer> = {
  admin: VIEWER,
  guest: { ...VIEWER, role: "guest" },
  scoped: { ...VIEWER, scopes: ["departments:read"] },
};

/**
 * A context whose services record each call and then throw. So a resolver's first step shows without a database.
 */
function recordingContext(token: string | undefined) {
  const asked: string[] = [];
  const service = (name: string): unknown =>
    new Proxy(() => {}, {
      get: (_target, key) => key === "then" ? undefined : service(`${name}.${String(key)}`),
      apply: (_target, _this, sent) => {
        asked.push(
          `${name}(${JSON.stringify(sent, (_key, value) => typeof value === "function" ? "function" : value)})`,
        );
        throw new Error(`${name} is not there`);
      },
    });
  const viewers = { cached: () => undefined, byToken: (sent: string) => Promise.resolve(VIEWERS[sent]) };
  const pages = { byId: () => Promise.resolve(undefined), accountOf: () => Promise.resolve(1) };
  const call: Record<string, unknown> = {
    token,
    request: new Request("http://atrium.test/", { headers: { cookie: `browser=${"a".repeat(43)}` } }),
    address: "192.0.2.1",
  };
  const limits = { take: () => {} };
  const config = { base_url: "http://atrium.test" };
  const known: Record<string, unknown> = { call, viewers, pages, limits, config };
  const ctx = new Proxy(known, {
    get(target, key) {
      if (key === "viewer" || key === "caller") return call[key];
      return typeof key === "string" && !(key in target) ? service(key) : Reflect.get(target, key);
    },
  });
  return { ctx: ctx as unknown as Context, asked };
}

/** The result or the error of a call, in a form that can be compared. */
async function ended(run: () => Promise<unknown>): Promise<unknown> {
  try {
    const value = await run();
    return { value: value instanceof Json ? { text: value.text, total: value.total } : value };
  } catch (error) {
    assert.ok(error instanceof TRPCError, String(error));
    const { code, message, name, cause } = error;
    const of_refusal = error instanceof Refusal
      ? { status: error.status, body: error.body, fields: error.fields, headers: error.headers }
      : {};
    return { code, message, name, cause: cause && [cause.name, cause.message], ...of_refusal };
  }
}

async function assertSame(
  router: AnyTRPCRouter,
  name: string,
  procedure: AnyTRPCProcedure,
  raw: unknown,
  token?: string,
): Promise<unknown> {
  const results = [];
  for (const which of ["tRPC", "ours"] as const) {
    const { ctx, asked } = recordingContext(token);
    const signal = new AbortController().signal;
    let reads = 0;
    const getRawInput = () => {
      reads++;
      return raw instanceof Error ? Promise.reject(raw) : Promise.resolve(raw);
    };
    const { type } = procedure._def;
    const end = await ended(() =>
      which === "ours"
        ? runnerOf(procedure, name)({ ctx, getRawInput })
        : callTRPCProcedure({ router, path: name, type, ctx, getRawInput, signal, batchIndex: 0 })
    );
    results.push({ end, asked, reads });
  }
  assert.deepEqual(results[1], results[0], `${name} with ${JSON.stringify(raw)} as ${token ?? "a visitor"}`);
  return results[1]?.end;
}

/** An input made of the schema's examples, which is valid in most cases. */
function exampleInput(schema: z.ZodType | undefined): unknown {
  if (!(schema instanceof z.ZodObject)) {
    return schema instanceof z.ZodPipe ? exampleInput(schema.def.out as z.ZodType) : {};
  }
  const fields = Object.entries<z.ZodType>(schema.shape).flatMap(([key, field]) => {
    const example = exampleOf(field);
    return example === undefined ? [] : [[key, example]];
  });
  return Object.fromEntries(fields);
}

function exampleOf(field: z.ZodType): unknown {
  const [example] = (field.meta()?.examples ?? []) as unknown[];
  if (example !== undefined) return example;
  if (field.safeParse(undefined).success) return undefined;
  if (field instanceof z.ZodObject) return exampleInput(field);
  return ["x", 1, true, {}, []].find((value) => field.safeParse(value).success);
}

const router = await loadRouter();
const procedures = Object.entries<AnyTRPCProcedure>(router._def.procedures)
  .filter(([, { _def }]) => _def.type !== "subscription");

Deno.test("runner: every procedure ends as in tRPC, for every caller and input", async () => {
  let reached = 0;
  for (const [name, procedure] of procedures) {
    const { inputs } = procedure._def as unknown as { inputs: z.ZodType[] };
    const valid = exampleInput(inputs[0]);
    const broken = new Refusal(400, "The body is not valid JSON");
    for (const raw of [valid, {}, null, undefined, [], 7, { id: "x", page: "x" }, broken]) {
      for (const token of ["admin", "guest", "scoped", "nobody", undefined]) {
        const end = await assertSame(router, name, procedure, raw, token);
        if (raw === valid && token === "admin" && JSON.stringify(end).includes("INTERNAL")) reached++;
      }
    }
  }
  assert.ok(procedures.length > 60 && reached > procedures.length / 2, `only ${reached} resolvers were reached`);
});

const t = initTRPC.context<Context>().create();
/** The middlewares of one call, in order. */
let steps: string[] = [];
const step = (name: string) =>
  t.middleware(({ next, input }) => {
    steps = [...name === "first" ? [] : steps, `${name} ${JSON.stringify(input)}`];
    return next();
  });

const oddities = t.router({
  two_inputs: t.procedure.use(step("first")).input(z.object({ a: z.number() })).use(step("between"))
    .input(z.object({ b: z.string().default("b") })).use(step("last")).query(({ input }) => ({
      ...input,
      steps: [...steps],
    })),
  replaced_input: t.procedure.use(({ next }) => next({ input: { given: true } })).query(({ input }) => input),
  replaced_raw: t.procedure.use(({ next }) => next({ getRawInput: () => Promise.resolve({ a: 2 }) }))
    .input(z.object({ a: z.number() })).query(({ input }) => input),
  more_context: t.procedure.use(({ next }) => next({ ctx: { more: "context" } })).query(({ ctx }) => ctx.more),
  wrong_output: t.procedure.output(z.string()).query(() => 7 as unknown as string),
  changed_output: t.procedure.output(z.object({ a: z.number() })).query(() => ({ a: 1, b: 2 })),
  output_before_use: t.procedure.output(z.object({ a: z.number() })).use(step("after output")).query(() => ({
    a: 1,
    b: 2,
  })),
  no_result: t.procedure.use(() => Promise.resolve(undefined as never)).query(() => 1),
  throws_text: t.procedure.query(() => {
    throw "text";
  }),
  throws_object: t.procedure.query(() => {
    throw { message: "an object" };
  }),
  throws_trpc: t.procedure.query(() => {
    throw new TRPCError({ code: "CONFLICT", message: "taken" });
  }),
  throws_in_middleware: t.procedure.use(() => {
    throw new Refusal(403, "no");
  }).query(() => 1),
  changed_error: t.procedure.use(async ({ next }) => {
    const result = await next();
    return result.ok ? result : { ...result, error: new Refusal(404, "gone") };
  }).query(() => {
    throw new Error("inside");
  }),
  told: t.procedure.meta({}).input(z.object({ a: z.number() }).optional())
    .query(({ path, input, signal }) => ({ path, input, signal: signal instanceof AbortSignal })),
});

Deno.test("runner: unused features of tRPC behave as in tRPC", async () => {
  for (const [name, procedure] of Object.entries<AnyTRPCProcedure>(oddities._def.procedures)) {
    for (const raw of [{ a: 1 }, { a: 1, b: "x" }, { a: "x" }, undefined]) {
      await assertSame(oddities, name, procedure, raw);
    }
  }
});
