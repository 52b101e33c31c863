/** A request whose body stops in the middle, for tests of what is in flight. */
import assert from "node:assert/strict";

export interface SlowRequest {
  finish(): Promise<void>;
  /** Everything that the server sends until it closes the connection. */
  answer(): Promise<string>;
}

/**
 * Sends the beginning of `POST /account/departments.json` on a connection of its own, with `Expect: 100-continue`. The
 * server answers that expectation when it begins to read the body: from then on the request is in flight.
 */
export async function beginRequest(port: number, token: string, name: string): Promise<SlowRequest> {
  const body = JSON.stringify({ department: { name } });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const send = async (text: string) => {
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
  };
  await send(
    "POST /account/departments.json HTTP/1.1\r\nhost: atrium.test\r\ncontent-type: application/json\r\n" +
      `authorization: Bearer ${token}\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const bytes = new Uint8Array(1000);
  const length = await connection.read(bytes) ?? 0;
  assert.equal(new TextDecoder().decode(bytes.subarray(0, length)), "HTTP/1.1 100 Continue\r\n\r\n");
  await send(body.slice(0, 10));
  return {
    finish: () => send(body.slice(10)),
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
