/**
 * Public methods of databases, which need no login. Source: spec, "public_methods".
 *
 * | path | answer |
 * |---|---|
 * | POST /platform/db/:db_code/list | 200, flat records |
 * | POST /platform/db/:db_code/create | 201, the record |
 * | POST /platform/db/:db_code/update | 200, the record |
 * | POST /platform/db/:db_code/delete | 200, `{ id }` |
 */
import type { Context as HonoContext, Hono } from "hono";
import type { z } from "zod";
import { stamp } from "../context.ts";
import {
  createPublic,
  deletePublic,
  listPublic,
  type Method,
  proveEnabled,
  updatePublic,
} from "../domains/records/public.ts";
import { PUBLIC_BODIES, PublicPage } from "../domains/records/public_schema.ts";
import { badRequest, notFound } from "../errors.ts";
import { fieldsOf } from "../input/messages.ts";
import { optionalBody } from "./rest/body.ts";
import { callerOf } from "./identity.ts";
import type { PageCache } from "./pages/page_cache.ts";
import { CORS, type Env, mountOthers } from "./rest/rest.ts";

const PATH = "/platform/db/:db_code/:method";

export function mountPublicDb(app: Hono<Env>, pages: PageCache): void {
  app.post(PATH, (c) => answer(c, pages));
  mountOthers(app, PATH, ["POST"]);
}

async function answer(c: HonoContext<Env>, pages: PageCache): Promise<Response> {
  const { context } = c.env;
  const request = c.req.raw;
  const code = c.req.param("db_code") ?? "";
  const method = c.req.param("method") ?? "";
  if (!/^[a-z0-9_]{1,100}$/.test(code)) throw notFound("Database");
  if (!isMethod(method)) throw notFound("Method");
  const caller = await callerOf(context, request, pages);
  await proveEnabled(context, caller, code, method);
  const send = (text: string, status = 200) =>
    new Response(text, {
      status,
      headers: {
        ...CORS,
        ...stamp(context.call),
        ...caller.headers,
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      },
    });
  switch (method) {
    case "list": {
      const page = read(PublicPage, await optionalBody(request));
      return send((await listPublic(context, caller, code, page))?.text ?? "[]");
    }
    case "create":
      return send(
        (await createPublic(context, caller, code, read(PUBLIC_BODIES.create, await optionalBody(request)))).text,
        201,
      );
    case "update":
      return send(
        (await updatePublic(context, caller, code, read(PUBLIC_BODIES.update, await optionalBody(request)))).text,
      );
    case "delete": {
      const body = read(PUBLIC_BODIES.delete, await optionalBody(request));
      await deletePublic(context, caller, code, body);
      return send(JSON.stringify({ id: body.id }));
    }
  }
}

const METHODS: readonly Method[] = ["list", "create", "update", "delete"];
const isMethod = (name: string): name is Method => METHODS.some((method) => method === name);

/** @throws {Refusal} 404 for what is no record's id, else 400 */
function read<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  if (issues.some(({ path, code }) => path[0] === "id" && code !== "invalid_type")) throw notFound("Record");
  const sentences = Object.entries(fieldsOf(issues)).map(([field, messages]) => `${field} ${messages.join(", ")}`);
  throw badRequest(sentences.join("; "));
}
