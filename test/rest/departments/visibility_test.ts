/** Visibility by department in a restricted account; the rule is in docs/api.md, "Departments and visibility". */
import assert from "node:assert/strict";
import { addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onOwnServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onOwnServer();

const APPS = "/platform/apps.json";
const at = (id: string, rest = "") => `/platform/apps/${id}${rest}.json`;

interface Listed {
  name: string;
}

async function setUp(ask: Ask) {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [own, other] = [await department("Own"), await department("Other")];
  const app = async (name: string, fields: Record<string, unknown>): Promise<string> =>
    made(
      await ask("POST", APPS, {
        json: { app: { name, app_engine: "js", source_code: "1", url_code: name, ...fields } },
      }),
    ).id;
  const apps = {
    own: await app("own", { department_id: own }),
    other: await app("other", { department_id: other }),
    none: await app("none", { department_id: null }),
    public_other: await app("public_other", { department_id: other, public: true }),
  };
  return { own, other, apps };
}

const setMode = (ask: Ask, mode: string) =>
  ask("PATCH", "/account.json", { json: { account: { departments: { mode } } } });

inAccount("visibility: lists, counts and pages", async ({ ask }) => {
  const { own } = await setUp(ask);
  const all = ["none", "other", "own", "public_other"];
  const sees = async (token: string, names: string[], why: string) => {
    const { body, headers } = await ask("GET", `${APPS}?sort=name`, { token });
    assert.deepEqual(body.map(({ name }: Listed) => name), names, why);
    assert.equal(headers.get("x-total-count"), `${names.length}`, `${why}: the count`);
    const paged = await ask("GET", `${APPS}?sort=name&per_page=1&page=${names.length || 1}`, { token });
    assert.deepEqual(paged.body.map(({ name }: Listed) => name), names.slice(-1), `${why}: the last page`);
    const found = await ask("GET", `${APPS}?q=OTHER`, { token });
    assert.equal(found.body.length, names.filter((name) => name.includes("other")).length, `${why}: a search`);
  };
  await inTurn(["user", "manager"] as const, async (role) => {
    const flagged = await addPerson(ask, role, { department_ids: [own] });
    const strict = await addPerson(ask, role, { department_ids: [own], without_department: false });
    const nowhere = await addPerson(ask, role);
    const nothing = await addPerson(ask, role, { without_department: false });
    await setMode(ask, "open");
    await sees(nothing.token, all, `${role}: in an open account everybody sees everything`);
    await setMode(ask, "restricted");
    await sees(flagged.token, ["none", "own"], `${role}: its own, and without a department`);
    await sees(strict.token, ["own"], `${role}: its own`);
    await sees(nowhere.token, ["none"], `${role}: those without a department`);
    await sees(nothing.token, [], `${role}: nothing`);
    await ask("PATCH", `/account/user_settings/${nothing.id}.json`, {
      json: { user_setting: { without_department: true } },
    });
    await sees(nothing.token, ["none"], `${role}: the flag holds at once`);
    await ask("PATCH", `/account/departments/${own}.json`, {
      json: { department: { user_setting_ids: [nothing.id] } },
    });
    await sees(nothing.token, ["none", "own"], `${role}: an assignment holds at once`);
    await sees(strict.token, [], `${role}: so does its end`);
  });
  const admin = await addPerson(ask, "admin", { without_department: false });
  await sees(admin.token, all, "an admin sees everything");
});

inAccount("visibility: a hidden app is a missing one, on every route", async ({ ask, play }) => {
  const { own, other, apps } = await setUp(ask);
  const manager = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
  const theirs = as(ask, manager.token);
  await ask("PATCH", at(apps.other), { json: { app: { source_code: "2" } } });
  const { body: before } = await ask("GET", at(apps.other));
  const missing = at("0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55");
  const hidden = (method: Scenario["method"], path: string, json?: unknown): Scenario => ({
    name: `${method} ${path.replace(/[0-9a-f-]{36}/, ":id")}`,
    method,
    path,
    sent: { token: manager.token, json },
    status: 404,
    then: async ({ body }) => assert.deepEqual(body, (await ask("GET", missing)).body),
  });
  const replacement = { field: "source_code", old: "2", new: "3" };
  await play([
    hidden("GET", at(apps.other)),
    hidden("PATCH", at(apps.other), { app: { name: "Mine" } }),
    hidden("PATCH", at(apps.other), { app: { department_id: own } }),
    hidden("PATCH", at(apps.other, "/replace"), replacement),
    hidden("GET", at(apps.other, "/versions")),
    hidden("POST", at(apps.other, "/versions/1/restore"), {}),
    hidden("DELETE", at(apps.other)),
    hidden("GET", at(apps.none)),
    hidden("GET", at(apps.public_other)),
  ]);
  assert.deepEqual((await ask("GET", at(apps.other))).body, before, "nothing is changed");
  const write = (name: string, department_id: number | null, status: number): Scenario => ({
    name,
    method: "POST",
    path: APPS,
    sent: { token: manager.token, json: { app: { name, app_engine: "js", source_code: "1", department_id } } },
    status,
    ...(status === 422 && { body: { department_id: /./ } }),
  });
  await play([
    { name: "its own app opens", method: "GET", path: at(apps.own), sent: { token: manager.token }, status: 200 },
    write("an app in its own department", own, 201),
    write("an app in another department, where it would not see it", other, 422),
    write("an app without a department, likewise", null, 422),
    {
      name: "a manager does not move an app there",
      method: "PATCH",
      path: at(apps.own),
      sent: { token: manager.token, json: { app: { department_id: other } } },
      status: 422,
      body: { department_id: /./ },
    },
  ]);
  await ask("DELETE", `/account/departments/${own}.json`);
  const { body: left } = await ask("GET", at(apps.own));
  assert.equal(left.department_id, null, "the apps of a deleted department have none");
  assert.equal((await theirs("GET", at(apps.own))).status, 404, "and are hidden from who sees none of those");
});

inAccount("visibility: opening apps", async ({ ask, play }) => {
  const { own, apps } = await setUp(ask);
  const guest = await addPerson(ask, "guest", { department_ids: [own], without_department: false });
  const open = (name: string, path: string, token: string | null, status: number): Scenario => ({
    name,
    method: "GET",
    path,
    sent: { token },
    status,
  });
  await play([
    open("a private app of its own department", "/a/own", guest.token, 200),
    open("a private app of another department is missing", "/a/other", guest.token, 404),
    open("by its id, too", `/a/${apps.other}`, guest.token, 404),
    open("a private app without a department is missing", "/a/none", guest.token, 404),
    open("a public app opens for everybody", "/a/public_other", null, 200),
    open("and for those who would not see it were it private", "/a/public_other", guest.token, 200),
  ]);
}, { of_default: true });
