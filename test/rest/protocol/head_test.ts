/** HEAD on routes that stream: the headers at once, and nothing is read. */
import assert from "node:assert/strict";
import { addDb } from "../../stage/db.ts";
import { addToken } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const test = onSharedServer();

const SCHEMA = { fields: { name: "string" } };
const EVENTS = { "content-type": /^text\/event-stream/, "content-length": null };

test("HEAD: of an event stream it answers with the headers and follows nothing", async ({ ask, play, server }) => {
  const { code } = await addDb(ask, SCHEMA);
  const changes = `/platform/dbs/${code}/changes`;
  const runs = "/connect/flow_processes/changes";
  const head = (path: string, status: number, headers: Record<string, RegExp | null> = {}) => ({
    name: `${path.slice(0, 40)} is ${status}`,
    method: "HEAD" as const,
    path,
    status,
    headers,
  });
  await play([
    head(changes, 200, EVENTS),
    head(`${changes}?last_event_id=0`, 200, EVENTS),
    head(`${changes}?table_name=none`, 404),
    head("/platform/dbs/none/changes", 404),
    head(runs, 200, EVENTS),
    head(`${runs}?id=${crypto.randomUUID()}`, 404),
    { ...head(runs, 401), sent: { token: null } },
  ]);
  const followed = await server.sql`select from db_feeds join dbs on dbs.id = db_id where dbs.code = ${code}`;
  assert.equal(followed.length, 0);
});

test("HEAD: of a public event stream it answers with the headers", async ({ ask, play }) => {
  const { code } = await addDb(ask, SCHEMA, { public_methods: { list: {} } });
  const closed = await addDb(ask, SCHEMA);
  await play([
    { name: "with a public list", method: "HEAD", path: `/platform/db/${code}/changes`, status: 200, headers: EVENTS },
    { name: "without one", method: "HEAD", path: `/platform/db/${closed.code}/changes`, status: 403 },
  ]);
});

test("HEAD: of a subscription over tRPC it is 405", async ({ ask, play }) => {
  const { code } = await addDb(ask, SCHEMA);
  const input = encodeURIComponent(JSON.stringify({ json: { db_code: code } }));
  const path = `/trpc/records.changes?input=${input}`;
  await play([{ name: "HEAD", method: "HEAD", path, status: 405, headers: { allow: "GET" } }]);
});

test("HEAD: of an export it answers with the headers of the file, without its length", async ({ ask, play, server }) => {
  const { code, create } = await addDb(ask, SCHEMA);
  await create({ name: "one" });
  const headers = { "content-disposition": /^attachment/, "content-length": null };
  await play([
    { name: "CSV", method: "HEAD", path: `/platform/dbs/${code}/export.csv`, status: 200, headers },
    { name: "NDJSON", method: "HEAD", path: `/platform/dbs/${code}/export.ndjson`, status: 200, headers },
    { name: "of none", method: "HEAD", path: "/platform/dbs/none/export.csv", status: 404 },
  ]);
  // Nor does Deno add one.
  const base = server.listen();
  const sent = { method: "HEAD", headers: { authorization: `Bearer ${await addToken(ask, {})}` } };
  const lengthOf = async (path: string) => {
    const { status, headers } = await fetch(base + path, sent);
    assert.equal(status, 200);
    return headers.get("content-length");
  };
  assert.equal(await lengthOf(`/platform/dbs/${code}/export.csv`), null);
  assert.match(await lengthOf(`/platform/dbs/${code}.json`) ?? "", /^[1-9]/);
});
