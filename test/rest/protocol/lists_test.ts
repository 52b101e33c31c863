/** Rules of every list: a bare array, pages, orders, headers. Tested with departments, then on each list route. */
import assert from "node:assert/strict";
import { z } from "zod";
import { addressOf, NO_UUID, ROUTES } from "../../stage/addresses.ts";
import { addAccount, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";

const IN_DEPARTMENTS = [
  ["/platform/apps.json", "app", { app_engine: "html", css_engine: "none", source_code: "x" }],
  ["/platform/dbs.json", "db", {}],
  ["/connect/connectors.json", "connector", { kind: "platform/custom_connector", url: "https://example.com" }],
  ["/connect/flows.json", "flow", { kind: "platform/custom_flow", fields: { program: [] } }],
  ["/account/crons.json", "cron", { target_code: "all", schedule: "0 9 * * *" }],
] as const;

inAccount("lists: they filter by department_id", async ({ ask }) => {
  const department = made(await ask("POST", ALL, { json: { department: { name: "Sales" } } }));
  made(
    await ask("POST", "/connect/flows.json", {
      json: { flow: { name: "All", code: "all", kind: "platform/custom_flow" } },
    }),
  );
  const namesIn = async (path: string) =>
    (await ask("GET", path)).body.map(({ name }: { name: string }) => name).filter((name: string) => name !== "All");
  await inTurn(IN_DEPARTMENTS, async ([path, wrapper, fields]) => {
    await inTurn([["Inside", department.id], ["Outside", null]], async ([name, department_id]) => {
      made(await ask("POST", path, { json: { [wrapper]: { name, department_id, ...fields } } }));
    });
    assert.deepEqual(await namesIn(`${path}?department_id=${department.id}`), ["Inside"], path);
    assert.deepEqual(await namesIn(`${path}?department_id=`), ["Outside"], path);
    assert.deepEqual(await namesIn(`${path}?department_id=999999`), [], path);
    assert.equal((await ask("GET", `${path}?department_id=x`)).status, 400, path);
  });
  const records = "/platform/dbs/inside/records.json";
  await inTurn([department.id, null], async (department_id) => {
    made(await ask("POST", records, { json: { record: { data: {}, department_id } } }));
  });
  const departmentsIn = async (query: string) =>
    (await ask("GET", `${records}?${query}`)).body.map(({ department_id }: { department_id: number }) => department_id);
  assert.deepEqual(await departmentsIn(`department_id=${department.id}`), [department.id]);
  assert.deepEqual(await departmentsIn("department_id="), [null]);
  assert.deepEqual((await ask("GET", `/connect/flow_processes.json?department_id=${department.id}`)).body, []);
});

inAccount("lists: unknown parameters, and a module that is none, are 400", async ({ ask }) => {
  const paths = ROUTES.filter(({ is_list, params }) => is_list && params.length === 0).map(({ path }) => path);
  assert.ok(paths.length > 10);
  await inTurn(paths, async (path) => {
    const { status, body } = await ask("GET", `${path}?departmen_id=1`);
    assert.deepEqual([status, body.error], [400, "This list has no parameter departmen_id"], path);
  });
  const others = ROUTES.filter(({ is_list, query }) => !is_list && query.length > 0);
  assert.ok(others.length > 5 && others.some(({ path }) => path === "/account/operations.json"));
  await inTurn(others, async (route) => {
    const { status, body } = await ask(route.method, `${addressOf(route)}?databse=false`);
    assert.deepEqual([status, body.error], [400, "This address has no parameter databse"], route.name);
  });
  const action = await ask("GET", `/platform/apps/${NO_UUID}/action/go/status?flow_process_id=${NO_UUID}&nonsense=1`);
  assert.deepEqual([action.status, action.body.error], [400, "This address has no parameter nonsense"]);
  const department = made(await ask("POST", ALL, { json: { department: { name: "Sales" } } }));
  const db = made(
    await ask("POST", "/platform/dbs.json", { json: { db: { name: "Open", public_methods: { list: {} } } } }),
  );
  const plain = [
    `/account/departments/${department.id}/footer.html`,
    `/platform/dbs/${db.code}/changes`,
    `/platform/db/${db.code}/changes`,
    "/connect/flow_processes/changes",
  ];
  await inTurn(plain, async (path) => {
    assert.equal((await ask("HEAD", path)).status, 200, path);
    const { status, body } = await ask("GET", `${path}?databse=false`);
    assert.deepEqual([status, body.error], [400, "There is no parameter databse"], path);
  });
  assert.equal((await ask("GET", `/platform/db/${db.code}/changes?table_name=a`)).status, 400);
  assert.equal((await ask("GET", "/platform/apps.json?show_in_module=organise")).status, 400);
  assert.equal((await ask("GET", "/platform/apps.json?show_in_module=organize")).status, 200);
});

inAccount("lists: pages, orders and headers", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  await inTurn(["beta", "Alpha", "ówdzie", "gamma", "Delta"], async (name) => {
    made(await ask("POST", ALL, { json: { department: { name } } }));
  });
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const row = (name: string, query: string, names: string[], headers: Scenario["headers"] = {}): Scenario => ({
    name,
    method: "GET",
    path: ALL + query,
    status: 200,
    body: named(...names),
    headers,
  });
  const link = (query: string, rel: string) => `<${server.base_url}${ALL}?${query}>; rel="${rel}"`;
  await play([
    row("everything on one page, by name", "", ["Alpha", "beta", "Delta", "gamma", "ówdzie"], { "x-total-count": "5" }),
    row("sort=name: without regard to case", "?sort=name", ["Alpha", "beta", "Delta", "gamma", "ówdzie"]),
    row("sort=-name: a leading minus is descending", "?sort=-name", ["ówdzie", "gamma", "Delta", "beta", "Alpha"]),
    row("sort=created_at", "?sort=created_at", ["beta", "Alpha", "ówdzie", "gamma", "Delta"]),
    row("sort=-created_at", "?sort=-created_at", ["Delta", "gamma", "ówdzie", "Alpha", "beta"]),
    row("the first page has no previous one", "?per_page=2", ["Alpha", "beta"], {
      "x-total-count": "5",
      link: [link("per_page=2&page=1", "first"), link("per_page=2&page=2", "next"), link("per_page=2&page=3", "last")]
        .join(", "),
    }),
    row("a page between links to all four, and keeps the query", "?page=2&per_page=2&sort=-name", ["Delta", "beta"], {
      link: [["first", 1], ["prev", 1], ["next", 3], ["last", 3]]
        .map(([rel, page]) => link(`page=${page}&per_page=2&sort=-name`, `${rel}`)).join(", "),
    }),
    row("the last page has no next one", "?page=3&per_page=2", ["ówdzie"], {
      link: [["first", 1], ["prev", 2], ["last", 3]]
        .map(([rel, page]) => link(`page=${page}&per_page=2`, `${rel}`)).join(", "),
    }),
    row("a page beyond the end is empty", "?page=9&per_page=2", [], { "x-total-count": "5", link: /rel="prev"/ }),
    row("500 a page are the most", "?per_page=500", ["Alpha", "beta", "Delta", "gamma", "ówdzie"]),
    {
      name: "an empty list has a first and a last page",
      method: "GET",
      path: ALL,
      sent: { token: stranger.token },
      status: 200,
      body: [],
      headers: { "x-total-count": "0", link: /page=1>; rel="first".*page=1>; rel="last"/ },
    },
    {
      name: "HEAD: the headers without the list",
      method: "HEAD",
      path: `${ALL}?per_page=2`,
      status: 200,
      headers: { "x-total-count": "5", link: /rel="next"/, "content-type": "application/json; charset=utf-8" },
    },
  ]);
});

const BAD = [
  "page=0",
  "page=-1",
  "page=abc",
  "page=",
  "page=1.5",
  "page=1e3",
  "page=99999999999999999999",
  "page=%00",
  "per_page=0",
  "per_page=501",
  "per_page=x",
  "sort=unknown",
  "sort=",
  "sort=--created_at",
  "sort=name;drop table departments",
  "page=1&page=2",
  "utm_source=mail",
  "departmentid=1",
  "department[name]=x",
  "__proto__=1",
];

inAccount("lists: every list refuses a bad parameter with 400, and counts", async ({ ask, play }) => {
  const lists = ROUTES.filter(({ method, output, params }) =>
    method === "GET" && output instanceof z.ZodArray && params.length === 0
  );
  assert.ok(lists.length >= 7, "departments, users, teams, groups, mailboxes, tokens, apps");
  await play(lists.map(({ path, input }): Scenario => ({
    name: path,
    method: "GET",
    // There may be very many runs and entries of the audit log, so they are counted only on request.
    path: /flow_processes|audit/.test(path) ? `${path}?count=true` : path,
    status: 200,
    // A list without numbers of pages is not counted.
    headers: { "x-total-count": input?.shape.page ? /^\d+$/ : null },
    async then({ body }) {
      assert.ok(Array.isArray(body), "a bare array");
      await inTurn(BAD, async (query) => {
        assert.equal((await ask("GET", `${path}?${query}`)).status, 400, query);
      });
    },
  })));
});
