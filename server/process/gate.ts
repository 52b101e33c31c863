/**
 * Lets a stopping process finish its requests and refuse new ones. `server.shutdown()` alone would cut off request
 * bodies that clients are still sending.
 */
export interface Gate {
  handler: (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;
  /** Refuses new requests from now on. @returns resolves when no request is left whose body may still be arriving */
  close(): Promise<void>;
}

type Handler = (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;

export function createGate(handler: Handler): Gate {
  let inside = 0;
  const empty = Promise.withResolvers<void>();
  let closed = false;

  const counted = async (request: Request, info?: Deno.ServeHandlerInfo) => {
    inside++;
    try {
      return await handler(request, info);
    } finally {
      inside--;
      if (closed && inside === 0) empty.resolve();
    }
  };

  return {
    handler(request, info) {
      if (closed) return stopping();
      // What has no body is finished by the server's own shutdown.
      return request.method === "GET" || request.method === "HEAD" ? handler(request, info) : counted(request, info);
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
