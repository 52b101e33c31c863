/** A TCP proxy in front of a database, for tests in which the database is unreachable or does not answer. */

export interface Proxy extends AsyncDisposable {
  port: number;
  /** Cuts every connection and refuses new ones. */
  leave(): Promise<void>;
  /** Takes connections again, on the same port. */
  comeBack(): void;
  /** Takes connections and passes nothing on, as a host that hangs. */
  freeze(): void;
  thaw(): void;
  /** How many chunks have arrived since it froze. */
  held(): number;
}

export function openProxy(hostname: string, port: number): Proxy {
  const open = new Set<Deno.TcpConn>();
  let listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const own = listener.addr.port;
  const passing = new Set<Promise<void>>();
  let held = 0;
  let is_frozen = false;
  let thawed = Promise.resolve();
  let thaw = () => {};

  const pass = async (from: Deno.TcpConn, to: Deno.TcpConn) => {
    const buffer = new Uint8Array(65_536);
    try {
      for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
        if (is_frozen) held++;
        await thawed;
        let rest = buffer.subarray(0, read);
        while (rest.length > 0) rest = rest.subarray(await to.write(rest));
      }
    } catch {
      // Cut, by either side or by leave().
    }
    for (const side of [from, to]) if (open.delete(side)) side.close();
  };

  const accept = async (current: Deno.TcpListener) => {
    for await (const client of current) {
      const server = await Deno.connect({ hostname, port });
      open.add(client).add(server);
      for (const passes of [pass(client, server), pass(server, client)]) {
        passing.add(passes);
        void passes.finally(() => passing.delete(passes));
      }
    }
  };
  let accepting = accept(listener);

  const leave = async () => {
    listener.close();
    await accepting;
    for (const side of open) if (open.delete(side)) side.close();
  };
  return {
    port: own,
    leave,
    comeBack() {
      listener = Deno.listen({ hostname: "127.0.0.1", port: own });
      accepting = accept(listener);
    },
    freeze() {
      [is_frozen, held] = [true, 0];
      const { promise, resolve } = Promise.withResolvers<void>();
      [thawed, thaw] = [promise, resolve];
    },
    thaw() {
      is_frozen = false;
      thaw();
    },
    held: () => held,
    async [Symbol.asyncDispose]() {
      thaw();
      await leave().catch(() => {});
      await Promise.all(passing);
    },
  };
}
