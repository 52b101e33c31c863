/** SIGTERM and SIGINT: what is in flight is finished, nothing holds the process longer than 5 s. */
import assert from "node:assert/strict";
import { ask, eventually, launch, newPlace, type Process, stop } from "../stage/launch.ts";

const TOKEN = "token-of-the-stop-tests";
const BODY = JSON.stringify({ department: { name: "Slowly sent" } });

/**
 * A request on a connection of its own, whose body stops in the middle. It waits for `100 Continue`, which a server
 * says when it begins to read the body: only then is the request certainly in flight.
 */
async function beginRequest({ port }: Process) {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const send = async (text: string) => {
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
  };
  await send(
    "POST /account/departments.json HTTP/1.1\r\nhost: atrium.test\r\ncontent-type: application/json\r\n" +
      `authorization: Bearer ${TOKEN}\r\ncontent-length: ${BODY.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const said = new Uint8Array(1000);
  const length = await connection.read(said) ?? 0;
  assert.equal(new TextDecoder().decode(said.subarray(0, length)), "HTTP/1.1 100 Continue\r\n\r\n");
  await send(BODY.slice(0, 10));
  return {
    finish: () => send(BODY.slice(10)),
    /** Everything that comes back, until the server closes. */
    async answer() {
      const chunks: string[] = [];
      try {
        for await (const text of connection.readable.pipeThrough(new TextDecoderStream())) chunks.push(text);
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
      }
      return chunks.join("");
    },
  };
}

/** Whether a new request is sent away, or not even let in. */
async function isClosed({ url }: Process): Promise<boolean> {
  try {
    return (await ask(`${url}/healthz`)).status === 503;
  } catch (error) {
    if (error instanceof TypeError) return true;
    throw error;
  }
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`stop: on ${signal} a request in flight is finished, new ones are refused, and it ends with 0`, async () => {
    await using place = await newPlace();
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
    // An open app makes the process listen for changes; an idle connection stays open beside it.
    assert.equal((await ask(`${process.url}/a/nothing`)).status, 404);
    const request = await beginRequest(process);
    const answer = request.answer();
    assert.equal((await ask(`${process.url}/healthz`)).status, 200, "it serves meanwhile");
    const ending = stop(process, signal);
    await eventually(() => isClosed(process), "it takes nothing new", 2_000);
    await request.finish();
    const text = await answer;
    assert.match(text, /^HTTP\/1\.1 201 /);
    assert.match(text, /"name":"Slowly sent"/);
    const { code, ms, stderr } = await ending;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(ms < 5_000, `${ms} ms`);
    assert.ok(process.logged().some(({ event, status }) => event === "request" && status === 201), "it was logged");
  });
}

Deno.test("stop: without anything in flight it ends at once, whatever idle connections are left", async () => {
  await using place = await newPlace();
  await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
  using _idle = await Deno.connect({ hostname: "127.0.0.1", port: process.port });
  assert.equal((await ask(`${process.url}/readyz`)).status, 200);
  const { code, ms } = await stop(process);
  assert.equal(code, 0);
  assert.ok(ms < 2_500, `${ms} ms`);
});

Deno.test("stop: a request that never ends holds the process for less than 5 s; a second signal changes nothing", async () => {
  await using place = await newPlace();
  await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
  const request = await beginRequest(process);
  const answer = request.answer();
  assert.equal((await ask(`${process.url}/healthz`)).status, 200, "it serves meanwhile");
  const ending = stop(process);
  await eventually(() => isClosed(process), "it takes nothing new", 2_000);
  process.kill("SIGTERM");
  process.kill("SIGINT");
  const { code, ms } = await ending;
  assert.equal(code, 0);
  assert.ok(ms < 5_000, `${ms} ms`);
  assert.doesNotMatch(await answer, /^HTTP\/1\.1 2/);
});
