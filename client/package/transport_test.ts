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

Deno.test("client: a call by url_code that is ended does not end another, and ids are found in any spelling", async () => {
  const id = "0193A5C8-7A40-7C3E-9A43-6F0C2A9D1E55";
  const asked: string[] = [];
  const fetch = (address: string, { signal }: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      asked.push(new URL(address).pathname);
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason));
      setTimeout(
        () => resolve(Response.json(address.includes("/action/") ? ENDED : [{ id, url_code: "weather" }])),
        20,
      );
    });
  const client = clientOf("[]", { url: "http://atrium.test", token: "secret", fetch });
  const first = new AbortController();
  const calls = [client.action("weather", "now", {}, { signal: first.signal }), client.action("weather", "now")];
  first.abort(new Error("left"));
  const [ended, answered] = await Promise.allSettled(calls);
  assert.deepEqual([ended?.status, answered?.status], ["rejected", "fulfilled"]);
  asked.length = 0;
  await client.action("weather", "now");
  await client.action(id, "now");
  assert.deepEqual(asked, Array(2).fill(`/platform/apps/${id}/action/now`), "neither is searched for");
});

Deno.test("client: an app is found behind the first page of the search for its url_code", async () => {
  const page = (count: number, url_code: string) => Array.from({ length: count }, (_, n) => ({ id: `${n}`, url_code }));
  const fetch = (address: string) => {
    const { pathname, searchParams } = new URL(address);
    if (pathname.includes("/action/")) return Promise.resolve(Response.json(ENDED));
    return Promise.resolve(Response.json(searchParams.get("page") === "2" ? page(1, "a") : page(500, "ab")));
  };
  const client = clientOf("[]", { url: "http://atrium.test", token: "secret", fetch });
  assert.equal(await client.action("a", "now"), null);
  await assert.rejects(client.action("b", "now"), /There is no app with the url_code b/);
});
