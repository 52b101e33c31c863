/**
 * `X-View-As`: every query answers an admin as it answers the user, and nothing else does. The counts of
 * `access/counts.json` are compared with the lists that the user gets.
 */
import assert from "node:assert/strict";
import { createClient } from "../../../client/mod.ts";
import { createViews } from "../../../server/domains/audit/views.ts";
import { PLAIN_ROUTES } from "../../../server/http/catalog.ts";
import { routesOf } from "../../../server/http/rest/routes.ts";
import { loadRouter } from "../../../server/router.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import type { Answer, Sent } from "../../stage/harness.ts";
import {
  addAccount,
  addPerson,
  addSession,
  addToken,
  type Ask,
  made,
  type Method,
  type Person,
} from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";
import { addApp, tokenIn } from "../../stage/visitors.ts";

const inAccount = onSharedServer();

const ROUTES = routesOf(await loadRouter());
const QUERIES = ROUTES.filter(({ type, method }) => type === "query" && method === "GET");

/** Of the person's own credentials, and what only the person reads. */
const PERSONAL = /^(sessions|tokens|passkeys|identities|apps\.drafts|flows\.drafts)\./;

const as = (id: number | string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: { ...sent.headers, "x-view-as": `${id}` },
});

type Names = Record<string, string | number>;

/** One object of each kind, by domain. */
async function makeObjects(ask: Ask, department_id: number | null): Promise<Record<string, Names>> {
  const make = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const name = `Of ${department_id}`;
  const flow = await make("/connect/flows.json", { flow: { name, department_id, fields: { program: [] } } });
  const actions = [{ action: "go", flow_code: flow.code }];
  const source = { app_engine: "html", source_code: "<p>", show_in_module: "crm" };
  const app = await make("/platform/apps.json", { app: { name, department_id, actions, ...source } });
  await ask("PATCH", `/platform/apps/${app.id}.json`, { json: { app: { source_code: "<p>2" } } });
  const schema = { fields: { n: "integer" } };
  const { code: db_code } = await make("/platform/dbs.json", { db: { name, department_id, schema } });
  const record = await make(`/platform/dbs/${db_code}/records.json`, { record: { data: { n: 1 }, department_id } });
  const connector = await make("/connect/connectors.json", {
    connector: { name, url: "https://api.example.com", department_id },
  });
  const cron = await make("/account/crons.json", {
    cron: { target_code: flow.code, schedule: "0 0 1 1 *", department_id },
  });
  const { body: run } = await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  return {
    apps: { id: app.id, version: 1, action_name: "go" },
    dbs: { db_code },
    records: { db_code, id: record.id },
    connectors: { id: connector.id },
    flows: { id: flow.id },
    flow_processes: { id: run.flow_process_id },
    crons: { id: cron.id },
  };
}

const MISSING: Names = { id: NO_UUID, db_code: "none", version: 1, action_name: "go" };

function addressOf({ path, name }: { path: string; name: string }, objects: Record<string, Names> = {}): string {
  const names = { ...MISSING, ...objects[name.split(".")[0] ?? ""] };
  const address = path.replace(/:(\w+)/g, (_, key) => `${names[key] ?? "none"}`);
  const query = name === "apps.action_status"
    ? `?flow_process_id=${NO_UUID}`
    : name === "embeds.list"
    ? "?target=crm"
    : "";
  return address + query;
}

/** Times of last use differ between any two answers. */
const seen = ({ status, headers, body }: Answer) => ({
  status,
  body: JSON.stringify(body)?.replace(/\d{4}-\d\d-\d\dT[^"]+/g, "…"),
  total: headers.get("x-total-count"),
});

inAccount(
  "view as: every query answers as it answers the user; each hidden object is counted by its rule",
  async ({ ask, admin, server }) => {
    const department = async (name: string): Promise<number> =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
    const [d1, d2] = [await department("D1"), await department("D2")];
    const worlds = [await makeObjects(ask, d1), await makeObjects(ask, d2), await makeObjects(ask, null)];
    const persons: Record<string, Person> = {
      "a guest of D1": await addPerson(ask, "guest", { department_ids: [d1], without_department: false }),
      "a user of D1": await addPerson(ask, "user", { department_ids: [d1], without_department: false }),
      "a manager of D2 and none": await addPerson(ask, "manager", { department_ids: [d2] }),
      "another admin": await addPerson(ask, "admin"),
    };
    for (const objects of worlds) {
      objects.departments = { id: d1 };
      objects.user_settings = { id: persons["a user of D1"]?.id ?? 0 };
    }
    const { cookie } = await addSession(server, admin.id);
    const by_session: Sent = { token: null, headers: { cookie, "sec-fetch-site": "same-origin" } };
    const statuses: number[] = [];
    await inTurn(Object.entries(persons), async ([who, { id, token }]) => {
      await inTurn(QUERIES, async (route) => {
        // The first look as this user leaves an entry.
        if (who === "another admin" && route.name === "audit.list") return;
        await inTurn(route.params.length > 0 ? worlds : worlds.slice(0, 1), async (objects, index) => {
          const path = addressOf(route, objects);
          const answer = await ask("GET", path, as(id, index === 1 ? by_session : {}));
          const what = `${route.name} of world ${index}, as ${who}`;
          if (PERSONAL.test(route.name)) return assert.equal(answer.status, 403, what);
          statuses.push(answer.status);
          assert.deepEqual(seen(answer), seen(await ask("GET", path, { token })), what);
        });
      });
      await assertCounts(ask, id, who);
    });
    for (const status of [200, 403, 404]) assert.ok(statuses.filter((one) => one === status).length > 20, `${status}`);
    const counts = async (query: string) => (await ask("GET", `/account/access/counts.json?${query}`)).body;
    const user = persons["a user of D1"]?.id;
    const db_code = worlds[2]?.dbs?.db_code;
    const rules = await counts(`user_id=${user}&db_code=${db_code}`);
    assert.deepEqual(rules[0], {
      type: "app",
      visible: 1,
      without_department: 1,
      hidden_by: [
        { rule: "has no department: needs without_department", count: 1 },
        { rule: "not a member of department D2", count: 1 },
      ],
      complete: true,
    });
    assert.deepEqual(rules.at(-1), {
      type: "record",
      visible: 0,
      without_department: 1,
      hidden_by: [{ rule: "database: has no department: needs without_department", count: 1 }],
      complete: true,
    });
    const [, guest] = await counts(`user_id=${persons["a guest of D1"]?.id}`);
    assert.deepEqual(guest, {
      type: "db",
      visible: 0,
      without_department: 1,
      hidden_by: [{ rule: "needs the role user", count: 3 }],
      complete: true,
    });
    const invited = await counts(`role=user&department_ids=${d1}&without_department=0`);
    assert.deepEqual(invited, await counts(`user_id=${user}`), "who is to be invited sees what such a user sees");
    assert.equal((await counts("role=user"))[0].visible, 1, "without a department, as the admin who invites");
    for (const query of ["role=user&department_ids=x", `role=user&user_id=${user}`, "user_id=999999"]) {
      const { status } = await ask("GET", `/account/access/counts.json?${query}`);
      assert.equal(status, query === "user_id=999999" ? 404 : 400, query);
    }
    const manager = persons["a manager of D2 and none"];
    const told = await ask("GET", `/account/access/counts.json?user_id=${user}`, { token: manager?.token ?? "" });
    assert.equal(told.body[0].hidden_by.length, 2, "a manager is told of D2 and none");
    assert.equal(told.body[0].visible, 0, "and not of D1");
  },
);

/** The counts are those of the user's own lists, and no object is left out. */
async function assertCounts(ask: Ask, id: number, who: string): Promise<void> {
  const lists: Record<string, string> = {
    app: "/platform/apps.json",
    db: "/platform/dbs.json",
    connector: "/connect/connectors.json",
    flow: "/connect/flows.json",
    cron: "/account/crons.json",
    run: "/connect/flow_processes.json",
  };
  const { body } = await ask("GET", `/account/access/counts.json?user_id=${id}`);
  assert.deepEqual(body.map(({ type }: { type: string }) => type), Object.keys(lists));
  await inTurn(
    body,
    async ({ type, visible, hidden_by }: { type: string; visible: number; hidden_by: { count: number }[] }) => {
      const listed = (await ask("GET", lists[type] ?? "", as(id))).headers.get("x-total-count") ?? "0";
      assert.equal(visible, Number(listed), `${type} as ${who}`);
      assert.equal(hidden_by.reduce((sum, { count }) => sum + count, visible), 3, `${type} as ${who}`);
    },
  );
}

inAccount(
  "view as: nothing but queries, nobody but admins, no other account's user; noted once an hour",
  async ({ ask, admin, server, play }) => {
    const { id, token } = await addPerson(ask, "manager", { name: "Ada" });
    const off = await addPerson(ask, "user", { active: false });
    const stranger = await addAccount(server);
    const words = /another user/;
    const refused = [
      ...ROUTES.filter((route) => !QUERIES.includes(route)),
      ...PLAIN_ROUTES.filter(({ callers, name }) => callers === "viewers" || /^(open_app|public_changes)$/.test(name)),
    ];
    assert.ok(refused.length > 80);
    await inTurn(refused, async ({ method, path, name }) => {
      const { status, body } = await ask(method as Method, addressOf({ path, name }), as(id));
      assert.deepEqual([status, words.test(body?.error)], [403, true], name);
    });
    const limited = await addToken(ask, { scopes: ["apps:read"] });
    const page_token = tokenIn(await ask("GET", await addApp(ask, { db_code: "none" }))) ?? "";
    const ME = "/account/me.json";
    const row = (name: string, sent: Sent, status: number, path = ME) => ({
      name,
      method: "GET" as const,
      path,
      sent,
      status,
    });
    const entries = async () => (await ask("GET", "/account/audit.json?action=view_as")).body;
    assert.deepEqual(await entries(), [], "a refusal is no view");
    await play([
      row("a manager may not", as(id, { token }), 403),
      row("a visitor neither", as(id, { token: null }), 401),
      row("nor a visitor where no login is needed", as(id, { token: null }), 401, "/platform/embeds.json?target=crm"),
      row("a wrong token is none", as(id, { token: "wrong" }), 401),
      row("another account's user is missing", as(stranger.id), 404),
      row("as a user that is not there", as(999_999), 404),
      row("an inactive user sees nothing", as(off.id), 403),
      ...["", "0", "x", "1.5", "-1", `${id}, 1`, "99999999999"].map((wrong) => row(`not as ${wrong}`, as(wrong), 400)),
      row(
        "a page's token",
        as(id, { token: null, headers: { "x-app-token": page_token } }),
        403,
        "/platform/embeds.json?target=crm",
      ),
      row("the admin's scopes stay", as(id, { token: limited }), 403, "/connect/flows.json"),
      row("and open what they open", as(id, { token: limited }), 200, "/platform/apps.json"),
      { ...row("HEAD", as(id), 200), method: "HEAD" as const },
    ]);
    const atrium = createClient({
      url: server.base_url,
      token: admin.token,
      headers: () => ({ "x-view-as": `${id}` }),
      fetch: (input, init) => server.handler(new Request(input, init)),
    });
    const [me, again] = await Promise.all([
      atrium.account.me.query(),
      atrium.account.me.query(),
      atrium.apps.list.query({}),
    ]);
    assert.deepEqual([me.user.id, me.user.role, again.user.name], [id, "manager", "Ada"]);
    await assert.rejects(atrium.audit.list.query({}), { message: /role admin/ });
    await assert.rejects(atrium.teams.create.mutate({ team: { name: "New" } }), { message: words });
    assert.deepEqual((await ask("GET", "/account/teams.json")).body, []);
    const line = new RegExp(`"user":${admin.id},"viewed_as":${id}}`);
    await until(() => server.logged.some((text) => line.test(text)), "the log names both");

    const other = await addPerson(ask, "admin");
    await Promise.all(Array.from({ length: 5 }, () => ask("GET", ME, as(id, { token: other.token }))));
    const noted = await entries();
    assert.deepEqual(
      noted.map((entry: Record<string, unknown>) => [entry.user_id, entry.object, entry.object_id, entry.via]),
      [
        [other.id, "user_setting", `${id}`, "token"],
        [admin.id, "user_setting", `${id}`, "token"],
      ],
    );
    const { request_id, ...call } = {
      request_id: "x",
      address: "127.0.0.1",
      request: new Request("http://atrium.test"),
    };
    const by = { ...EVERYONE, account_id: stranger.account_id, user_id: stranger.id };
    const sent = {
      ...call,
      request_id,
      path: "/",
      started: 0,
      is_head: false,
      token: undefined,
      viewer: undefined,
      caller: undefined,
      set_cookie: undefined,
      params: undefined,
      stamped: false,
    };
    await inTurn([[0, 1], [30, 1], [61, 2]], async ([minutes = 0, count]) => {
      const clock = { now: () => new Date(Date.now() + minutes * 60_000) };
      // As a process that has noted nothing.
      const views = createViews({ sql: server.sql, clock });
      await Promise.all([views.noteView(by, 7, sent), views.noteView(by, 7, sent)]);
      const { body } = await ask("GET", "/account/audit.json?action=view_as", { token: stranger.token });
      assert.equal(body.length, count, `after ${minutes} minutes`);
    });
  },
);

/** The rest of a viewer. */
const EVERYONE = {
  token_id: 1,
  session_id: null,
  role: "admin" as const,
  expires_at: null,
  scopes: null,
  restricted: false,
  department_ids: [],
  without_department: true,
};
