/** The import of a whole account: what is refused, and that a refusal leaves nothing behind. */
import assert from "node:assert/strict";
import { v7 as uuid } from "uuid";
import {
  appLine,
  ARCHIVE,
  archiveOf,
  type Bytes,
  dbLine,
  departmentLine,
  exportAll,
  importInto,
  joined,
  manifestWith,
  recordLine,
  tarOf,
  userLine,
} from "../../stage/archive/account_archives.ts";
import { addAccount, addPerson, addToken, as, type Ask, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const headers = { "content-type": "application/x-tar" };
const DEPARTMENTS = "departments/000001.ndjson";
const GOOD = archiveOf({ [DEPARTMENTS]: [departmentLine(7, "Sales"), departmentLine(9, "Support")] });
const BLOCK = 512;
/** Where the header of the second file begins. */
const AT = BLOCK + Math.ceil(manifestWith({}).length / BLOCK) * BLOCK;

/** The same archive with another header of its second file, and the checksum that belongs to it. */
function withHeader(archive: Bytes, change: (header: Uint8Array) => void): Bytes {
  const changed = archive.slice();
  const header = changed.subarray(AT, AT + BLOCK);
  change(header);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((sofar, byte) => sofar + byte, 0);
  header.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return changed;
}

const SETTINGS: object = JSON.parse(manifestWith({})).account;

const put = (header: Uint8Array, at: number, text: string) => header.set(new TextEncoder().encode(text), at);

const refused = (name: string, raw: BodyInit, status: number, body: unknown): Scenario => ({
  name,
  method: "POST",
  path: ARCHIVE,
  sent: { raw, headers },
  status,
  body,
});

const error = (pattern: RegExp) => ({ error: pattern });
const file = (name: string, message: RegExp) => ({ [name]: message });

/** What a refused import must not leave. */
async function isEmpty(ask: Ask): Promise<void> {
  for (const path of ["/account/archive.json", "/account/teams.json", "/connect/flow_processes.json"]) {
    assert.deepEqual((await ask("GET", path)).body, [], path);
  }
  assert.equal((await ask("GET", "/account/user_settings.json")).body.length, 1);
}

inAccount("whole archive: a broken one is refused, with the name of the file, and leaves nothing", async (stage) => {
  const { ask, play } = stage;
  const long = "x".repeat(80);
  await play([
    { name: "another type", method: "POST", path: ARCHIVE, sent: { raw: GOOD }, status: 415 },
    {
      name: "compressed",
      method: "POST",
      path: ARCHIVE,
      sent: { raw: GOOD, headers: { "content-type": "application/x-tar", "content-encoding": "gzip" } },
      status: 415,
    },
    {
      ...refused("a parameter that is not there", GOOD, 400, error(/no parameter dry_run/)),
      path: `${ARCHIVE}?dry_run=true`,
    },
    refused("an empty body", new Uint8Array(), 400, error(/no tar archive/)),
    refused("a text", "not an archive, and longer than a block. ".repeat(20), 400, error(/no tar archive/)),
    refused("only the end", new Uint8Array(2 * BLOCK), 400, error(/begins with account\.json/)),
    refused("of another program", tarOf({ "package/package.json": "{}" }), 400, error(/begins with account\.json/)),
    refused(
      "of a later version",
      tarOf({ "account.json": manifestWith({ format: "atrium account 2" }) }),
      400,
      error(/says the format atrium account 2/),
    ),
    refused("whose manifest is no JSON", tarOf({ "account.json": "{" }), 422, file("account.json", /not valid JSON/)),
    refused(
      "whose manifest lacks a setting",
      tarOf({ "account.json": manifestWith({ account: { name: "A" } }) }),
      400,
      error(/account\.departments_mode/),
    ),
    ...["https://*; script-src https://evil.example.com", "https://*"].map((host) =>
      refused(
        `whose host of embedding is ${JSON.stringify(host)}`,
        tarOf({ "account.json": manifestWith({ account: { ...SETTINGS, embedding_hosts: [host] } }) }),
        400,
        error(/embedding_hosts.*must be an origin/),
      )
    ),
    refused("cut off in a header", GOOD.slice(0, AT + 100), 400, error(/cut off at account\.json/)),
    refused("cut off in a file", GOOD.slice(0, AT + BLOCK + 100), 400, error(/cut off at departments\/000001/)),
    refused("without its end", GOOD.slice(0, -2 * BLOCK), 400, error(/cut off at departments\/000001/)),
    refused("with half of its end", GOOD.slice(0, -BLOCK), 400, error(/cut off/)),
    refused("that goes on", joined([GOOD, new Uint8Array(BLOCK).fill(1)]), 400, error(/goes on behind its end/)),
    refused(
      "with a wrong checksum",
      joined([GOOD.slice(0, AT), new Uint8Array(BLOCK).fill(65), GOOD.slice(AT + BLOCK)]),
      400,
      error(/broken behind account\.json: .*checksum|not octal/),
    ),
    refused("a link", withHeader(GOOD, (header) => put(header, 156, "2")), 400, error(/is a link or a device/)),
    refused(
      "a file that is too large",
      withHeader(GOOD, (header) => put(header, 124, (33 * 1024 * 1024).toString(8).padStart(11, "0"))),
      413,
      error(/file departments\/000001\.ndjson is larger than 33,554,432 bytes/),
    ),
    refused(
      "a size that is negative",
      withHeader(GOOD, (header) => put(header, 124, "-0000000001")),
      400,
      error(/not octal/),
    ),
    ...["../../etc/passwd", "/etc/passwd", "departments/../flows/000001.ndjson", "records/../x/000001.ndjson"].map((
      name,
    ) => refused(`the path ${name}`, archiveOf({ [name]: "{}" }), 422, file(name, /no file of an account's archive/))),
    refused(
      "an unknown folder",
      archiveOf({ "tokens/000001.ndjson": [] }),
      422,
      file("tokens/000001.ndjson", /no file of an account's archive/),
    ),
    refused(
      "a path with a prefix",
      archiveOf({ [`${long}/${long}/evil.ndjson`]: "{}" }),
      422,
      file(`${long}/${long}/evil.ndjson`, /no file of an account's archive/),
    ),
    refused(
      "a line that is no JSON",
      archiveOf({ [DEPARTMENTS]: "{}}\n" }),
      422,
      file(DEPARTMENTS, /line 1 is not valid/),
    ),
    refused("a line that is a list", archiveOf({ [DEPARTMENTS]: "[]\n" }), 422, file(DEPARTMENTS, /line 1: must be/)),
    refused(
      "a line that is nested deep",
      archiveOf({ [DEPARTMENTS]: "[".repeat(100_000) }),
      422,
      file(DEPARTMENTS, /nested deeper/),
    ),
    refused(
      "a file that is not UTF-8",
      archiveOf({ [DEPARTMENTS]: new Uint8Array([0xff, 0xfe, 0x00]) }),
      422,
      file(DEPARTMENTS, /not valid UTF-8/),
    ),
    refused(
      "a row without a name",
      archiveOf({ [DEPARTMENTS]: [departmentLine(1, "Good"), { ...departmentLine(2, ""), name: undefined }] }),
      422,
      file(DEPARTMENTS, /line 2: name /),
    ),
    refused(
      "a time that is none",
      archiveOf({ [DEPARTMENTS]: [{ ...departmentLine(1, "Good"), created_at: "now() - 1" }] }),
      422,
      file(DEPARTMENTS, /line 1: created_at /),
    ),
    refused(
      "a logo that another one has",
      archiveOf({ [`logos/${"0".repeat(64)}.png`]: "no image" }),
      422,
      file(`logos/${"0".repeat(64)}.png`, /must be a PNG/),
    ),
    refused(
      "a logo that is not there",
      archiveOf({ [DEPARTMENTS]: [{ ...departmentLine(1, "Good"), logo_file: "none.png" }] }),
      422,
      file(DEPARTMENTS, /must exist/),
    ),
    refused(
      "two databases of the same code",
      archiveOf({ "dbs/000001.ndjson": [dbLine(1, "one"), dbLine(2, "one")] }),
      422,
      file("dbs/000001.ndjson", /code has already been taken/),
    ),
    refused(
      "a schema that is none",
      archiveOf({ "dbs/000001.ndjson": [{ ...dbLine(1, "one"), schema: { fields: { id: "string" } } }] }),
      422,
      file("dbs/000001.ndjson", /line 1: .*record's own/),
    ),
    refused(
      "an app that does not compile",
      archiveOf({ "apps/000001.ndjson": [appLine(uuid(), { app_engine: "svelte", source_code: "{#if" })] }),
      422,
      file("apps/000001.ndjson", /line 1: the app Clock does not compile/),
    ),
    refused(
      "a record with a field that the table lacks",
      archiveOf({
        "dbs/000001.ndjson": [dbLine(1, "one")],
        "records/one/000001.ndjson": [recordLine(uuid(), { title: "T" }), recordLine(uuid(), { other: 1 })],
      }),
      422,
      file("records/one/000001.ndjson", /line 2: other is not a field/),
    ),
    refused(
      "records of a database that is not there",
      archiveOf({ "records/none/000001.ndjson": [recordLine(uuid(), {})] }),
      422,
      file("records/none/000001.ndjson", /does not have/),
    ),
    refused(
      "a department twice",
      archiveOf({ [DEPARTMENTS]: [departmentLine(1, "One")], "departments/000002.ndjson": [departmentLine(1, "Two")] }),
      422,
      file("departments/000002.ndjson", /has the department 1 twice/),
    ),
    refused(
      "two databases with the same table",
      archiveOf({ "dbs/000001.ndjson": [dbLine(1, "one"), { ...dbLine(2, "two"), tables: [{ id: 1, name: "" }] }] }),
      422,
      file("dbs/000001.ndjson", /has the table 1 twice/),
    ),
    refused(
      "one user twice",
      archiveOf({ "users/000001.ndjson": [userLine(1, "ada"), userLine(2, "ada")] }),
      422,
      file("users/000001.ndjson", /has already been taken/),
    ),
  ]);
  await isEmpty(ask);
});

inAccount("whole archive: a sender that breaks off leaves nothing", async ({ ask, server, admin }) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(GOOD.subarray(0, AT + 2 * BLOCK)),
    pull: (controller) => controller.error(new Error("the connection is lost")),
  });
  const answer = await server.handler(
    new Request(`${server.base_url}${ARCHIVE}`, {
      method: "POST",
      body,
      headers: { ...headers, authorization: `Bearer ${admin.token}` },
    }),
  );
  assert.equal(answer.status, 400);
  assert.match((await answer.json()).error, /broke off/);
  await isEmpty(ask);
});

inAccount("whole archive: it goes into an empty account, once, and its names of files may be long", async ({ ask }) => {
  const { status, body } = await importInto(ask, GOOD);
  assert.deepEqual([status, body.created], [200, { departments: 2 }]);
  const { body: departments } = await ask("GET", "/account/departments.json");
  assert.deepEqual(departments.map(({ name }: { name: string }) => name), ["Sales", "Support"]);
  const again = await importInto(ask, GOOD);
  assert.equal(again.status, 409);
  assert.deepEqual(again.body.current, ["departments"]);
  assert.match(again.body.error, /this one has departments/);
});

inAccount("whole archive: apps, records and runs that the server has are refused", async ({ ask, server, admin }) => {
  const db = { name: "Notes", code: "notes", schema: { fields: { title: "string" } } };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  made(await ask("POST", "/platform/dbs/notes/records.json", { json: { record: { data: { title: "One" } } } }));
  const archive = await exportAll(server, admin.token);
  const other = as(ask, (await addAccount(server)).token);
  const { status, body } = await importInto(other, archive);
  assert.deepEqual([status, body.current], [409, "records/notes/000001.ndjson"]);
  await isEmpty(other);
});

inAccount("whole archive: a row never reaches an object of another account", async ({ ask, server }) => {
  const app = { name: "Theirs", app_engine: "js", source_code: "document.title = 'theirs';\n" };
  const theirs = made(await ask("POST", "/platform/apps.json", { json: { app } }));
  const other = as(ask, (await addAccount(server)).token);
  const version = { version: 1, app_engine: "js", css_engine: "none", source_code: "evil", actions: [] };
  const { status, body } = await importInto(
    other,
    archiveOf({
      "app_versions/000001.ndjson": [
        { ...version, app_id: theirs.id, lock_version: 0, created_by_id: null, created_at: "2026-11-24T10:00:00Z" },
      ],
      "app_openings/000001.ndjson": [{ app_id: theirs.id, day: "2026-11-24", count: 1_000 }],
    }),
  );
  assert.deepEqual([status, body.created], [200, { app_versions: 0, app_openings: 0 }]);
  assert.deepEqual((await ask("GET", `/platform/apps/${theirs.id}/versions.json`)).body, []);
});

inAccount("whole archive: users are known by login or e-mail address; others have no password", async (stage) => {
  const { ask, server } = stage;
  const known = await addPerson(ask, "user", { login: "ada", email: "ada@example.com", name: "Ada here" });
  const users = [
    userLine(3, "ADA", { email: "elsewhere@example.com", role: "admin", name: "Ada there" }),
    userLine(4, "bob", { role: "manager" }),
  ];
  const { status, body } = await importInto(ask, archiveOf({ "users/000001.ndjson": users }));
  assert.deepEqual([status, body.users], [200, ["bob"]]);
  const { body: listed } = await ask("GET", "/account/user_settings.json?sort=login");
  const seen = listed.map(({ login, role, name }: Record<string, string>) => ({ login, role, name }))
    .filter(({ login }: Record<string, string>) => login === "ada" || login === "bob");
  assert.deepEqual(seen, [
    { login: "ada", role: "user", name: "Ada here" },
    { login: "bob", role: "manager", name: "bob" },
  ]);
  const [bob] = await server.sql<{ password_hash: string | null }[]>`
    select password_hash from users where login = 'bob' and account_id = (select account_id from users where id = ${known.id})
  `;
  assert.equal(bob?.password_hash, null);
});

inAccount("whole archive: two users of an archive are not one user here", async ({ ask }) => {
  await addPerson(ask, "user", { login: "ada", email: "ada@example.com" });
  const users = [userLine(3, "ada", { email: "other@example.com" }), userLine(4, "bob", { email: "ada@example.com" })];
  const { status, body } = await importInto(ask, archiveOf({ "users/000001.ndjson": users }));
  assert.equal(status, 422);
  assert.match(body["users/000001.ndjson"][0], /the same user of this account/);
});

inAccount("whole archive: after an export is cancelled, another can start at once", async ({ server, admin }) => {
  const request = () =>
    new Request(`${server.base_url}${ARCHIVE}`, { headers: { authorization: `Bearer ${admin.token}` } });
  await inTurn(Array.from({ length: 20 }, (_, i) => i), async (i) => {
    const { status, body } = await server.handler(request());
    assert.equal(status, 200, `export ${i}`);
    // After none of its pieces, after one, or after two of them.
    const reader = body?.getReader();
    await inTurn(Array.from({ length: i % 3 }), async () => void await reader?.read());
    await reader?.cancel();
  });
});

inAccount("whole archive: only an admin with the scope exports and imports", async ({ ask, server, admin }) => {
  const callers: [who: string, token: string | null, statuses: [number, number]][] = [
    ["a visitor", null, [401, 401]],
    ["a guest", (await addPerson(ask, "guest")).token, [403, 403]],
    ["a manager", (await addPerson(ask, "manager")).token, [403, 403]],
    ["an admin who may only read", await addToken(ask, { scopes: ["archive:read"] }), [200, 403]],
    ["an admin who may only write", await addToken(ask, { scopes: ["archive:write"] }), [403, 400]],
    ["an admin without the scope", await addToken(ask, { scopes: ["apps:read", "apps:write"] }), [403, 403]],
    ["an admin", admin.token, [200, 400]],
  ];
  await inTurn(callers, async ([who, token, statuses]) => {
    const read = await server.handler(
      new Request(
        `${server.base_url}${ARCHIVE}`,
        token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
      ),
    );
    await read.body?.cancel();
    const written = await ask("POST", ARCHIVE, { token, raw: "", headers });
    assert.deepEqual([read.status, written.status], statuses, who);
  });
});

inAccount("whole archive: an account takes its host, but not that of the server itself", async ({ ask, server }) => {
  const host = `${crypto.randomUUID()}.example.com`;
  await inTurn([[host, host], ["atrium.test", null]] as const, async ([named, taken]) => {
    const other = as(ask, (await addAccount(server)).token);
    const { status } = await importInto(
      other,
      tarOf({ "account.json": manifestWith({ account: { ...SETTINGS, host: named } }) }),
    );
    assert.deepEqual([status, (await other("GET", "/account.json")).body.host], [200, taken]);
  });
});
