/** The kernel takes ports for outgoing connections and for servers on port 0 from above this range. */
const LOWEST = 12_000;
const HIGHEST = 32_000;

/**
 * A port of 127.0.0.1 on which nothing listens now. It is random and outside the kernel's ephemeral range, because some
 * time passes until the caller listens on it.
 */
export function freePort(): number {
  for (;;) {
    const port = LOWEST + Math.floor((HIGHEST - LOWEST) * Math.random());
    try {
      using _listener = Deno.listen({ hostname: "127.0.0.1", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
