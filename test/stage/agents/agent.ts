/** Agents: clients of the SDK that call the server's handler without a port. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestServer } from "../harness.ts";
import { addSession } from "../people.ts";

export interface Agent {
  client: Client;
  session: string;
  /** The parsed answer of a tool. @throws {Error} with the refusal */
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** The parsed answer or refusal of a tool. */
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  outcome(tool: string, args?: Record<string, unknown>): Promise<{ failed: boolean; untrusted: boolean; value: any }>;
  /** The parsed refusal of a tool. @throws {Error} where it does not refuse */
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  refused(tool: string, args?: Record<string, unknown>): Promise<any>;
  close(): Promise<void>;
}

export async function connectAgent(
  server: Pick<TestServer, "base_url" | "handler">,
  token: string,
  name = "test-agent",
): Promise<Agent> {
  const client = new Client({ name, version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.base_url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: (url: string | URL, init?: RequestInit) => server.handler(new Request(url, init)),
  });
  await client.connect(transport);
  const ask = async (tool: string, args: Record<string, unknown> = {}) => {
    const { content, isError, _meta } = await client.callTool({ name: tool, arguments: args });
    const [{ text = "" } = {}] = content as { text?: string }[];
    const inner = /<(UNTRUSTED-\w+)>\n([^]*)\n<\/\1>$/.exec(text)?.[2];
    const untrusted = inner !== undefined;
    if (Boolean(_meta?.untrusted) !== untrusted) throw new Error(`${tool}: the mark is missing: ${text}`);
    // A guide is no JSON.
    const value = args.kind === "doc" && !isError ? text : JSON.parse(inner ?? text);
    return { failed: isError === true, untrusted, value };
  };
  return {
    client,
    session: transport.sessionId ?? "",
    outcome: ask,
    async call(tool, args) {
      const { failed, value } = await ask(tool, args);
      if (failed) throw new Error(`${tool}: ${JSON.stringify(value)}`);
      return value;
    },
    async refused(tool, args) {
      const { failed, value } = await ask(tool, args);
      if (!failed) throw new Error(`${tool} was not refused: ${JSON.stringify(value)}`);
      return value;
    },
    async close() {
      await transport.terminateSession();
      await client.close();
    },
  };
}

/** Answers a confirmation as a person in the console. */
export async function answer(server: TestServer, user_id: number, id: string, accept: boolean) {
  const { cookie } = await addSession(server, user_id);
  return await server.request("POST", `/account/agent_confirmations/${id}.json`, {
    token: null,
    json: { accept },
    headers: { cookie, "sec-fetch-site": "same-origin" },
  });
}
