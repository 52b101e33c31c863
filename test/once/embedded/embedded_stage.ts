/** What the tests of the embedded database share: an empty database, a pool, and a client without a driver. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import postgres from "postgres";
import { type Embedded, openEmbedded } from "../../../db/embedded/embedded.ts";
import { message, messagesOf } from "../../../db/embedded/wire/wire.ts";
import { surviveLostConnections } from "../../../server/database/connection/connection_loss.ts";
import { createLog } from "../../../server/log.ts";

// The driver may write to a connection just after it closed. No caller can catch that error, so it is caught here, as in
// the server.
surviveLostConnections(createLog(() => {}));

/** An empty database, created once. Loading it is five times faster than creating it. */
const EMPTY = await (async () => {
  const embedded = await openEmbedded({ folder: null });
  const dump = await embedded.dump();
  await embedded.close();
  return dump;
})();

export function pool(embedded: Embedded, more: postgres.Options<Record<never, never>> = {}) {
  // The driver's types lack its `socket` option.
  const options = { socket: embedded.socket, max: 4, onnotice: () => {}, ...more };
  return postgres(options);
}

/** A test with an empty database in memory and a pool of four connections. Neither may leak. */
export function test(
  name: string,
  work: (sql: postgres.Sql, embedded: Embedded) => Promise<void>,
  lock_wait_ms?: number,
) {
  Deno.test({
    name,
    sanitizeOps: true,
    sanitizeResources: true,
    sanitizeExit: true,
    async fn() {
      const embedded = await openEmbedded({ folder: null, load: EMPTY, lock_wait_ms });
      const sql = pool(embedded);
      try {
        await work(sql, embedded);
      } finally {
        await sql.end({ timeout: 1 });
        await embedded.close();
      }
    },
  });
}

export const code = (expected: string) => (error: unknown) =>
  error instanceof postgres.PostgresError && error.code === expected ||
  assert.fail(`${expected} expected, but: ${error}`);

const STARTUP = message("-", Buffer.from([0, 3, 0, 0]), "user\0me\0\0").subarray(1);
export const step = (name: string, sql: string) =>
  Buffer.concat([
    message("P", `${name}\0${sql}\0`, Buffer.alloc(2)),
    message("B", `\0${name}\0`, Buffer.alloc(6)),
    message("E", "\0", Buffer.alloc(4)),
  ]);

/** A client without a driver, after its startup. */
export async function bareClient(embedded: Embedded) {
  const socket = embedded.socket();
  const ask = async (...messages: Buffer[]): Promise<Buffer> => {
    socket.write(Buffer.concat(messages));
    const [answer] = await once(socket, "data");
    return answer;
  };
  return { socket, ask, welcome: await ask(STARTUP) };
}

export const types = (bytes: Buffer) => [...messagesOf(bytes)].map(([type = 0]) => String.fromCharCode(type)).join("");
