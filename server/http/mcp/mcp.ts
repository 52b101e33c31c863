/**
 * `/mcp`: the Model Context Protocol over streamable HTTP, for agents. A request is answered with JSON, without a stream.
 * Nothing of a session lives in the process: PostgreSQL has it, so every process may answer. The SDK is loaded by the
 * first request.
 */
import {
  endSession,
  findSession,
  insertSession,
  type Session,
  type TokenViewer,
} from "../../domains/agents/sessions.ts";
import { badRequest, notFound } from "../../errors.ts";
import { text } from "../../input/shapes.ts";
import { proveToken } from "../../domains/agents/program_or_person.ts";
import { emptyAnswer } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import { JSON_TYPE, type PlainRoute } from "../plain_route.ts";
import { readBody } from "../rest/body.ts";
import { z } from "zod";

const PATH = "/mcp";
const SESSION = "mcp-session-id";

const SessionId = z.uuid();
/** Without characters that are invisible or change the direction of writing: a person reads the name of the client. */
const visible = (sent: string) => sent.replace(/[\p{Cc}\p{Cf}]/gu, "").trim();
const ClientName = text(100).transform(visible).pipe(z.string().min(1)).catch("unknown");
const ClientVersion = text(100).transform(visible).catch("");

const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

export const MCP: readonly PlainRoute[] = [
  {
    method: "POST",
    path: PATH,
    name: "call_mcp",
    tag: "agents",
    summary: "Send a message of the Model Context Protocol",
    description:
      "JSON-RPC 2.0, one message a request. `initialize` begins a session, whose id is the answer's header " +
      "`Mcp-Session-Id`; every other message carries it. `Accept` must name `application/json` and " +
      "`text/event-stream`. docs/agents.md",
    callers: "viewers",
    parameters: [{
      in: "header",
      name: "Mcp-Session-Id",
      description: "The session; absent from `initialize`",
      shape: { type: "string" },
      example: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
    }],
    body: { [JSON_TYPE]: { shape: { type: "object" }, example: REQUEST } },
    replies: {
      200: {
        description: "The answer of JSON-RPC",
        content: { [JSON_TYPE]: { shape: { type: "object" }, example: { jsonrpc: "2.0", id: 1, result: {} } } },
      },
      202: { description: "A notification is taken" },
    },
    refuses: [400, 401, 403, 404, 408, 413, 415, 429, 500, 503],
    answer,
  },
  {
    method: "DELETE",
    path: PATH,
    name: "end_mcp_session",
    tag: "agents",
    summary: "End a session of the Model Context Protocol",
    description: "Its changes stay, and can be undone in the console.",
    callers: "viewers",
    replies: { 204: { description: "The session has ended" } },
    refuses: [400, 401, 403, 404, 429, 500, 503],
    async answer(ctx) {
      const viewer = await proveToken(ctx);
      await endSession(ctx.sql, await proveSession(ctx, viewer));
      return emptyAnswer(ctx.call);
    },
  },
];

async function answer(ctx: HttpContext): Promise<Response> {
  const { call, sql } = ctx;
  const viewer = await proveToken(ctx);
  const { value: message } = await readBody(call.request, false, ctx.body_deadlines) as { value: unknown };
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw badRequest("Send one message of JSON-RPC: an object");
  }
  const is_first = Object(message).method === "initialize";
  const session = is_first ? undefined : await proveSession(ctx, viewer);
  const { answerMessage } = await import("./protocol.ts");
  const response = await answerMessage(ctx, session, message);
  if (is_first && await hasResult(response)) {
    const { name, version } = Object(Object(Object(message).params).clientInfo);
    const client = { name: ClientName.parse(name), version: ClientVersion.parse(version) };
    response.headers.set(SESSION, await insertSession(sql, viewer, client));
  }
  response.headers.set("cache-control", "no-store");
  return response;
}

/** JSON-RPC answers a refusal with 200, too. */
async function hasResult(response: Response): Promise<boolean> {
  if (!response.ok) return false;
  const { result } = Object(await response.clone().json());
  return result !== undefined;
}

/** @throws {Refusal} 400 without a session; 404 for one that has ended or is another caller's: the client begins a new one */
async function proveSession({ call, sql }: HttpContext, viewer: TokenViewer): Promise<Session> {
  const id = call.request.headers.get(SESSION);
  if (id === null) throw badRequest("The header Mcp-Session-Id is needed: initialize answers with it");
  const session = SessionId.safeParse(id).success ? await findSession(sql, viewer, id.toLowerCase()) : undefined;
  if (!session) throw notFound("Session");
  return session;
}
