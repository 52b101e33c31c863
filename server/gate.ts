/**
 * The gate that a stopping process closes: who is inside is finished, who comes is sent away. `server.shutdown()` alone
 * would break off the bodies that clients are still sending.
 */
export interface Gate {
  handler: (request: Request) => Response | Promise<Response>;
  /** Sends newcomers away from now on. @returns once nobody is inside whose body might still be on its way */
  close(): Promise<void>;
}

export function createGate(handler: (request: Request) => Promise<Response>): Gate {
  let inside = 0;
  const empty = Promise.withResolvers<void>();
  let closed = false;

  const counted = async (request: Request) => {
    inside++;
    try {
      return await handler(request);
    } finally {
      inside--;
      if (closed && inside === 0) empty.resolve();
    }
  };

  return {
    handler(request) {
      if (closed) return stopping();
      // What has no body is finished by the server's own shutdown.
      return request.method === "GET" || request.method === "HEAD" ? handler(request) : counted(request);
    },
    close() {
      closed = true;
      if (inside === 0) empty.resolve();
      return empty.promise;
    },
  };
}

const stopping = () =>
  Response.json({ error: "The server is stopping", code: "unavailable" }, {
    status: 503,
    headers: { "retry-after": "1", connection: "close" },
  });
