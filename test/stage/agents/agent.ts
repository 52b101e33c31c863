/** Agents: clients of the SDK that call the server's handler without a port. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestServer } from "../harness.ts";

export interface Agent {
  client: Client;
  session: string;
  /** The parsed answer of a tool. @throws {Error} with the refusal */
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** The parsed refusal of a tool. @throws {Error} where it does not refuse */
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  refused(tool: string, args?: Record<string, unknown>): Promise<any>;
  close(): Promise<void>;
}

export async function connectAgent(server: TestServer, token: string, name = "test-agent"): Promise<Agent> {
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
    if (Boolean(_meta?.untrusted) !== (inner !== undefined)) throw new Error(`${tool}: the mark is missing: ${text}`);
    return { failed: isError === true, value: JSON.parse(inner ?? text) };
  };
  return {
    client,
    session: transport.sessionId ?? "",
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
