/** A connector's secret reaches only its API. Source: design, security, "Secrets". */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { decryptSecret, encryptSecret, rotateSecrets } from "../../../server/connectors/connectors.ts";
import { createKeys } from "../../../server/secrets/keys.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { serveApi } from "../../stage/egress/outside.ts";
import { addAccount, made } from "../../stage/people.ts";
import { inTurn, proven, testBeside } from "../../stage/scenario.ts";

const CANARY = "canary+7f3a/91&c5 b2d8e";

/** The secret in all encodings in which it could leak. */
const FORMS = [
  CANARY,
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString("base64").replace(/=+$/, ""),
  Buffer.from(CANARY).toString("base64url"),
  Buffer.from(CANARY).toString("hex"),
  "canary+7f3a",
];

const none = (text: string, where: string) => {
  for (const form of FORMS) {
    const at = text.indexOf(form);
    assert.equal(at, -1, `${form} in ${where}: ${text.slice(Math.max(0, at - 200), at + 200)}`);
  }
};

/** An API that repeats its request in all encodings and with the requested status. */
function repeat(
  request: Request,
  { path, headers, body }: { path: string; headers: Record<string, string>; body: string },
) {
  const url = new URL(request.url);
  const sent = headers.authorization ?? headers["x-key"] ?? url.searchParams.get("key") ?? "";
  const plain = sent.replace(/^Basic /, "");
  const again = { path, headers, body, sent, [sent]: 1, coded: btoa(plain), list: [plain, { deep: `<${plain}>` }] };
  const status = Number(url.searchParams.get("status") ?? 200);
  if (status === 302) return new Response(null, { status, headers: { location: `/moved${url.search}` } });
  if (url.searchParams.has("text")) return new Response(`${path} ${sent} ${JSON.stringify(again)}`, { status });
  if (url.searchParams.has("cut")) {
    return new Response(null, { status: 302, headers: { location: `http://${plain}@x/` } });
  }
  return Response.json(again, { status, headers: { "x-echo": encodeURIComponent(plain), "x-auth": btoa(plain) } });
}

/** All rows of the database as text; bytes in hexadecimal and decoded. */
async function dump({ sql }: TestServer): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select quote_ident(table_name) as name
    from information_schema.tables
    where table_schema = 'public'
      and table_type = 'BASE TABLE'
  `;
  const parts: string[] = [];
  await inTurn(tables, async ({ name }) => {
    const rows = await sql<{ row: string }[]>`select t::text as row from ${sql.unsafe(name)} t`;
    parts.push(...rows.map(({ row }) => row));
  });
  const hex = parts.flatMap((part) => [...part.matchAll(/\\x([0-9a-f]+)/g)].map(([, bytes = ""]) => bytes));
  return [...parts, ...hex.map((bytes) => Buffer.from(bytes, "hex").toString("latin1"))].join("\n");
}

testBeside({
  name: "secrets: one appears in no answer, no log and, but for its encrypted form, no row",
  async fn() {
    await using api = serveApi((request, seen) => repeat(request, seen));
    const server = await startServer({ EGRESS_ALLOW: `127.0.0.1:${api.port}` });
    const ask = proven(server.request);
    const said: string[] = [];
    const tell = async (...[method, path, sent]: Parameters<typeof ask>) => {
      const answer = await ask(method, path, sent);
      said.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]));
      return answer;
    };
    const AUTHS = [{ type: "bearer" }, { type: "basic", username: "ada" }, { type: "header", name: "X-Key" }, {
      type: "query",
      name: "key",
    }];
    try {
      const methods = {
        m: { method: "POST", path: "/{p}", query: { status: "{status}", text: "{text}", cut: "{cut}" } },
      };
      await inTurn(AUTHS, async (auth) => {
        const connector = { name: auth.type, url: api.url, secret_token: CANARY, fields: { auth, methods } };
        const { id } = made(await tell("POST", "/connect/connectors.json", { json: { connector } }));
        const path = `/connect/connectors/${id}.json`;
        const params = { p: "x", status: 200, text: null, cut: null };
        const trial = (more: Record<string, unknown>) =>
          tell("POST", `/connect/connectors/${id}/test.json`, {
            json: { method: "m", params: { ...params, ...more } },
          });
        const { body } = await trial({});
        assert.match(JSON.stringify(body.body), /\[redacted\]/, auth.type);
        await inTurn([{ status: 404 }, { text: 1 }, { text: 1, status: 500 }, { status: 302 }, { cut: 1 }], trial);
        await trial({ p: CANARY.slice(0, 5) });
        await tell("GET", path);
        await tell("GET", "/connect/connectors.json");
        await tell("PATCH", path, { json: { connector: { name: "New", lock_version: 0 } } });
        await tell("PATCH", path, { json: { connector: { name: "Newer", lock_version: 0 } } });
        await tell("PATCH", path, { json: { connector: { secret_token: CANARY, fields: { auth: 1 } } } });
        await tell("PATCH", path, { json: { connector: { secret_token: `${CANARY}\n` } } });
      });
      assert.ok(api.seen.length > 20);
      const reached = api.seen.map(({ path, headers }) => path + JSON.stringify(headers)).join("\n");
      for (const form of [`Bearer ${CANARY}`, Buffer.from(`ada:${CANARY}`).toString("base64")]) {
        assert.ok(reached.includes(form), "the other side got it");
      }
      none(said.join("\n"), "an answer");
      none(server.logged.join("\n"), "the log");
      none(await dump(server), "the database");
    } finally {
      await server.close();
    }
    none(server.logged.join("\n"), "the log at the end");
  },
});

const OLD = { id: "k1", material: "0123456789abcdef-old" };
const NEW = { id: "k2", material: "0123456789abcdef-new" };

testBeside({
  name: "secrets: a rotation processes all in batches; secrets that no key decrypts stay and are reported",
  async fn() {
    const server = await startServer();
    const { sql } = server;
    try {
      const { account_id } = await addAccount(server);
      const [old, both, fresh] = [createKeys([OLD]), createKeys([NEW, OLD]), createKeys([NEW])];
      const lost = createKeys([{ id: "k0", material: "nobody has this one any more" }]);
      const places = await sql<{ id: number; account_id: number }[]>`
        insert into connectors (account_id, code, name, name_folded, url, fields)
        select ${account_id}, 'c' || n, 'c', 'c', 'https://example.com', '{}'
        from generate_series(1, 240) n
        returning id, account_id
      `;
      const write = async (place: { id: number; account_id: number }, keys: typeof old) => {
        const { key_id, bytes } = encryptSecret(keys, place, `secret ${place.id}`);
        await sql`update connectors set secret_token = ${bytes}, secret_key_id = ${key_id} where id = ${place.id}`;
      };
      await inTurn(places.slice(0, 220), (place) => write(place, old));
      const [broken, done] = [places[220], places[221]];
      assert.ok(broken && done);
      await write(broken, lost);
      await write(done, both);

      assert.deepEqual(await rotateSecrets(sql, both), { rotated: 220, unreadable: [broken.id] });
      assert.deepEqual(await rotateSecrets(sql, both), { rotated: 0, unreadable: [broken.id] });
      const rows = await sql<{ id: number; account_id: number; secret_token: Uint8Array; secret_key_id: string }[]>`
        select id, account_id, secret_token, secret_key_id
        from connectors
        where secret_token is not null
          and id <> ${broken.id}
      `;
      assert.equal(rows.length, 221);
      for (const row of rows) {
        const encrypted = { key_id: row.secret_key_id, bytes: row.secret_token };
        assert.deepEqual([row.secret_key_id, decryptSecret(fresh, row, encrypted)], ["k2", `secret ${row.id}`]);
      }
    } finally {
      await server.close();
    }
  },
});

testBeside({
  name: "secrets: one that is moved to another connector, or that no key reads, is a clear fault and not a call",
  async fn() {
    await using api = serveApi();
    const server = await startServer({ EGRESS_ALLOW: `127.0.0.1:${api.port}` });
    const ask = proven(server.request);
    try {
      const fields = { auth: { type: "bearer" }, methods: { m: { method: "GET", path: "/" } } };
      const add = async (name: string) =>
        made(
          await ask("POST", "/connect/connectors.json", {
            json: { connector: { name, url: api.url, secret_token: "secret", fields } },
          }),
        ).id;
      const [from, to] = [await add("From"), await add("To")];
      await server.sql`
        update connectors t
        set secret_token = f.secret_token
        from connectors f
        where f.id = ${from}
          and t.id = ${to}
      `;
      const { body } = await ask("POST", `/connect/connectors/${to}/test.json`, { json: { method: "m" } });
      assert.deepEqual([body.ok, body.error.kind], [false, "invalid"]);
      assert.match(body.error.message, /cannot be read: it was written with the key k1/);
      assert.equal(api.seen.length, 0);
      assert.ok(server.logged.some((line) => line.includes("a connector's secret cannot be read")));
    } finally {
      await server.close();
    }
  },
});
