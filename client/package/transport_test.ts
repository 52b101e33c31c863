import assert from "node:assert/strict";
import { createClient as createTyped } from "../mod.ts";
import { clientOf } from "./client.ts";
import { createTransport } from "./transport.ts";

const createPackaged = (options: { url: string }) => clientOf("[]", options);

const ENDED = { flow_process_id: crypto.randomUUID(), status: "finished", data: null };

Deno.test("transport: what has a key of its own is repeated with a token only, because the key belongs to its caller", async () => {
  const sent = async (token: string | undefined, status: number) => {
    let calls = 0;
    const fetch = () => Promise.resolve(++calls === 1 ? new Response(null, { status }) : Response.json({ ok: true }));
    const transport = createTransport({ url: "http://atrium.test", token, fetch });
    const answer = await transport.value("POST", "/x", { repeat: "keyed" }).catch(({ status }) => status);
    return [calls, answer];
  };
  assert.deepEqual(await sent("secret", 502), [2, { ok: true }]);
  assert.deepEqual(await sent(undefined, 502), [1, 502]);
  assert.deepEqual(await sent(undefined, 429), [2, { ok: true }], "refused before it began");
  const starts = async (headers: Record<string, string>) => {
    let calls = 0;
    const fetch = () => Promise.resolve(++calls === 1 ? new Response(null, { status: 502 }) : Response.json(ENDED));
    const client = clientOf("[]", { url: "http://atrium.test", headers, fetch });
    await client.action(crypto.randomUUID(), "go").catch(() => {});
    return calls;
  };
  assert.deepEqual([await starts({}), await starts({ Authorization: "Bearer secret" })], [1, 2]);
});

Deno.test("client: what is no address is refused at once", () => {
  const refused: unknown[] = [
    "foo",
    "atrium.example",
    "ftp://atrium.test",
    "http://",
    "http://a b",
    "http://a?b=1",
    undefined,
  ];
  for (const url of refused) {
    for (const create of [createTyped, createPackaged]) {
      assert.throws(() => create(Object({ url })), /^TypeError: url must be an address such as https/, `${url}`);
    }
  }
  for (const url of ["", "/", "/atrium", "http://localhost:8000/", "HTTPS://atrium.test/below"]) {
    createTyped({ url });
    createPackaged({ url });
  }
});
