/** Strangers and members cannot tell what is private from what is missing; refusals name nothing that is hidden. */
import assert from "node:assert/strict";
import type { Answer, Sent } from "../../stage/harness.ts";
import { addPerson, addToken, made } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";

const inAccount = onOwnServer();

const NONE = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
const BROWSER = { headers: { accept: "text/html" } };

/** What a caller can compare. Request ids and new browser keys differ between any two answers. */
const seen = ({ status, headers, body }: Answer) => {
  const shown = [...headers].filter(([name]) => !["x-request-id", "set-cookie"].includes(name))
    // A redirect to the sign-in page leads back to the address that was asked for.
    .map(([name, value]) => [name, name === "location" ? value.split("=")[0] : value]);
  return { status, body, headers: Object.fromEntries(shown) };
};

inAccount("existence: what is private answers strangers like what is missing", async ({ ask }) => {
  const db = made(await ask("POST", "/platform/dbs.json", { json: { db: { name: `p ${crypto.randomUUID()}` } } })).code;
  const flow = { name: "Done", code: `done_${crypto.randomUUID().slice(0, 8)}`, fields: { program: [] } };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const app = async (fields: Record<string, unknown>) => {
    const action = { action: "go", flow_code: flow.code, public: true };
    const app = { name: "App", app_engine: "html", source_code: "<p>", actions: [action], ...fields };
    return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
  };
  const url_code = `p-${crypto.randomUUID().slice(0, 8)}`;
  const hidden = await app({ url_code });
  const inactive = await app({ public: true, active: false });
  const open = await app({
    public: true,
    actions: [{ action: "go", flow_code: flow.code, public: true }, { action: "own", flow_code: flow.code }],
  });
  const nothing = { db: "there_is_none", app: NONE, url_code: "there-is-none" };
  const rows: [what: string, method: "GET" | "POST", path: string, missing: string][] = [
    ...["list", "create", "update", "delete"].map((method): [string, "POST", string, string] => [
      `a database's ${method}`,
      "POST",
      `/platform/db/${db}/${method}`,
      `/platform/db/${nothing.db}/${method}`,
    ]),
    ["a database's changes", "GET", `/platform/db/${db}/changes`, `/platform/db/${nothing.db}/changes`],
    ...[hidden, inactive].flatMap((id): [string, "GET" | "POST", string, string][] => [
      ["an app's page", "GET", `/a/${id}`, `/a/${nothing.app}`],
      ["an app's file", "GET", `/a/${id}/${"0".repeat(32)}.js`, `/a/${nothing.app}/${"0".repeat(32)}.js`],
      ["an app's action", "POST", `/platform/apps/${id}/action/go`, `/platform/apps/${nothing.app}/action/go`],
      [
        "an action's status",
        "GET",
        `/platform/apps/${id}/action/go/status?flow_process_id=${NONE}`,
        `/platform/apps/${nothing.app}/action/go/status?flow_process_id=${NONE}`,
      ],
    ]),
    ["an app's page by its code", "GET", `/a/${url_code}`, `/a/${nothing.url_code}`],
    ["an action that is not public", "POST", `/platform/apps/${open}/action/own`, `/platform/apps/${open}/action/none`],
  ];
  const callers: Record<string, Sent> = { "a script": { token: null }, "a browser": { token: null, ...BROWSER } };
  await inTurn(rows, async ([what, method, path, missing]) => {
    await inTurn(Object.entries(callers), async ([caller, sent]) => {
      const body = method === "POST" ? { json: {} } : {};
      const [one, other] = [
        await ask(method, path, { ...sent, ...body }),
        await ask(method, missing, { ...sent, ...body }),
      ];
      assert.deepEqual(seen(one), seen(other), `${what}, by ${caller}`);
      const to_sign_in = caller === "a browser" && what.startsWith("an app's page");
      assert.equal(one.status, what === "an app's file" ? 404 : to_sign_in ? 303 : 401, `${what}, by ${caller}`);
    });
  });
  const limited = await addToken(ask, { scopes: ["departments:read"] });
  const [one, other] = [
    await ask("GET", `/a/${hidden}`, { token: limited }),
    await ask("GET", `/a/${NONE}`, { token: limited }),
  ];
  assert.deepEqual(seen(one), seen(other), "a token of other scopes");
  assert.equal(one.status, 403);
}, { of_default: true });

inAccount("existence: a refused schema change names only records that its author sees", async ({ ask }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1, d2] = [await department("D1"), await department("D2")];
  const db = { name: "Notes", schema: { fields: { a: "string" } }, department_id: d1 };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const add = async (department_id: number) =>
    made(
      await ask("POST", "/platform/dbs/notes/records.json", { json: { record: { data: { a: "x" }, department_id } } }),
    ).id;
  const [own, other] = [await add(d1), await add(d2)];
  const manager = await addPerson(ask, "manager", { department_ids: [d1], without_department: false });
  const change = async (token?: string) => {
    const json = { db: { schema: { fields: { a: "integer" } } } };
    const { status, body } = await ask("PATCH", "/platform/dbs/notes.json", { ...token && { token }, json });
    assert.equal(status, 422);
    return body["schema.fields.a"][0];
  };
  assert.equal(await change(manager.token), `does not fit 2 records, because a value must be an integer: ${own}, …`);
  assert.equal(await change(), `does not fit 2 records, because a value must be an integer: ${own}, ${other}`);
  await ask("DELETE", `/platform/dbs/notes/records/${own}.json`);
  assert.equal(await change(manager.token), "does not fit 1 record, because a value must be an integer");
});

inAccount("existence: a public list of records that belong to departments is a warning", async ({ ask }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1] = [await department("D1"), await department("D2")];
  const db = { name: "Notes", schema: { fields: { a: "string" } } };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const open = async (public_methods: unknown) => {
    const { status, body } = await ask("PATCH", "/platform/dbs/notes.json", { json: { db: { public_methods } } });
    assert.equal(status, 200);
    return body.warnings;
  };
  assert.deepEqual(await open({ list: {} }), {}, "there are no records");
  const record = { data: { a: "x" }, department_id: d1 };
  made(await ask("POST", "/platform/dbs/notes/records.json", { json: { record } }));
  const warning = { "public_methods.list": ["shows everyone records that belong to departments"] };
  assert.deepEqual(await open({ list: {} }), warning);
  assert.deepEqual((await ask("GET", "/platform/dbs/notes.json")).body.warnings, warning);
  assert.deepEqual(await open({ create: {} }), {});
  assert.deepEqual(await open({ list: { scope_by: "a" }, create: { auto_fields: { a: "{user_id}" } } }), {});
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } });
  assert.deepEqual(await open({ list: {} }), {}, "the account hides nothing");
});
