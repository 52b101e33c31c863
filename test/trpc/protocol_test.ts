/** Calls `/trpc` without the typed client: malformed, oversized and hostile requests. */
import assert from "node:assert/strict";
import { type Answer, type Sent, startServer, type TestServer } from "../stage/harness.ts";

function onServer(name: string, work: (server: TestServer) => Promise<void>): void {
  Deno.test(name, async () => {
    const server = await startServer();
    try {
      await work(server);
    } finally {
      await server.close();
    }
  });
}

const nested = (depth: number) => `${'{"json":'.repeat(depth)}1${"}".repeat(depth)}`;
const CREATE = "/trpc/departments.create";
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "multipart/form-data; boundary=x" };

interface Row {
  name: string;
  method?: string;
  path: string;
  sent?: Sent;
  status: number;
  code: string;
  headers?: Record<string, RegExp>;
}

const ROWS: Row[] = [
  { name: "no procedure", path: "/trpc/departments.archive", status: 404, code: "not_found" },
  { name: "a name of Object's own", path: "/trpc/constructor", status: 404, code: "not_found" },
  { name: "a prototype's name", path: "/trpc/__proto__", status: 404, code: "not_found" },
  { name: "no name", path: "/trpc/", status: 404, code: "not_found" },
  { name: "a malformed name", path: "/trpc/%E0%A4%A", status: 404, code: "not_found" },
  {
    name: "a mutation by GET",
    path: CREATE,
    status: 405,
    code: "method_not_allowed",
    headers: { allow: /POST/ },
  },
  {
    name: "a query by POST",
    method: "POST",
    path: "/trpc/departments.list",
    sent: { json: { json: {} } },
    status: 405,
    code: "method_not_allowed",
    headers: { allow: /GET/ },
  },
  {
    name: "another method",
    method: "PUT",
    path: CREATE,
    status: 405,
    code: "method_not_allowed",
    headers: { allow: /GET.*POST|POST.*GET/ },
  },
  {
    name: "no token",
    path: "/trpc/account.find",
    sent: { token: null },
    status: 401,
    code: "unauthorized",
    headers: { "www-authenticate": /^Bearer/ },
  },
  {
    name: "no token in a batch",
    path: "/trpc/account.find,teams.list?batch=1",
    sent: { token: null },
    status: 401,
    code: "unauthorized",
    headers: { "www-authenticate": /^Bearer/ },
  },
  { name: "malformed input", path: "/trpc/teams.list?input=%7B", status: 400, code: "bad_request" },
  { name: "an input that is not an object", path: "/trpc/teams.list?input=7", status: 400, code: "bad_request" },
  {
    name: "malformed JSON",
    method: "POST",
    path: CREATE,
    sent: { raw: '{"json":', headers: JSON_TYPE },
    status: 400,
    code: "bad_request",
  },
  {
    name: "superjson that names a prototype",
    method: "POST",
    path: CREATE,
    sent: {
      raw: '{"json":{"department":{"name":"x"}},"meta":{"values":{"__proto__.polluted":["Date"]}}}',
      headers: JSON_TYPE,
    },
    status: 400,
    code: "bad_request",
  },
  { name: "no body", method: "POST", path: CREATE, status: 400, code: "bad_request" },
  {
    name: "an input that is null",
    method: "POST",
    path: "/trpc/apps.replace",
    sent: { json: { json: null } },
    status: 400,
    code: "bad_request",
  },
  {
    name: "an input that is a list",
    method: "POST",
    path: CREATE,
    sent: { json: { json: [] } },
    status: 400,
    code: "bad_request",
  },
  {
    name: "a body deeper than 64 levels",
    method: "POST",
    path: CREATE,
    sent: { raw: nested(65), headers: JSON_TYPE },
    status: 400,
    code: "bad_request",
  },
  {
    name: "a body of a million levels",
    method: "POST",
    path: CREATE,
    sent: { raw: "[".repeat(1_000_000), headers: JSON_TYPE },
    status: 400,
    code: "bad_request",
  },
  {
    name: "a body beyond 2 MiB",
    method: "POST",
    path: CREATE,
    sent: { raw: " ".repeat(2 * 1024 * 1024 + 1), headers: JSON_TYPE },
    status: 413,
    code: "payload_too_large",
  },
  {
    name: "input that superjson did not make",
    path: "/trpc/teams.list?batch=1&input=" + encodeURIComponent('{"0":null}'),
    status: 400,
    code: "bad_request",
  },
  {
    name: "a stream",
    path: "/trpc/account.find?batch=1",
    sent: { headers: { "trpc-accept": "application/jsonl" } },
    status: 400,
    code: "bad_request",
  },
  {
    name: "text",
    method: "POST",
    path: CREATE,
    sent: { raw: "name=x", headers: { "content-type": "text/plain" } },
    status: 415,
    code: "unsupported_media_type",
  },
  {
    name: "bytes",
    method: "POST",
    path: CREATE,
    sent: { raw: "x", headers: { "content-type": "application/octet-stream" } },
    status: 415,
    code: "unsupported_media_type",
  },
  {
    name: "a malformed form",
    method: "POST",
    path: CREATE,
    sent: { raw: "--x\r\nnonsense", headers: { "content-type": "multipart/form-data; boundary=x" } },
    status: 400,
    code: "bad_request",
  },
  {
    name: "more calls than a batch may hold",
    path: `/trpc/${Array(51).fill("account.find").join(",")}?batch=1`,
    status: 400,
    code: "bad_request",
  },
];

/** The REST body, which a tRPC error carries in `data.body`. */
function bodyOf({ body }: Answer) {
  const [first] = Array.isArray(body) ? body : [body];
  return first.error.json?.data.body ?? first;
}

onServer("trpc: what is refused, and how", async ({ request, logged }) => {
  for (const { name, method = "GET", path, sent, status, code, headers = {} } of ROWS) {
    const answer = await request(method, path, sent);
    assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
    assert.equal(bodyOf(answer).code, code, name);
    assert.match(answer.headers.get("x-request-id") ?? "", /^\S+$/, name);
    for (const [header, value] of Object.entries(headers)) assert.match(answer.headers.get(header) ?? "", value, name);
  }
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  assert.deepEqual(logged.filter((line) => JSON.parse(line).level === "error"), []);
});

onServer("trpc: a stranger's body is not read", async ({ handler, base_url }) => {
  for (const headers of [JSON_TYPE, FORM_TYPE]) {
    let pulls = 0;
    const body = new ReadableStream({ pull: ({ enqueue }) => (pulls++, enqueue(new Uint8Array(1))) }, {
      highWaterMark: 0,
    });
    const request = new Request(`${base_url}${CREATE}`, { method: "POST", headers, body });
    const text = await (await handler(request)).text();
    assert.match(text, /"code":"unauthorized"/, headers["content-type"]);
    assert.equal(pulls, 0, headers["content-type"]);
  }
});

onServer("trpc: a page of another origin may call with a token", async ({ request }) => {
  const preflight = await request("OPTIONS", CREATE, {
    token: null,
    headers: { origin: "https://other.test", "access-control-request-method": "POST" },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /POST/);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization, content-type/);
  const answer = await request("GET", "/trpc/account.find", { headers: { origin: "https://other.test" } });
  assert.deepEqual([answer.status, answer.headers.get("access-control-allow-origin")], [200, "*"]);
  assert.equal(answer.headers.get("access-control-allow-credentials"), null);
  assert.equal(answer.headers.get("cache-control"), "no-store");
});

onServer("trpc: a batch of mixed answers is 207, each in its place", async ({ request }) => {
  const { status, body } = await request(
    "GET",
    "/trpc/account.find,departments.find?batch=1&input=" +
      encodeURIComponent('{"1":{"json":{"id":9}}}'),
  );
  assert.equal(status, 207);
  assert.equal(body[0].result.data.json.name, "Main account");
  assert.equal(body[1].error.json.data.httpStatus, 404);
});
