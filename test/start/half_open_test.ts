/** Connections that never send a request. What the limits are: server/process/guarded_server_test.ts. */
import assert from "node:assert/strict";
import { ask, launch, newPlace, stop } from "../stage/launch.ts";

Deno.test("half-open: a connection that sends half a request head is closed by the server", async () => {
  await using place = await newPlace();
  await using process = await launch({ ...place.environment, ADMIN_TOKEN: "token-of-the-half-open-test" });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: process.port });
  await connection.write(new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: "));
  assert.equal((await ask(`${process.url}/healthz`)).status, 200);
  assert.equal(await connection.read(new Uint8Array(100)).catch(() => null), null);
  assert.equal((await ask(`${process.url}/healthz`)).status, 200);
  assert.equal((await stop(process)).code, 0);
});
