/**
 * Actions, which app pages call from the sandbox, and without a login where they are public. Source: spec, "Actions".
 *
 * | path | answer |
 * |---|---|
 * | POST /platform/apps/:id/action/:action_name | 200 `{ flow_process_id, status, data?, error? }` |
 * | GET /platform/apps/:id/action/:action_name/status | the same, of `flow_process_id` |
 */
import { createHash } from "node:crypto";
import type { Context as HonoContext, Hono } from "hono";
import { stamp } from "../context.ts";
import { actionStatus, callAction } from "../domains/apps/actions.ts";
import { ActionCall, ActionPoll, IdempotencyKey } from "../domains/apps/schema.ts";
import { badRequest, invalid, notFound } from "../errors.ts";
import { fieldsOf } from "../input/messages.ts";
import { allow } from "../trpc.ts";
import { queryOf } from "./address.ts";
import { optionalBody } from "./rest/body.ts";
import { callerOf, type CallerOfPage } from "./identity.ts";
import type { PageCache } from "./pages/page_cache.ts";
import { CORS, type Env, mountOthers } from "./rest/rest.ts";

const PATH = "/platform/apps/:id/action/:action_name";
const STATUS = `${PATH}/status`;

// Made once: zod compiles a schema when it is first used.
const Called = ActionCall.pick({ id: true, action_name: true });
const Key = IdempotencyKey.optional();

export function mountActions(app: Hono<Env>, pages: PageCache): void {
  app.post(PATH, (c) => answerCall(c, pages));
  app.get(STATUS, (c) => answerStatus(c, pages));
  mountOthers(app, PATH, ["POST"]);
  mountOthers(app, STATUS, ["GET"]);
}

async function answerCall(c: HonoContext<Env>, pages: PageCache): Promise<Response> {
  const called = Called.safeParse(c.req.param());
  if (!called.success) throw notFound("Action");
  const caller = await proven(c, pages, called.data.id, "write");
  const key = Key.safeParse(c.req.header("idempotency-key"));
  if (!key.success) throw badRequest("The header Idempotency-Key must be 1 to 200 printable characters without spaces");
  const params = ActionCall.shape.params.safeParse(await optionalBody(c.req.raw));
  if (!params.success) throw invalid(fieldsOf(params.error.issues));
  return send(c, caller, await callAction(c.env.context, withVisitor(caller), called.data, params.data, key.data));
}

async function answerStatus(c: HonoContext<Env>, pages: PageCache): Promise<Response> {
  const called = Called.safeParse(c.req.param());
  if (!called.success) throw notFound("Action");
  const caller = await proven(c, pages, called.data.id, "read");
  const id = queryOf(c.req.raw.url).get("flow_process_id");
  if (id === null) throw badRequest("flow_process_id is missing");
  const polled = ActionPoll.shape.flow_process_id.safeParse(id);
  if (!polled.success) throw notFound("Flow process");
  return send(c, caller, await actionStatus(c.env.context, caller, called.data, polled.data));
}

/** A browser that has only now got its key is known by its address. */
const withVisitor = (caller: CallerOfPage) => ({
  ...caller,
  visitor: "set-cookie" in caller.headers
    ? `address ${caller.address}`
    : `browser ${createHash("sha256").update(caller.browser).digest("base64url")}`,
});

/** A page opens its own app's actions and no others'. @throws {Refusal} 401, 403, 404 */
async function proven(
  c: HonoContext<Env>,
  pages: PageCache,
  id: string,
  kind: "read" | "write",
): Promise<CallerOfPage> {
  const caller = await callerOf(c.env.context, c.req.raw, pages);
  if (caller.app !== undefined && caller.app !== id) throw notFound("Action");
  if (caller.app === undefined && caller.viewer) allow(caller.viewer, "guest", `apps:${kind}`);
  return caller;
}

const send = (c: HonoContext<Env>, { headers }: CallerOfPage, answer: unknown): Response =>
  new Response(JSON.stringify(answer), {
    headers: {
      ...CORS,
      ...stamp(c.env.context.call),
      ...headers,
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
