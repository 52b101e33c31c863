/** Request bodies: kinds, sizes, depth and time, and that a body is read only after authentication. */
import assert from "node:assert/strict";
import { readBytes } from "../../../server/http/rest/body.ts";
import { createBodyDeadlines } from "../../../server/http/rest/body_deadlines.ts";
import { Refusal } from "../../../server/errors.ts";
import { ADMIN_TOKEN, type TestServer } from "../../stage/harness.ts";
import { addressOf, ROUTES } from "../../stage/addresses.ts";
import { made } from "../../stage/people.ts";
import { inTurn, onOwnServer, prove, type Scenario, testBeside } from "../../stage/scenario.ts";

const inAccount = onOwnServer();

const ALL = "/account/departments.json";
const MiB = 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json" };

const post = (name: string, raw: BodyInit, status: number, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  method: "POST",
  path: ALL,
  sent: { raw, headers: JSON_TYPE },
  status,
  ...rest,
});

/** @param depth of the whole body */
const nested = (depth: number) =>
  `{"department":{"name":"Deep ${depth}","x":${"[".repeat(depth - 2)}${"]".repeat(depth - 2)}}}`;

inAccount("bodies: malformed JSON is 400", async ({ ask, play }) => {
  await play([
    ...[
      "",
      " ",
      "{",
      "{}}",
      "nothing",
      "{'department':{}}",
      '{"department":{"name":"x"}',
      "{,}",
      '{"a":NaN}',
      "\0",
      "<xml/>",
    ]
      .map((raw) => post(`not JSON: ${JSON.stringify(raw)}`, raw, 400)),
    ...["[]", "null", "1", '"text"', "true", '[{"department":{"name":"x"}}]'].map((raw) =>
      post(`not an object: ${raw}`, raw, 400)
    ),
    ...[
      "{}",
      '{"name":"x"}',
      '{"Department":{"name":"x"}}',
      '{"department":null}',
      '{"department":[]}',
      '{"department":"x"}',
      '{"department":1}',
    ].map((raw) => post(`without its wrapper: ${raw}`, raw, 400)),
    post(
      "bad UTF-8",
      new Uint8Array([...new TextEncoder().encode('{"department":{"name":"'), 0xff, 0xfe, 0x22, 0x7d, 0x7d]),
      400,
    ),
    post("UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 400),
    post("nested 64 levels deep, which is the limit", nested(64), 201),
    post("nested 65 levels deep", nested(65), 400),
    post("nested a million levels deep", nested(500_000), 400),
    post("a million brackets that are not closed", "[".repeat(1_000_000), 400),
    post("a million braces that are not closed", '{"a":'.repeat(200_000), 400),
    post(
      "brackets inside of a text are no depth",
      `{"department":{"name":"Text","description":"${"[".repeat(1000)}\\"${"{".repeat(1000)}"}}`,
      201,
    ),
    post("white space around it", ' \n\t{"department":{"name":"Spaced"}}\r\n', 201),
  ]);
  assert.equal((await ask("GET", ALL)).body.length, 3, "what is refused makes nothing");
});

inAccount("bodies: kinds", async ({ play }) => {
  const body = (name: string) => JSON.stringify({ department: { name } });
  const kind = (type: string | undefined, status: number): Scenario => ({
    name: `${type ?? "no content type"} is ${status}`,
    method: "POST",
    path: ALL,
    // The runtime sets no content type for a body of bytes.
    sent: {
      raw: new TextEncoder().encode(body(crypto.randomUUID())),
      ...(type !== undefined && { headers: { "content-type": type } }),
    },
    status,
  });
  await play([
    kind("application/json", 201),
    kind("application/json; charset=utf-8", 201),
    kind("application/json;charset=UTF-8", 201),
    kind('application/json; charset="utf-8"', 201),
    kind("APPLICATION/JSON", 201),
    kind("application/json; charset=latin1", 415),
    kind("application/json-patch+json", 415),
    kind("application/jsonx", 415),
    kind("text/json", 415),
    kind("text/plain", 415),
    kind("application/x-www-form-urlencoded", 415),
    kind("application/octet-stream", 415),
    kind("", 415),
    kind(undefined, 415),
    {
      name: "multipart where no file is taken is 415",
      method: "POST",
      path: "/account/teams.json",
      sent: { form: new FormData() },
      status: 415,
    },
  ]);
});

const BOUNDARY = "xxBOUNDARYxx";
const part = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

inAccount("bodies: multipart", async ({ ask, play }) => {
  const multipart = (
    name: string,
    raw: BodyInit,
    status: number,
    type = `multipart/form-data; boundary=${BOUNDARY}`,
  ): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: { raw, headers: { "content-type": type } },
    status,
  });
  const end = `--${BOUNDARY}--\r\n`;
  const good = part("department[name]", "Form");
  await play([
    multipart("a form", good + end, 201),
    multipart("an empty body", "", 400),
    multipart("no boundary", good + end, 400, "multipart/form-data; charset=utf-8"),
    multipart("no parameters", good + end, 415, "multipart/form-data"),
    multipart("another boundary", good + end, 400, "multipart/form-data; boundary=other"),
    multipart("cut off in a header", good.slice(0, 40), 400),
    multipart("a part without a name", `--${BOUNDARY}\r\n\r\nx\r\n${end}`, 400),
    multipart("nonsense", "nonsense", 400),
    multipart("binary nonsense", crypto.getRandomValues(new Uint8Array(5000)), 400),
    multipart("without the wrapper", part("name", "x") + end, 400),
    multipart("the wrapper as a text", part("department", "x") + end, 400),
    multipart("a field as text and as object", part("department", "x") + good + end, 400),
    multipart("a field as list and as object", part("department[]", "x") + good + end, 400),
    multipart("a malformed field name", good + part("department[phone", "1") + end, 400),
    multipart(
      "__proto__ as a field name",
      part("department[name]", "Proto") + part("department[__proto__][phone]", "1") + part("__proto__[polluted]", "1") +
        end,
      201,
    ),
  ]);
  assert.equal(Reflect.get({}, "polluted"), undefined);
  const faults = part("department[name]", "a\0b") + part("department[phone]", "1") + end;
  const refused = await ask("POST", ALL, {
    raw: faults,
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
  });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [422, ["name"]], "NUL in a form");
});

/** A body that counts how much of it was read. */
function watched(chunk: Uint8Array, chunks: number) {
  const seen = { chunks: 0, cancelled: false };
  const body = new ReadableStream({
    pull(controller) {
      if (seen.chunks++ < chunks) controller.enqueue(chunk);
      else controller.close();
    },
    cancel: () => void (seen.cancelled = true),
  }, { highWaterMark: 0 });
  return { body, seen };
}

/** Calls the handler directly, because the harness sends no content length and no streams. */
async function send(
  { handler, base_url }: TestServer,
  path: string,
  body: BodyInit | null,
  headers: Record<string, string>,
) {
  const method = path.includes("/1") ? "PATCH" : "POST";
  const response = await handler(new Request(base_url + path, { method, body, headers: { ...JSON_TYPE, ...headers } }));
  const answer = { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  prove(method, path, answer);
  return answer;
}

const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };

inAccount("bodies: 2 MiB of JSON, 6 MiB of a form", async ({ server, play }) => {
  const sized = (size: number) => {
    const start = `{"department":{"name":"Sized ${size}","x":"`;
    return `${start}${"x".repeat(size - start.length - 3)}"}}`;
  };
  await play([
    post("2 MiB to the byte", sized(2 * MiB), 201),
    post("one byte more is 413", sized(2 * MiB + 1), 413),
  ]);
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  const announced = watched(chunk, 1000);
  const early = await send(server, ALL, announced.body, { ...ADMIN, "content-length": `${64 * MiB}` });
  assert.equal(early.status, 413);
  assert.equal(announced.seen.chunks, 0, "refused before it is read");
  const chunked = watched(chunk, 1000);
  assert.equal((await send(server, ALL, chunked.body, ADMIN)).status, 413);
  // 6 MiB as sent: escapes do not count as what they are written with.
  assert.ok(chunked.seen.chunks <= 104, `read ${chunked.seen.chunks} of 1,000 pieces where 97 are the limit`);
  const form = watched(chunk, 1000);
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  assert.equal((await send(server, ALL, form.body, { ...ADMIN, "content-type": type })).status, 413);
  assert.ok(form.seen.chunks > 64 && form.seen.chunks <= 105, `read ${form.seen.chunks} pieces where 97 are the limit`);
});

const SENT_BY_STRANGERS: Record<string, string>[] = [
  {},
  { authorization: "Bearer wrong" },
  { "content-type": "text/nonsense" },
  { "content-length": `${1024 * MiB}` },
];

inAccount("bodies: what strangers send is not read", async ({ server }) => {
  const routes = ROUTES.filter(({ body }) => body.length > 0);
  await inTurn(routes, async ({ path, method }) => {
    const address = addressOf({ path });
    await inTurn(SENT_BY_STRANGERS, async (headers) => {
      const { body, seen } = watched(new Uint8Array(1000), 1000);
      const response = await server.handler(
        new Request(server.base_url + address, { method, body, headers: { ...JSON_TYPE, ...headers } }),
      );
      assert.equal(response.status, 401, `${method} ${path} ${JSON.stringify(headers)}`);
      assert.equal(seen.chunks, 0);
      await response.body?.cancel();
    });
  });
});

/** Sends raw bytes, and returns the bytes that arrive within a second. */
async function talk(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(request));
  const answer = new Uint8Array(4096);
  const read = await connection.read(answer);
  return new TextDecoder().decode(answer.subarray(0, read ?? 0));
}

inAccount("bodies: over the wire", async ({ server }) => {
  const url = server.listen();
  const head = (more: string) =>
    `POST ${ALL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`;
  const admin = `Authorization: Bearer ${ADMIN_TOKEN}\r\n`;
  assert.match(
    await talk(url, head(`${admin}Content-Length: 100000000\r\n`)),
    /^HTTP\/1\.1 413 /,
    "answered before a byte of it",
  );
  assert.match(await talk(url, head("Content-Length: 100000000\r\n")), /^HTTP\/1\.1 401 /);
  const body = '{"department":{"name":"Wire"}}';
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  assert.match(await talk(url, head(`${admin}Transfer-Encoding: chunked\r\n`) + chunked), /^HTTP\/1\.1 201 /);
  const broken = await talk(url, head(`${admin}Content-Length: 5\r\n`) + '{"a":');
  assert.match(broken, /^HTTP\/1\.1 400 /);
});

testBeside({
  name: "bodies: a slow one is 408",
  fn: async () => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const body = new ReadableStream({
      start: (controller) => void (timer = setInterval(() => controller.enqueue(new Uint8Array(1)), 10)),
      cancel: () => clearInterval(timer),
    });
    const request = new Request("http://atrium.test/", { method: "POST", body });
    const deadlines = createBodyDeadlines(60);
    await assert.rejects(
      readBytes(request, MiB, deadlines),
      (error) => error instanceof Refusal && error.status === 408,
    );
    clearInterval(timer);
  },
});

inAccount("bodies: NUL, half of a surrogate pair, and numbers that are none", async ({ ask, play }) => {
  const { id } = made(await ask("POST", ALL, { json: { department: { name: "There" } } }));
  const raw = (name: string, department: string, fields: Record<string, RegExp>): Scenario => ({
    name,
    method: "PATCH",
    path: `/account/departments/${id}.json`,
    sent: { raw: `{"department":${department}}`, headers: JSON_TYPE },
    status: 422,
    body: fields,
  });
  await play([
    raw("NUL, escaped", '{"name":"a\\u0000b"}', { name: /./ }),
    raw("a high surrogate alone", '{"name":"a\\ud83db"}', { name: /./ }),
    raw("a low surrogate alone", '{"phone":"\\ude00"}', { phone: /./ }),
    raw("a pair the wrong way around", '{"description":"\\ude00\\ud83d"}', { description: /./ }),
    raw("an integer beyond 2^53", '{"lock_version":9007199254740993}', { lock_version: /./ }),
    raw("an integer beyond the range of ids", '{"user_setting_ids":[2147483648]}', { "user_setting_ids.0": /./ }),
    raw("an id with a fraction", '{"user_setting_ids":[1.5]}', { "user_setting_ids.0": /./ }),
    raw("infinity, as JSON can say it", '{"user_setting_ids":[1e400]}', { "user_setting_ids.0": /./ }),
    raw("zero and below", '{"user_setting_ids":[0,-1]}', { "user_setting_ids.0": /./, "user_setting_ids.1": /./ }),
  ]);
  const { body } = await ask("GET", `/account/departments/${id}.json`);
  assert.equal(body.lock_version, 0, "nothing is changed");
});

inAccount("bodies: an object is accepted as it was read, and a record and a view are copied", async ({ ask }) => {
  const actions = [{ action: "refresh", flow_code: "watch" }];
  const app = { name: "Counter", app_engine: "html", source_code: "<p>0</p>", dashboard_widget: true, actions };
  const schema = { fields: { message: "string" } };
  const cron = { target_code: "watch", webhook: { signature: "github", secret: "correct horse" } };
  const created = [
    ["/account/departments", "department", { name: "Sales" }],
    ["/account/user_settings", "user_setting", { email: "ada@example.com", name: "Ada" }],
    ["/platform/apps", "app", app],
    ["/connect/connectors", "connector", { name: "Rates", url: "https://example.com", secret_token: "open sesame" }],
    ["/connect/flows", "flow", { code: "watch", name: "Watch" }],
    ["/account/crons", "cron", { target_code: "watch", schedule: "0 9 * * *" }],
    ["/account/crons", "cron", { ...cron, kind: "webhook" }],
    ["/platform/dbs", "db", { name: "Notes", schema }],
    ["/account/crons", "cron", { target_code: "watch", kind: "record", record: { db_code: "notes" } }],
    ["/platform/dbs/notes/records", "record", { data: { message: "Hello" } }],
    ["/platform/dbs/notes/views", "view", { name: "All" }],
  ] as const;
  await inTurn(created, async ([path, wrapper, values]) => {
    const { id, code } = made(await ask("POST", `${path}.json`, { json: { [wrapper]: values } }));
    const at = `${path}/${wrapper === "db" ? code : id}.json`;
    const { body: before } = await ask("GET", at);
    const { status, body: after } = await ask("PATCH", at, { json: { [wrapper]: before } });
    assert.equal(status, 200, `${at} ${JSON.stringify(after)}`);
    const marks = { lock_version: 1, updated_at: null, updated_by_id: null };
    assert.deepEqual({ ...after, ...marks }, { ...before, ...marks }, at);
    if (wrapper === "record") made(await ask("POST", `${path}.json`, { json: { [wrapper]: before } }));
    if (wrapper === "view") {
      made(await ask("POST", `${path}.json`, { json: { [wrapper]: { ...before, name: "Copy" } } }));
    }
  });
  const record = { data: { message: "Hello" }, table_name: null };
  const operations = { operations: [{ action: "create", record }] };
  assert.equal((await ask("POST", "/platform/dbs/notes/records/batch.json", { json: operations })).status, 200);
});
