/** Users, and their flag `without_department`. Source: spec, "User flag". */
import assert from "node:assert/strict";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/user_settings.json";
const at = (id: unknown) => `/account/user_settings/${id}.json`;
const json = (user_setting: unknown) => ({ json: { user_setting } });

inAccount("users: create", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  const [team, group, department] = [
    made(await ask("POST", "/account/teams.json", { json: { team: { name: "Team" } } })).id,
    made(await ask("POST", "/account/groups.json", { json: { group: { name: "Group" } } })).id,
    made(await ask("POST", "/account/departments.json", { json: { department: { name: "Department" } } })).id,
  ];
  const theirs = made(
    await as(ask, stranger.token)("POST", "/account/teams.json", { json: { team: { name: "Theirs" } } }),
  );
  const refused = (name: string, fields: unknown, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: json(fields),
    status: 422,
    body,
  });
  await play([
    {
      name: "create: an e-mail is enough, without_department is true by default",
      method: "POST",
      path: ALL,
      sent: json({ email: "ada@example.com" }),
      status: 201,
      body: {
        email: "ada@example.com",
        role: "user",
        team_ids: [],
        group_ids: [],
        department_ids: [],
        without_department: true,
        active: true,
      },
      then: ({ body }) => {
        const fields = ["login", "email", "name", "role", "team_ids", "group_ids", "department_ids"];
        const more = ["id", "without_department", "active", "lock_version", "created_at", "updated_at"];
        assert.deepEqual(Object.keys(body).sort(), [...fields, ...more].sort());
        assert.ok(Number.isInteger(body.id));
      },
    },
    {
      name: "create: every field comes back as sent, but the password",
      method: "POST",
      path: ALL,
      sent: json({
        login: "bob",
        email: "bob@example.com",
        name: "Bób",
        role: "manager",
        team_ids: [team],
        group_ids: [group],
        department_ids: [department],
        without_department: false,
        active: false,
        password: "correct horse battery",
      }),
      status: 201,
      body: {
        login: "bob",
        email: "bob@example.com",
        name: "Bób",
        role: "manager",
        team_ids: [team],
        group_ids: [group],
        department_ids: [department],
        without_department: false,
        active: false,
      },
      then: ({ body }) => assert.doesNotMatch(JSON.stringify(body), /correct horse|scrypt|password/),
    },
    refused("an e-mail is needed", { name: "Nobody" }, { email: ["can't be blank"] }),
    refused("an e-mail looks like one", { email: "nobody" }, { email: /./ }),
    refused("an e-mail is unique without regard to case", { email: "ADA@Example.com", login: "ada2" }, {
      email: /taken/,
    }),
    refused("a login is unique without regard to case", { email: "x@example.com", login: "BOB" }, { login: /taken/ }),
    refused("a role is one of four", { email: "x@example.com", role: "owner" }, {
      role: ["is not included in the list"],
    }),
    refused("a flag is true or false", { email: "x@example.com", without_department: "false", active: 1 }, {
      without_department: /boolean/,
      active: /boolean/,
    }),
    refused("unknown ids are named", {
      email: "x@example.com",
      team_ids: [999_999],
      group_ids: [999_999],
      department_ids: [999_999],
    }, { team_ids: /./, group_ids: /./, department_ids: /./ }),
    refused("another account's team is unknown", { email: "x@example.com", team_ids: [theirs.id] }, {
      team_ids: /./,
    }),
    refused("NUL and half of a surrogate pair", { email: "a\0@example.com", name: "\udc00", login: "\0" }, {
      email: /./,
      name: /./,
      login: /./,
    }),
    refused("a password of seven characters is too short", { email: "x@example.com", password: "1234567" }, {
      password: /too short/,
    }),
    ...["password1", "bridget.oconnor", "ExampleBridget"].map((password) =>
      refused(`a password that is easy to guess: ${password}`, { email: "bridget.oconnor@example.com", password }, {
        password: /^is too easy to guess\. \S.*\.$/,
      })
    ),
    {
      name: "another account may have the same user",
      method: "POST",
      path: ALL,
      sent: { ...json({ email: "ada@example.com" }), token: stranger.token },
      status: 201,
    },
    {
      name: "list: no users of refused requests or other accounts",
      method: "GET",
      path: ALL,
      status: 200,
      body: [{ role: "admin" }, { email: "ada@example.com" }, { email: "bob@example.com" }],
      headers: { "x-total-count": "3" },
    },
  ]);
});

inAccount("users: update and delete", async ({ server, ask, admin, play }) => {
  const stranger = await addAccount(server);
  const ada = await addPerson(ask, "user", { name: "Ada" });
  const team = made(await ask("POST", "/account/teams.json", { json: { team: { name: "Team" } } })).id;
  const update = (name: string, fields: unknown, rest: Partial<Scenario> = {}): Scenario => ({
    name,
    method: "PATCH",
    path: at(ada.id),
    sent: json(fields),
    status: 200,
    ...rest,
  });
  await play([
    update("without_department: as the specification sends it", { without_department: false }, {
      body: { id: ada.id, name: "Ada", without_department: false },
    }),
    update("without_department: and back", { without_department: true }, { body: { without_department: true } }),
    update("without_department: null is refused", { without_department: null }, {
      status: 422,
      body: { without_department: /./ },
    }),
    update("only what is sent changes", { team_ids: [team] }, {
      body: { name: "Ada", team_ids: [team], role: "user" },
    }),
    update("nothing sent", {}, { body: { name: "Ada", team_ids: [team] } }),
    update("an empty list clears", { team_ids: [] }, { body: { team_ids: [] } }),
    update("a blank name", { name: "" }, { status: 422, body: { name: ["can't be blank"] } }),
    update("a password that is the user's name", { password: "Ada Ada Ada" }, {
      status: 422,
      body: { password: /too easy to guess/ },
    }),
    update("a missing one with a password", { password: "correct horse battery" }, { path: at(999_999), status: 404 }),
    update("a missing one", { name: "x" }, { path: at(999_999), status: 404 }),
    update("another account's", { name: "x" }, { path: at(stranger.id), status: 404 }),
    { name: "read: another account's", method: "GET", path: at(stranger.id), status: 404 },
    { name: "delete: another account's", method: "DELETE", path: at(stranger.id), status: 404 },
    ...[{ role: "manager" }, { active: false }].map((fields) =>
      update(`the last admin keeps ${Object.keys(fields)}`, fields, {
        path: at(admin.id),
        status: 422,
        body: { base: /admin/ },
      })
    ),
    {
      name: "the last admin is not deleted",
      method: "DELETE",
      path: at(admin.id),
      status: 422,
      body: { base: /admin/ },
    },
    {
      name: "it is still there",
      method: "GET",
      path: at(admin.id),
      status: 200,
      body: { role: "admin", active: true },
    },
    update("an admin that is not active does not count", { role: "admin", active: false }),
    { name: "the last admin stays", method: "DELETE", path: at(admin.id), status: 422, body: { base: /admin/ } },
    update("with a second active one", { active: true }),
    update("an admin may go", { role: "manager" }, {
      path: at(admin.id),
      sent: { ...json({ role: "manager" }), token: ada.token },
    }),
    { name: "and be deleted", method: "DELETE", path: at(admin.id), sent: { token: ada.token }, status: 204 },
    { name: "with its tokens", method: "GET", path: "/account.json", status: 401 },
  ]);
});

inAccount("users: list", async ({ ask, admin, play }) => {
  const made_in_order = [
    { email: "b@example.com", login: "zoe", role: "manager" },
    { email: "C@example.com", login: "Adam", active: false },
    { email: "a@example.com", login: "Żaneta", role: "guest" },
  ];
  await inTurn(made_in_order, async (user) => made(await ask("POST", ALL, json(user))));
  const lists = (query: string, ...emails: string[]): Scenario => ({
    name: query,
    method: "GET",
    path: `${ALL}?${query}`,
    status: 200,
    body: emails.map((email) => ({ email })),
    headers: { "x-total-count": `${emails.length}` },
  });
  const { body: { email: own } } = await ask("GET", at(admin.id));
  await play([
    lists("sort=id", own, "b@example.com", "C@example.com", "a@example.com"),
    lists("sort=-created_at", "a@example.com", "C@example.com", "b@example.com", own),
    lists("sort=email", "a@example.com", "b@example.com", "C@example.com", own),
    lists("sort=login&active=true&role=manager", "b@example.com"),
    lists("role=guest", "a@example.com"),
    lists("active=false", "C@example.com"),
    { name: "a role that is none", method: "GET", path: `${ALL}?role=owner`, status: 400 },
  ]);
});

inAccount("users: everybody reads itself, and what changes holds at once", async ({ ask, play }) => {
  const [guest, user, manager] = [
    await addPerson(ask, "guest"),
    await addPerson(ask, "user"),
    await addPerson(ask, "manager"),
  ];
  const read = (name: string, token: string, id: number, status: number): Scenario => ({
    name,
    method: "GET",
    path: at(id),
    sent: { token },
    status,
  });
  await play([
    read("a guest reads itself", guest.token, guest.id, 200),
    read("a guest does not read others", guest.token, user.id, 403),
    read("a user reads itself", user.token, user.id, 200),
    read("a user does not read others", user.token, guest.id, 403),
    read("a manager reads others", manager.token, user.id, 200),
    {
      name: "a user does not change itself",
      method: "PATCH",
      path: at(user.id),
      sent: { ...json({ name: "x" }), token: user.token },
      status: 403,
    },
    {
      name: "a manager does not make itself an admin",
      method: "PATCH",
      path: at(manager.id),
      sent: { ...json({ role: "admin" }), token: manager.token },
      status: 403,
    },
    { name: "a role is raised", method: "PATCH", path: at(user.id), sent: json({ role: "manager" }), status: 200 },
    read("and holds at once", user.token, guest.id, 200),
    { name: "a role is lowered", method: "PATCH", path: at(user.id), sent: json({ role: "guest" }), status: 200 },
    read("and holds at once, too", user.token, guest.id, 403),
    { name: "a user is switched off", method: "PATCH", path: at(user.id), sent: json({ active: false }), status: 200 },
    read("its token opens nothing any more", user.token, user.id, 401),
    { name: "a user is switched on", method: "PATCH", path: at(user.id), sent: json({ active: true }), status: 200 },
    read("its token opens again", user.token, user.id, 200),
    { name: "a user is deleted", method: "DELETE", path: at(user.id), status: 204 },
    read("its token is gone", user.token, user.id, 401),
  ]);
});
