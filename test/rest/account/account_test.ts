/** The account, its teams, groups and mailboxes. */
import assert from "node:assert/strict";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const json = (account: unknown) => ({ json: { account } });

inAccount("directory: an update with an outdated lock_version is 409 with the current state", async ({ ask }) => {
  const rows = [
    ["/account/teams", "team", { name: "One" }],
    ["/account/groups", "group", { name: "One" }],
    ["/account/mailboxes", "mailbox", { name: "One" }],
    ["/account/user_settings", "user_setting", { name: "One", email: "one@example.com" }],
  ] as const;
  await inTurn(rows, async ([path, wrapper, fields]) => {
    const { id, lock_version } = made(await ask("POST", `${path}.json`, { json: { [wrapper]: fields } }));
    assert.equal(lock_version, 0, path);
    const change = (json: Record<string, unknown>) => ask("PATCH", `${path}/${id}.json`, { json: { [wrapper]: json } });
    const first = await change({ name: "Two", lock_version });
    assert.deepEqual([first.status, first.body.name, first.body.lock_version], [200, "Two", 1], path);
    const late = await change({ name: "Three", lock_version });
    assert.deepEqual([late.status, late.body.code, late.body.current], [409, "conflict", first.body], path);
    assert.deepEqual((await change({ name: "Three" })).body.lock_version, 2, `${path} without lock_version`);
    assert.equal((await change({ lock_version: -1 })).status, 422, path);
    const gone = await ask("PATCH", `${path}/999999.json`, { json: { [wrapper]: { name: "x", lock_version: 0 } } });
    assert.equal(gone.status, 404, path);
  });
});

inAccount(
  "account: the oldest one may take the server's own host; another one keeps it by the operator",
  async (stage) => {
    const { server, ask } = stage;
    const set = (host: string | null) => server.request("PATCH", "/account.json", json({ host }));
    assert.deepEqual([(await set("atrium.test")).status, (await set(null)).status], [200, 200]);
    const { body: { id } } = await ask("GET", "/account.json");
    await server.sql`update accounts set host = 'atrium.test' where id = ${id}`;
    const kept = await ask("PATCH", "/account.json", json({ name: "Given", host: "atrium.test" }));
    await server.sql`update accounts set host = null where id = ${id}`;
    assert.equal(kept.status, 200);
  },
);

inAccount("account: read and update", async ({ server, ask, play }) => {
  const stranger = await addAccount(server, "taken.example.com");
  const theirs = as(ask, stranger.token);
  const department = made(
    await theirs("POST", "/account/departments.json", { json: { department: { name: "Theirs" } } }),
  );
  const first = made(await ask("POST", "/account/departments.json", { json: { department: { name: "First" } } }));
  const second = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Second" } } }));
  const update = (name: string, account: unknown, rest: Partial<Scenario> = {}): Scenario => ({
    name,
    method: "PATCH",
    path: "/account.json",
    sent: json(account),
    status: 200,
    ...rest,
  });
  await play([
    {
      name: "read: the caller's account",
      method: "GET",
      path: "/account.json",
      status: 200,
      body: { host: null, main_department_id: first.id, departments: { mode: "restricted" } },
      then: ({ body }) =>
        assert.deepEqual(
          Object.keys(body).sort(),
          ["departments", "host", "id", "main_department_id", "name", "rate_limits", "sign_in"],
        ),
    },
    {
      name: "read: another caller's account is another",
      method: "GET",
      path: "/account.json",
      sent: { token: stranger.token },
      status: 200,
      body: { id: stranger.account_id, name: "Strangers", host: "taken.example.com" },
    },
    update("update: the name, trimmed; the rest stays", { name: " Atrium " }, {
      body: { name: "Atrium", main_department_id: first.id, departments: { mode: "restricted" } },
    }),
    update("update: the mode", { departments: { mode: "open" } }, { body: { departments: { mode: "open" } } }),
    update("update: a mode that is none", { departments: { mode: "closed" } }, {
      status: 422,
      body: { "departments.mode": ["is not included in the list"] },
    }),
    update("update: departments must be an object", { departments: "open" }, {
      status: 422,
      body: { departments: /./ },
    }),
    update("update: a blank name", { name: " " }, { status: 422, body: { name: ["can't be blank"] } }),
    update("update: the host", { host: "Apps.Example.com" }, { body: { host: "apps.example.com" } }),
    update("update: another account's host is taken", { host: "taken.example.com" }, {
      status: 422,
      body: { host: ["has already been taken"] },
    }),
    ...["http://x.test", "a b", "x/y", "\0", "<script>"].map((host) =>
      update(`update: ${JSON.stringify(host)} is no host`, { host }, { status: 422, body: { host: /./ } })
    ),
    ...["atrium.test", "Atrium.test:80"].map((host) =>
      update(`update: ${host} is the server's own host, where the oldest account's members sign in`, { host }, {
        status: 422,
        body: { host: ["is the server's own host, which belongs to the oldest account"] },
      })
    ),
    update("update: null clears the host", { host: null }, { body: { host: null } }),
    update("update: the main department", { main_department_id: second.id }, {
      body: { main_department_id: second.id },
    }),
    update("update: another account's department is none", { main_department_id: department.id }, {
      status: 422,
      body: { main_department_id: /./ },
    }),
    update("update: id and unknown keys are ignored", { id: 99, departments_mode: "x" }, {
      body: { name: "Atrium", main_department_id: second.id },
    }),
    { name: "DELETE is 405", method: "DELETE", path: "/account.json", status: 405 },
  ]);
});

inAccount(
  "teams, groups, mailboxes: lists count members, name departments, and are searched",
  async ({ ask, play }) => {
    const add = async (path: string, json: unknown): Promise<number> => made(await ask("POST", path, { json })).id;
    const [night] = [
      await add("/account/teams.json", { team: { name: "Night Łodź" } }),
      await add("/account/teams.json", { team: { name: "Day" } }),
    ];
    const group = await add("/account/groups.json", { group: { name: "Group" } });
    const box = await add("/account/mailboxes.json", { mailbox: { name: "Info", email: "Info@Example.com" } });
    const departments = ["Sales", "buying"].map((name) => ({ name, mailbox_ids: [box] }));
    const [sales, buying] = [
      await add("/account/departments.json", { department: departments[0] }),
      await add("/account/departments.json", { department: departments[1] }),
    ];
    await addPerson(ask, "user", { team_ids: [night], group_ids: [group] });
    await addPerson(ask, "user", { team_ids: [night] });
    const list = (path: string, body: unknown) => ({ name: path, method: "GET" as const, path, status: 200, body });
    await play([
      list("/account/teams.json", [{ name: "Day", user_count: 0 }, { name: "Night Łodź", user_count: 2 }]),
      list(`/account/teams.json?q=${encodeURIComponent("łODź")}`, [{ id: night }]),
      list("/account/teams.json?q=%25", []),
      list(`/account/teams.json?id=${night}`, [{ id: night }]),
      list("/account/groups.json", [{ user_count: 1 }]),
      list("/account/mailboxes.json?q=@example", [{
        id: box,
        departments: [{ id: buying, name: "buying" }, { id: sales, name: "Sales" }],
      }]),
    ]);
  },
);

const DIRECTORIES = [
  { path: "teams", wrapper: "team", more: {}, wrong: {} },
  { path: "groups", wrapper: "group", more: {}, wrong: {} },
  { path: "mailboxes", wrapper: "mailbox", more: { email: "info@example.com" }, wrong: { email: "nobody" } },
];

inAccount("teams, groups, mailboxes: list, create, update, delete", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  await inTurn(DIRECTORIES, async ({ path: directory, wrapper, more, wrong }) => {
    const all = `/account/${directory}.json`;
    const sent = (fields: unknown) => ({ json: { [wrapper]: fields } });
    const foreign = made(await ask("POST", all, { ...sent({ name: "Theirs" }), token: stranger.token }));
    const { id } = made(await ask("POST", all, sent({ name: " First ", ...more })));
    const at = (id: unknown) => `/account/${directory}/${id}.json`;
    const refused = (name: string, fields: unknown, body: unknown): Scenario => ({
      name: `${wrapper}: ${name}`,
      method: "POST",
      path: all,
      sent: sent(fields),
      status: 422,
      body,
    });
    await play([
      {
        name: `${wrapper}: create`,
        method: "POST",
        path: all,
        sent: sent({ name: "Second" }),
        status: 201,
        body: { name: "Second", ...(directory === "mailboxes" && { email: null }) },
      },
      refused("a name in another case is taken", { name: "FIRST" }, { name: ["has already been taken"] }),
      refused("a name is needed", {}, { name: ["can't be blank"] }),
      refused("a name has at most 255 characters", { name: "x".repeat(256) }, { name: /255/ }),
      ...(directory === "mailboxes" ? [refused("an e-mail is one", { name: "x", ...wrong }, { email: /./ })] : []),
      {
        name: `${wrapper}: update`,
        method: "PATCH",
        path: at(id),
        sent: sent({ name: "Renamed" }),
        status: 200,
        body: { id, name: "Renamed", ...more },
      },
      {
        name: `${wrapper}: update without anything`,
        method: "PATCH",
        path: at(id),
        sent: sent({}),
        status: 200,
        body: { id, name: "Renamed", ...more },
      },
      {
        name: `${wrapper}: list`,
        method: "GET",
        path: all,
        status: 200,
        body: [{ name: "Renamed", ...more }, { name: "Second" }],
      },
      {
        name: `${wrapper}: another account's update`,
        method: "PATCH",
        path: at(foreign.id),
        sent: sent({}),
        status: 404,
      },
      { name: `${wrapper}: another account's delete`, method: "DELETE", path: at(foreign.id), status: 404 },
      { name: `${wrapper}: there is no route that reads one`, method: "GET", path: at(id), status: 405 },
      { name: `${wrapper}: delete`, method: "DELETE", path: at(id), status: 204 },
      { name: `${wrapper}: delete again`, method: "DELETE", path: at(id), status: 404 },
    ]);
  });
});
