/** Answers messages with the SDK of the Model Context Protocol. Loaded by the first request. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  type CallToolRequest,
  CallToolRequestSchema,
  ErrorCode,
  type GetPromptRequest,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  type ReadResourceRequest,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Session } from "../../domains/agents/sessions.ts";
import { fieldsOf, sentenceOf } from "../../input/messages.ts";
import type { HttpContext } from "../http_context.ts";
import { callTool, TOOLS } from "./call_tool.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { getPrompt, PROMPTS } from "./prompts.ts";
import { listResources, readResource } from "./resources.ts";

/**
 * @param session undefined for `initialize`
 * @param message parsed from the request's body
 */
export async function answerMessage(
  ctx: HttpContext,
  session: Session | undefined,
  message: object,
): Promise<Response> {
  const server = createServer(ctx, session);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(ctx.call.request, { parsedBody: message });
    // The body is complete: JSON answers are made when all results are there.
    if (!response.ok) return new Response(response.body, response);
    const body = await response.text();
    // Notifications are answered without one.
    return new Response(body === "" ? null : named(body, message), response);
  } finally {
    await server.close();
  }
}

const REQUESTS = [
  InitializeRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
  ListPromptsRequestSchema,
  GetPromptRequestSchema,
];

/** The SDK answers parameters of a wrong shape as an internal error, with the issues as JSON. */
function named(body: string, message: object): string {
  const { method } = Object(message);
  const schema = REQUESTS.find(({ shape }) => shape.method.value === method);
  const issues = schema?.safeParse(message).error?.issues;
  const answer = issues && JSON.parse(body);
  if (answer?.error?.code !== ErrorCode.InternalError) return body;
  return JSON.stringify({ ...answer, error: { code: ErrorCode.InvalidParams, message: sentenceOf(fieldsOf(issues)) } });
}

function createServer(ctx: HttpContext, session: Session | undefined): Server {
  const server = new Server({ name: "atrium", version: ctx.release.version }, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: INSTRUCTIONS,
  });
  const inSession = () => {
    if (!session) throw new McpError(ErrorCode.InvalidRequest, "Send initialize first");
    return session;
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(
    CallToolRequestSchema,
    ({ params }: CallToolRequest) => callTool({ ctx, session: inSession() }, params.name, params.arguments ?? {}),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: listResources() }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }: ReadResourceRequest) => {
    const found = await readResource(uri);
    if (!found) throw new McpError(-32002, `Resource ${uri} not found`);
    return { contents: [{ uri, ...found }] };
  });
  server.setRequestHandler(
    ListPromptsRequestSchema,
    () => ({ prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt) }),
  );
  server.setRequestHandler(GetPromptRequestSchema, ({ params }: GetPromptRequest) => {
    const messages = getPrompt(params.name, params.arguments ?? {});
    if (typeof messages === "string") throw new McpError(ErrorCode.InvalidParams, messages);
    return messages;
  });
  return server;
}
