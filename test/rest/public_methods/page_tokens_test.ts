/** What a page token is worth: to the app that reads it, and beside the API token that opened its page. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { addPerson, addToken, made } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";
import { addApp, addDb, cookieOf, page, tokenIn } from "../../stage/visitors.ts";

const inAccount = onOwnServer();
const test = (name: string, work: Parameters<typeof inAccount>[1]) => inAccount(name, work, { of_default: true });

/** Every text in a page token, as its app can read it. */
function textsIn(page_token: string): string[] {
  const [payload = "", signature = ""] = page_token.split(".");
  const inside = (value: unknown): string[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(inside) : [String(value)];
  return [payload, signature, ...inside(JSON.parse(Buffer.from(payload, "base64url").toString()))];
}

test("page tokens: a visitor's token holds nothing that a cookie accepts, and its records stay the visitor's", async ({ ask }) => {
  const code = await addDb(ask, {
    schema: { fields: { title: "string", key: "string" } },
    public_methods: { list: { scope_by: "key" }, create: { auto_fields: { key: "{cookie_key}" } } },
    public_write_limit: 1000,
  });
  const first = await ask("POST", `/platform/db/${code}/create`, { token: null, json: { data: { title: "mine" } } });
  const cookie = cookieOf(first) ?? "";
  const key = cookie.slice("browser=".length);
  assert.match(key, /^[\w-]{43}$/);
  const open = async (path: string) => tokenIn(await ask("GET", path, { token: null, headers: { cookie } })) ?? "";
  const tokens = [
    await open(await addApp(ask, { db_code: code })),
    await open(await addApp(ask, { db_code: code })),
  ];
  await inTurn(tokens, async (token) => {
    assert.deepEqual((await page(ask, code, token)("list")).body.map(({ id }: { id: string }) => id), [first.body.id]);
    assert.ok(!Buffer.from(token.split(".")[0] ?? "", "base64url").toString().includes(key), "the key is not in it");
    await inTurn(textsIn(token), async (text) => {
      const thief = await ask("POST", `/platform/db/${code}/list`, {
        token: null,
        headers: { cookie: `browser=${text}` },
      });
      assert.deepEqual(thief.body, [], text);
      // A signature has the form of a browser key, but no browser has it.
      if (text !== token.split(".")[1]) assert.match(cookieOf(thief) ?? "", /^browser=/, "it is given another key");
    });
  });
  const [one = [], other = []] = tokens.map((token) => textsIn(token).filter((text) => text.length > 20));
  assert.deepEqual(one.filter((text) => other.includes(text)), [], "two apps have no id in common");
});

test("page tokens: never more than the scopes of the token that opened the page", async ({ ask }) => {
  const flow = { name: "Done", code: `done_${crypto.randomUUID().slice(0, 8)}`, fields: { program: [] } };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const code = await addDb(ask, {
    schema: { fields: { title: "string" } },
    public_methods: { list: {}, create: {} },
    public_write_limit: 1000,
  });
  const path = await addApp(ask, { public: false, db_code: code, actions: [{ action: "go", flow_code: flow.code }] });
  const id = path.slice("/a/".length);
  const user = await addPerson(ask, "user");
  const rows: [scopes: string[] | null, action: number, status: number, list: number, create: number][] = [
    [["apps:read"], 403, 404, 403, 403],
    [["apps:read", "apps:write"], 200, 404, 403, 403],
    [["apps:read", "records:read"], 403, 404, 200, 403],
    [["apps:read", "records:write"], 403, 404, 403, 201],
    [null, 200, 404, 200, 201],
  ];
  const none = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
  await inTurn(rows, async ([scopes, ...expected]) => {
    const token = await addToken(ask, { scopes, user_setting_id: user.id });
    const page_token = tokenIn(await ask("GET", path, { token })) ?? "";
    const ways: Record<string, Record<string, unknown>> = {
      "the page": { token: null, headers: { "x-app-token": page_token } },
      "its own token": { token },
    };
    await inTurn(Object.entries(ways), async ([way, sent]) => {
      const post = async (path: string, json: unknown) => (await ask("POST", path, { ...sent, json })).status;
      const action = `/platform/apps/${id}/action/go`;
      assert.deepEqual(
        [
          await post(action, {}),
          (await ask("GET", `${action}/status?flow_process_id=${none}`, sent)).status,
          await post(`/platform/db/${code}/list`, {}),
          await post(`/platform/db/${code}/create`, { data: { title: "x" } }),
        ],
        expected,
        `${way}, ${scopes}`,
      );
    });
  });
});
