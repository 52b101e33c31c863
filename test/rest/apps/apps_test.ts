/** Fields of apps and their rules. The other files of this folder test edits, versions, pages and compilation. */
import assert from "node:assert/strict";
import { addAccount, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/platform/apps.json";
const at = (id: string) => `/platform/apps/${id}.json`;
const json = (app: unknown) => ({ json: { app } });

/** An app that is not compiled, so that the test is fast. */
const JS = { name: "Clock", app_engine: "js", css_engine: "none", source_code: "document.title = 'x';" };

const create = async (ask: Ask, app: Record<string, unknown> = {}) =>
  made(await ask("POST", ALL, json({ ...JS, ...app })));

const refused = (name: string, app: Record<string, unknown>, body: unknown): Scenario => ({
  name,
  method: "POST",
  path: ALL,
  sent: json({ ...JS, ...app }),
  status: 422,
  body,
});

inAccount("apps: create and read", async ({ server, ask, play }) => {
  const { id: created_by_id } = (await ask("GET", "/account/user_settings.json")).body[0];
  const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "D" } } })).id;
  const full = {
    name: "Kursy walut",
    url_code: "kursy",
    description: "What it does.\nAll of it.",
    app_engine: "html",
    css_engine: "tailwind",
    source_code: "\uFEFF \r\n<!doctype html>\t<p>Zażółć 👍 &amp; </p>\n\n",
    public: true,
    active: false,
    db_code: "rates",
    show_in_module: "tasks/show",
    dashboard_widget: true,
    prompt: "You are a clock.",
    actions: [
      { action: "refresh", flow_code: "rates_flow", description: "Fetches", public: true },
      { action: "send-mail_2", flow_code: "mail", description: null, public: false },
    ],
    fields: { color: "red", nested: { list: [1, 2.5, null, true, "x"] }, dashboard_widget: true },
    department_id: department,
  };
  await play([
    {
      name: "create: 201 with the whole app; omitted fields have their defaults",
      method: "POST",
      path: ALL,
      sent: json(JS),
      status: 201,
      body: {
        ...JS,
        id: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        url_code: null,
        description: null,
        public: false,
        active: true,
        db_code: null,
        show_in_module: null,
        dashboard_widget: false,
        prompt: null,
        actions: [],
        fields: {},
        department_id: null,
        app_build_time: 0,
        css_build_time: 0,
        lock_version: 0,
        created_by_id,
        updated_by_id: null,
        created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/,
        updated_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/,
      },
      then({ body }) {
        for (const omitted of ["account_id", "app_code", "css_code", "token"]) assert.ok(!(omitted in body), omitted);
        assert.equal(typeof body.config, "object");
      },
    },
    {
      name: "create: every field comes back as sent, the source to the character",
      method: "POST",
      path: ALL,
      sent: json(full),
      status: 201,
      body: full,
      then: async ({ body }) => assert.deepEqual((await ask("GET", at(body.id))).body, body),
    },
    {
      name: "create: read-only fields and unknown keys are ignored",
      method: "POST",
      path: ALL,
      sent: json({
        ...JS,
        id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
        config: { mine: true },
        app_code: "evil()",
        css_code: "x",
        app_build_time: 7,
        account_id: 99,
        created_by_id: 99,
        token: "x",
        lock_version: 9,
        nonsense: 1,
      }),
      status: 201,
      body: { app_build_time: 0, created_by_id, lock_version: 0 },
      then: ({ body }) => {
        assert.ok(!("mine" in body.config));
        assert.notEqual(body.id, "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55");
      },
    },
    ...["abc", "1", "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e5", "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", "%00"].map((
      id,
    ): Scenario => ({ name: `read: ${id} does not exist`, method: "GET", path: at(id), status: 404 })),
  ]);
  const [first, second] = [await create(ask), await create(ask)];
  assert.ok(first.id < second.id, "ids sort by time");
  assert.ok(!server.logged.join("\n").includes("Zażółć"), "sources are not logged");
});

inAccount("apps: validations", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  const theirs = made(
    await as(ask, stranger.token)("POST", "/account/departments.json", { json: { department: { name: "D" } } }),
  );
  await play([
    ...[undefined, null, "", " \n"].map((name) =>
      refused(`name: ${JSON.stringify(name)} is blank`, { name }, { name: ["can't be blank"] })
    ),
    refused("name: 256 characters", { name: "x".repeat(256) }, { name: ["is too long (maximum is 255 characters)"] }),
    ...["cobol", "Svelte", "", null, 1].flatMap((value) => [
      refused(`app_engine: ${JSON.stringify(value)}`, { app_engine: value }, { app_engine: /./ }),
      refused(`css_engine: ${JSON.stringify(value)}`, { css_engine: value }, { css_engine: /./ }),
    ]),
    refused("engines: in Rails' words", { app_engine: "cobol", css_engine: "less" }, {
      app_engine: ["is not included in the list"],
      css_engine: ["is not included in the list"],
    }),
    ...[undefined, null, "", " \n\t"].map((source_code) =>
      refused(`source_code: ${JSON.stringify(source_code)} is blank`, { source_code }, { source_code: /blank/ })
    ),
    refused("source_code: NUL", { source_code: "a\0b" }, { source_code: /./ }),
    refused("source_code: half of a surrogate pair", { source_code: "a\udfff" }, { source_code: /./ }),
    refused("flags: no coercion in JSON", { public: "true", active: 1, dashboard_widget: "1" }, {
      public: /boolean/,
      active: /boolean/,
      dashboard_widget: /boolean/,
    }),
    refused("texts: no numbers", { description: 1, db_code: 1, prompt: 1, url_code: 1, show_in_module: 1 }, {
      description: /./,
      db_code: /./,
      prompt: /./,
      url_code: /./,
      show_in_module: /./,
    }),
    refused("texts: NUL", { description: "\0", db_code: "\0", prompt: "\0", name: "a\0" }, {
      description: /./,
      db_code: /./,
      prompt: /./,
      name: /./,
    }),
    refused("fields: a list is no object", { fields: [] }, { fields: /./ }),
    refused("fields: nor is text", { fields: "{}" }, { fields: /./ }),
    refused("fields: NUL deep inside", { fields: { a: [{ b: "\0" }] } }, { fields: /./ }),
    refused("fields: a key that would be lost", { fields: JSON.parse('{"a":[{"__proto__":1}]}') }, {
      "fields.a.0.__proto__": ["is not a known field"],
    }),
    refused("fields: half of a surrogate pair in a key", { fields: { "\ud800": 1 } }, { fields: /./ }),
    refused("department_id: unknown", { department_id: 999_999 }, { department_id: /./ }),
    refused("department_id: another account's", { department_id: theirs.id }, { department_id: /./ }),
    refused("actions: no list", { actions: {} }, { actions: /./ }),
    refused("actions: by dotted path", { actions: [{ action: "a", flow_code: "f" }, { action: "b" }] }, {
      "actions.1.flow_code": /./,
    }),
    refused("actions: everything that is wrong", {
      actions: [{ flow_code: "f" }, { action: "", flow_code: "" }, { action: "a", flow_code: 1, public: "no" }, "x"],
    }, {
      "actions.0.action": ["can't be blank"],
      "actions.1.action": /./,
      "actions.1.flow_code": /blank/,
      "actions.2.flow_code": /./,
      "actions.2.public": /./,
      "actions.3": /./,
    }),
    refused("actions: NUL", { actions: [{ action: "a\0", flow_code: "f\0", description: "\0" }] }, {
      "actions.0.action": /./,
      "actions.0.flow_code": /./,
      "actions.0.description": /./,
    }),
    {
      name: "actions: description and public have defaults",
      method: "POST",
      path: ALL,
      sent: json({ ...JS, actions: [{ action: "go", flow_code: "flow" }] }),
      status: 201,
      body: { actions: [{ action: "go", flow_code: "flow", description: null, public: false }] },
    },
  ]);
  assert.equal((await ask("GET", ALL)).headers.get("x-total-count"), "1", "what is refused is not made");
});

inAccount("apps: 200,000 characters of source", async ({ play }) => {
  const sized = (name: string, source_code: string, status: number): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    // Served unchanged, whatever it says.
    sent: json({ ...JS, app_engine: "html", source_code }),
    status,
    body: status === 422 ? { source_code: ["is too long (maximum is 200000 characters)"] } : { source_code },
  });
  const escaped = `{"app":${
    JSON.stringify({ ...JS, source_code: "" }).replace('""', `"${"\\u0105".repeat(200_000)}"`)
  }}`;
  await play([
    sized("200,000 letters", "x".repeat(200_000), 201),
    sized("200,000 characters beyond the first plane, counted as code points", "😀".repeat(200_000), 201),
    sized("one letter more", "x".repeat(200_001), 422),
    sized("one character more beyond the first plane", "😀".repeat(200_001), 422),
    {
      name: "escaped, 200,000 characters still fit into the body",
      method: "POST",
      path: ALL,
      sent: { raw: escaped, headers: { "content-type": "application/json" } },
      status: 201,
      then: ({ body }) => assert.equal(body.source_code, "ą".repeat(200_000)),
    },
  ]);
});

inAccount("apps: update and delete", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  const app = await create(ask, { fields: { keep: 1 }, url_code: "app" });
  const theirs = made(await ask("POST", ALL, { ...json(JS), token: stranger.token }));
  const update = (name: string, changes: unknown, body: unknown, status = 200): Scenario => ({
    name,
    method: "PATCH",
    path: at(app.id),
    sent: json(changes),
    status,
    body,
  });
  const unchanged = { ...JS, url_code: "app", description: "New" };
  await play([
    update("only what is sent changes", { description: "New" }, {
      ...unchanged,
      lock_version: 1,
      updated_by_id: app.created_by_id,
    }),
    update("nothing sent", {}, unchanged),
    update("the source", { source_code: "1" }, { source_code: "1", app_engine: "js" }),
    update("the engine", { app_engine: "html" }, { source_code: "1", app_engine: "html" }),
    update("a blank name", { name: "" }, { name: ["can't be blank"] }, 422),
    update("an engine cannot be cleared", { app_engine: null }, { app_engine: /./ }, 422),
    update("a source cannot be cleared", { source_code: "" }, { source_code: ["can't be blank"] }, 422),
    update("dashboard_widget is written through, other keys of fields stay", { dashboard_widget: true }, {
      dashboard_widget: true,
      fields: { keep: 1, dashboard_widget: true },
    }),
    update("and back", { dashboard_widget: false }, {
      dashboard_widget: false,
      fields: { keep: 1, dashboard_widget: false },
    }),
    update("together with fields it joins those", { fields: { other: 2 }, dashboard_widget: true }, {
      dashboard_widget: true,
      fields: { other: 2, dashboard_widget: true },
    }),
    update("fields without the key keep it", { fields: { other: 3 } }, {
      dashboard_widget: true,
      fields: { other: 3, dashboard_widget: true },
    }),
    update("fields.dashboard_widget must be a boolean", { fields: { dashboard_widget: "true" } }, {
      "fields.dashboard_widget": ["must be a boolean"],
    }, 422),
    update("null is no boolean", { fields: { dashboard_widget: null } }, {
      "fields.dashboard_widget": ["must be a boolean"],
    }, 422),
    update("fields.dashboard_widget is the same thing", { fields: { dashboard_widget: false } }, {
      dashboard_widget: false,
    }),
    update("actions are replaced", { actions: [{ action: "a", flow_code: "f" }] }, {
      actions: [{ action: "a", flow_code: "f", description: null, public: false }],
    }),
    update("null clears what may be empty", { description: null, db_code: null, show_in_module: null, prompt: null }, {
      description: null,
    }),
    update("a stale lock_version is 409 with the current app", { name: "Late", lock_version: 0 }, {
      current: { id: app.id, name: JS.name, source_code: "1" },
    }, 409),
  ]);
  const { body: now } = await ask("GET", at(app.id));
  const stale = await ask("PATCH", at(app.id), json({ name: "Late", lock_version: 0 }));
  assert.deepEqual(stale.body.current, now, "`current` is the whole app, and nothing is changed");
  await play([
    update("the present lock_version is taken", { name: "In time", lock_version: now.lock_version }, {
      name: "In time",
      lock_version: now.lock_version + 1,
    }),
    { name: "update: another account's", method: "PATCH", path: at(theirs.id), sent: json({}), status: 404 },
    { name: "delete: another account's", method: "DELETE", path: at(theirs.id), status: 404 },
    { name: "delete: 204 and empty", method: "DELETE", path: at(app.id), status: 204 },
    { name: "delete: again", method: "DELETE", path: at(app.id), status: 404 },
    { name: "read: a deleted one", method: "GET", path: at(app.id), status: 404 },
    {
      name: "its url_code is free again",
      method: "POST",
      path: ALL,
      sent: json({ ...JS, url_code: "app" }),
      status: 201,
    },
  ]);
});

inAccount("apps: list", async ({ server, ask }) => {
  const actions = [{ action: "refresh", flow_code: "rates_flow" }];
  await create(await theirs(ask, server), { name: "Theirs", actions });
  await create(ask, { name: "beta", public: true, description: "100% of_it\\", show_in_module: "mail", actions });
  await create(ask, { name: "Alpha", active: false, dashboard_widget: true, show_in_module: "tasks/show" });
  await create(ask, { name: "gamma", app_engine: "html", url_code: "third-one" });
  const lists = async (query: string, ...names: string[]) => {
    const { body, headers } = await ask("GET", `${ALL}?${query}`);
    assert.deepEqual(body.map(({ name }: { name: string }) => name), names, query);
    assert.equal(headers.get("x-total-count"), `${names.length}`, query);
    assert.ok(body.every((app: object) => !("source_code" in app)), "without the source");
  };
  const cases: [query: string, names: string[]][] = [
    ["sort=name", ["Alpha", "beta", "gamma"]],
    ["sort=-name", ["gamma", "beta", "Alpha"]],
    ["sort=created_at", ["beta", "Alpha", "gamma"]],
    ["sort=-created_at", ["gamma", "Alpha", "beta"]],
    ["q=ALPH", ["Alpha"]],
    ["q=third", ["gamma"]],
    ["q=100%25", ["beta"]],
    ["q=of_", ["beta"]],
    ["q=%25", ["beta"]],
    ["q=_", ["beta"]],
    ["q=%5C", ["beta"]],
    ["q=nothing", []],
    ["app_engine=html", ["gamma"]],
    ["action=REFRESH", ["beta"]],
    ["action=refresh&sort=name&active=false", []],
    ["public=true", ["beta"]],
    ["public=false&sort=name", ["Alpha", "gamma"]],
    ["active=false", ["Alpha"]],
    ["show_in_module=mail", ["beta"]],
    ["show_in_module=tasks/show", ["Alpha"]],
    ["dashboard_widget=true", ["Alpha"]],
    ["dashboard_widget=false&sort=name", ["beta", "gamma"]],
    ["active=true&app_engine=js", ["beta"]],
  ];
  await inTurn(cases, ([query, names]) => lists(query, ...names));
  await inTurn(["public=yes", "active=", "app_engine=cobol", "dashboard_widget=null", "q=%00"], async (query) => {
    assert.equal((await ask("GET", `${ALL}?${query}`)).status, 400, query);
  });
});

const theirs = async (ask: Ask, server: Parameters<typeof addAccount>[0]) => as(ask, (await addAccount(server)).token);
