/** A server whose base URL is the address on which it listens, as browsers need it. */
import { startServer, type TestServer } from "../harness.ts";

export interface PortServer extends AsyncDisposable {
  url: string;
  server: TestServer;
}

/** @param environmentOf further environment variables for a port */
export async function serveOnPort(
  environmentOf = (_port: number): Record<string, string> => ({}),
): Promise<PortServer> {
  const started: { server?: TestServer } = {};
  const listener = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => started.server?.handler(request) ?? new Response(null, { status: 503 }),
  );
  const { port } = listener.addr;
  const url = `http://127.0.0.1:${port}`;
  const server = started.server = await startServer({ ...environmentOf(port), BASE_URL: url });
  return {
    url,
    server,
    async [Symbol.asyncDispose]() {
      server.endStreams();
      await listener.shutdown();
      await server.close();
    },
  };
}
