/** A server whose base URL is the address on which it listens, as browsers need it. */
import { startServer, type TestServer } from "../harness.ts";

export interface PortServer extends AsyncDisposable {
  url: string;
  server: TestServer;
}

/** @param environment further environment variables */
export async function serveOnPort(environment: Record<string, string> = {}): Promise<PortServer> {
  const started: { server?: TestServer } = {};
  const listener = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => started.server?.handler(request) ?? new Response(null, { status: 503 }),
  );
  const url = `http://127.0.0.1:${listener.addr.port}`;
  const server = started.server = await startServer({ ...environment, BASE_URL: url });
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
