/** Attacks that once succeeded. Each must be answered, and the server must answer the next request. */
import { equal, match, ok } from "node:assert/strict";
import { ADMIN_TOKEN, startServer, type TestServer } from "../../stage/harness.ts";

const shared: { server?: TestServer } = {};
Deno.test.beforeAll(async () => void (shared.server = await startServer()));
Deno.test.afterAll(() => shared.server?.close());

/** All attacks are on one server, so that it must also answer the requests after them. */
async function with_server(work: (server: TestServer) => Promise<void>): Promise<void> {
  const { server } = shared;
  if (!server) throw new Error("the server has not started");
  await work(server);
  equal((await server.request("GET", "/healthz")).status, 200);
}

// The sanitizers would report the server's own timers and connections as leaks of each test.
const attack = (name: string, work: () => Promise<void>) =>
  Deno.test(name, { sanitizeOps: false, sanitizeResources: false }, work);

const app = (fields: Record<string, unknown>) => ({
  json: { app: { name: "Hostile", app_engine: "js", css_engine: "none", source_code: "1", ...fields } },
});

attack("values that superjson shares do not multiply", () =>
  with_server(async (server) => {
    const depth = 30;
    const fields = Object.fromEntries(Array.from({ length: depth }, (_, n) => [`l${n}`, { p: 0, q: 0 }]));
    const referentialEqualities = Object.fromEntries(
      Array.from(
        { length: depth - 1 },
        (_, n) => [`app.fields.l${n}`, [`app.fields.l${n + 1}.p`, `app.fields.l${n + 1}.q`]],
      ),
    );
    const { status } = await server.request("POST", "/trpc/apps.create", {
      json: { json: app({ fields }).json, meta: { referentialEqualities } },
    });
    equal(status, 200);
  }));

attack("comments before a doctype are read in one way only", () =>
  with_server(async (server) => {
    const source_code = "<!---->".repeat(20_000);
    const made = await server.request("POST", "/platform/apps.json", {
      ...app({ app_engine: "html", source_code, public: true, url_code: "comments" }),
    });
    equal(made.status, 201);
    equal((await server.request("GET", "/a/comments", { token: null })).status, 200);
  }));

attack("replace: a result beyond the limit is refused before it is built", () =>
  with_server(async (server) => {
    const { body } = await server.request("POST", "/platform/apps.json", app({ prompt: "a".repeat(2_600) }));
    const { status, body: refused } = await server.request("PATCH", `/platform/apps/${body.id}/replace.json`, {
      json: { field: "prompt", old: "a", new: "b".repeat(199_999), replace_all: true },
    });
    equal(status, 422);
    ok(refused.prompt);
  }));

attack("replace: fields nested deeper than a body may be are refused", () =>
  with_server(async (server) => {
    const { body } = await server.request("POST", "/platform/apps.json", app({ fields: { a: 1 } }));
    for (const depth of [65, 2_000, 60_000]) {
      const { status, body: refused } = await server.request("PATCH", `/platform/apps/${body.id}/replace.json`, {
        json: { field: "fields", old: '"a": 1', new: `"a": ${"[".repeat(depth)}${"]".repeat(depth)}` },
      });
      equal(status, 422);
      ok(refused.fields);
    }
  }));

attack("fields that lists carry are bounded", () =>
  with_server(async (server) => {
    const { status, body } = await server.request(
      "POST",
      "/platform/apps.json",
      app({ fields: { a: "x".repeat(70_000) } }),
    );
    equal(status, 422);
    match(body.fields[0], /too long/);
  }));

attack("tokens: a token makes none that outlives it, and none without an end", () =>
  with_server(async (server) => {
    const token = { name: "day", scopes: ["tokens:write", "apps:read"], expires_at: "2090-01-01T00:00:00Z" };
    const day = await server.request("POST", "/account/tokens.json", { json: { token } });
    equal(day.status, 201);
    const make = (fields: Record<string, unknown>) =>
      server.request("POST", "/account/tokens.json", {
        token: day.body.token,
        json: { token: { name: "made", scopes: ["apps:read"], ...fields } },
      });
    equal((await make({ expires_at: "2090-01-01T00:00:01Z" })).status, 403);
    const made = await make({});
    equal(made.status, 201);
    equal(made.body.expires_at, "2090-01-01T00:00:00.000+00:00");
  }));

attack("tokens: an end beyond the year 9999 is refused before anything is made", () =>
  with_server(async (server) => {
    const count = async () => (await server.request("GET", "/account/tokens.json")).body.length;
    const before = await count();
    const { status, body } = await server.request("POST", "/account/tokens.json", {
      json: { token: { name: "far", expires_at: "9999-12-31T23:59:59-01:00" } },
    });
    equal(status, 422);
    ok(body.expires_at);
    equal(await count(), before);
  }));

attack("a form of very many fields is refused before it is parsed", () =>
  with_server(async (server) => {
    const part = (n: number) => `--b\r\nContent-Disposition: form-data; name="department[k${n}]"\r\n\r\nx\r\n`;
    const raw = Array.from({ length: 40_000 }, (_, n) => part(n)).join("") + "--b--\r\n";
    const { status } = await server.request("POST", "/account/departments.json", {
      raw,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    equal(status, 400);
  }));

attack("HEAD has the Content-Length of GET", () =>
  with_server(async (server) => {
    await server.request("POST", "/platform/apps.json", app({ public: true, url_code: "length" }));
    const base = server.listen();
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "accept-encoding": "identity" };
    for (const path of ["/healthz", "/account/departments.json", "/a/length"]) {
      const got = await (await fetch(base + path, { headers })).text();
      const head = await fetch(base + path, { method: "HEAD", headers });
      equal(Number(head.headers.get("content-length")), got.length, path);
    }
  }));

attack("a path has one spelling", () =>
  with_server(async (server) => {
    const department = { name: "One" };
    const { body } = await server.request("POST", "/account/departments.json", { json: { department } });
    equal(body.id, 1);
    const statusOf = async (name: string) => (await server.request("GET", `/account/departments/${name}`)).status;
    equal(await statusOf("1.json"), 200);
    for (const name of ["01.json", "1.0.json", "1%2ejson", "1", "-1.json", "1e0.json"]) {
      equal(await statusOf(name), 404, name);
    }
  }));

attack("a Host that is none breaks nothing", () =>
  with_server(async (server) => {
    const { hostname, port } = new URL(server.listen());
    for (const path of ["/account/departments.json", "/trpc/account.find", "/a/none"]) {
      using connection = await Deno.connect({ hostname, port: Number(port) });
      const lines = [
        `GET ${path} HTTP/1.1`,
        "Host: h:99999",
        `Authorization: Bearer ${ADMIN_TOKEN}`,
        "Connection: close",
      ];
      await connection.write(new TextEncoder().encode(lines.join("\r\n") + "\r\n\r\n"));
      const answer = await new Response(connection.readable).text();
      match(answer, /^HTTP\/1\.1 [24]\d\d/, path);
    }
  }));
