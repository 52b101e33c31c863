/**
 * Every route that names an object × role × departments × account × scope × token, session and page token. Each answer is compared with that for an
 * object that does not exist. The routes come from the catalogue: a route without an expectation fails the test.
 */
import assert from "node:assert/strict";
import { PLAIN_ROUTES } from "../../../server/http/catalog.ts";
import { routesOf } from "../../../server/http/rest/routes.ts";
import { loadRouter } from "../../../server/router.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import type { Answer, Sent } from "../../stage/harness.ts";
import { addAccount, addPerson, addSession, addToken, made, type Role, ROLES } from "../../stage/people.ts";
import { type Ask, inTurn, type Method, onSharedServer, type Stage, testBeside } from "../../stage/scenario.ts";
import { addApp, tokenIn } from "../../stage/visitors.ts";
import { ELSEWHERE, type Expected, FOR_CALLERS, type Kind, ON_OBJECTS } from "./matrix_rows.ts";

const inAccount = onSharedServer();

const ROUTES = [...routesOf(await loadRouter()), ...PLAIN_ROUTES]
  .map(({ method, path, name }) => ({ method, path, name }))
  .filter(({ path }) => path.includes("/:"));

testBeside({
  name: "matrix: every route that names an object has an expectation",
  fn: () => {
    const expected = new Set([...Object.keys(ON_OBJECTS), ...Object.keys(FOR_CALLERS), ...ELSEWHERE]);
    const hint =
      "add a row to ON_OBJECTS if its object has a department, to FOR_CALLERS if it needs no login, and to " +
      "ELSEWHERE if another test compares its object with a missing one";
    assert.deepEqual(ROUTES.filter(({ name }) => !expected.has(name)), [], `unknown routes: ${hint}`);
    const names = ROUTES.map(({ name }) => name);
    assert.deepEqual([...expected].filter((name) => !names.includes(name)), [], "rows without a route");
  },
});

/** The values of a path's parameters. */
type Names = Record<string, string | number>;

const fill = (path: string, names: Names) =>
  path.replace(/:(\w+)/g, (_, name) => `${names[name]}`) +
  (path.endsWith("/status") ? `?flow_process_id=${NO_UUID}` : "");

interface World {
  departments: (number | null)[];
  /** Creates an object. @param department null is none */
  create(kind: Kind, department: number | null): Promise<Names>;
}

const MISSING: Record<Kind, Names> = {
  app: { id: NO_UUID, url_code: NO_UUID, version: 1, action_name: "go" },
  db: { db_code: "there_is_none", view_id: 999_999 },
  connector: { id: 999_999 },
  flow: { id: 999_999, version: 1, example_id: 999_999 },
  run: { id: NO_UUID },
  cron: { id: 999_999 },
  record: { db_code: "shared", id: NO_UUID },
};

async function setWorld(ask: Ask): Promise<World> {
  const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const department = async (name: string): Promise<number> =>
    (await post("/account/departments.json", { department: { name } })).id;
  const departments = [await department("D1"), await department("D2"), null];
  const schema = { fields: { n: "integer" } };
  // Each caller of the matrix sees it, so that only the records in it are hidden.
  let count = 0;
  const flow = (department_id: number | null) => {
    const name = `Flow ${++count}`;
    return post("/connect/flows.json", { flow: { name, department_id, fields: { program: [] } } });
  };
  const flowWithExample = async (id: number) => {
    const { body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: {} });
    const example = await post(`/connect/flows/${id}/examples.json`, { run_id: body.flow_process_id });
    return { id, version: 1, example_id: example.id };
  };
  const create = async (kind: Kind, department_id: number | null): Promise<Names> => {
    const name = `${kind} ${++count}`;
    switch (kind) {
      case "app": {
        const actions = [{ action: "go", flow_code: (await flow(department_id)).code }];
        const app = { name, app_engine: "html", source_code: "<p>", actions, department_id };
        const { id } = await post("/platform/apps.json", { app });
        await ask("PATCH", `/platform/apps/${id}.json`, { json: { app: { source_code: "<p>2" } } });
        return { id, url_code: id, version: 1, action_name: "go" };
      }
      case "db": {
        const db_code = (await post("/platform/dbs.json", { db: { name, schema, department_id } })).code;
        const { id } = await post(`/platform/dbs/${db_code}/views.json`, { view: { name, shared: true } });
        return { db_code, view_id: id };
      }
      case "connector": {
        const connector = { name, url: "https://api.example.com", department_id };
        return { id: (await post("/connect/connectors.json", { connector })).id };
      }
      case "flow":
        return await flowWithExample((await flow(department_id)).id);
      case "run": {
        const { id } = await flow(department_id);
        const { body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: {} });
        return { id: body.flow_process_id };
      }
      case "cron": {
        const { code } = await flow(department_id);
        const cron = { target_code: code, schedule: "0 0 1 1 *", department_id };
        return { id: (await post("/account/crons.json", { cron })).id };
      }
      case "record": {
        const record = { data: { n: 1 }, department_id };
        return { db_code: "shared", id: (await post("/platform/dbs/shared/records.json", { record })).id };
      }
    }
  };
  return { departments, create };
}

/** What a caller can compare. Times and ids of requests differ between any two answers. */
const seen = ({ status, headers, body }: Answer) => ({
  status,
  body,
  type: headers.get("content-type"),
  authenticate: headers.get("www-authenticate"),
});

interface MatrixCaller {
  name: string;
  role: Role | undefined;
  /** The credential: an API token, the cookie of a session in a request of an own page, or an app's page token. */
  sent: Sent;
  scopes: readonly string[] | null;
  sees(department: number | null): boolean;
  /** An app's page: it calls public methods as its viewer, the actions of its own app, and nothing else. */
  is_page?: true;
}

async function callersOf(
  { ask, server }: Stage,
  { departments }: World,
  stranger: string,
  scopes: string[],
): Promise<MatrixCaller[]> {
  const [d1] = departments;
  if (typeof d1 !== "number") throw new Error("the first department is missing");
  const members = [
    { name: "D1", department_ids: [d1], without_department: false },
    { name: "D1 and none", department_ids: [d1], without_department: true },
    { name: "none", department_ids: [], without_department: true },
  ];
  const page = await addApp(ask, { db_code: "shared", department_id: d1 });
  const callers: MatrixCaller[] = [
    { name: "a visitor", role: undefined, sent: { token: null }, scopes: null, sees: () => false },
    { name: "another account's admin", role: "admin", sent: { token: stranger }, scopes: null, sees: () => false },
  ];
  for (const role of ROLES) {
    for (const { name, ...fields } of role === "guest" ? members.slice(0, 1) : members) {
      const { id, token } = await addPerson(ask, role, fields);
      const sees = (department: number | null) =>
        role === "admin" ||
        (department === null ? fields.without_department : fields.department_ids.includes(department));
      const caller = { role, scopes: null, sees };
      callers.push({ ...caller, name: `a ${role} of ${name}`, sent: { token } });
      if (name !== "D1") continue;
      if (role === "manager") {
        const { cookie } = await addSession(server, id);
        const own = { cookie, "sec-fetch-site": "same-origin" };
        callers.push({ ...caller, name: `a ${role} of ${name} by session`, sent: { token: null, headers: own } });
      }
      if (role === "user") {
        const page_token = tokenIn(await ask("GET", page, { token })) ?? "";
        assert.match(page_token, /\./);
        const by_page = { token: null, headers: { "x-app-token": page_token } };
        callers.push({ ...caller, name: `the page of a ${role} of ${name}`, sent: by_page, is_page: true });
      }
    }
  }
  for (const scope of scopes) {
    for (const held of [[scope], scopes.filter((other) => other !== scope)]) {
      const token = await addToken(ask, { scopes: held });
      const name = held.length === 1 ? `an admin with ${scope}` : `an admin without ${scope}`;
      callers.push({ name, role: "admin", sent: { token }, scopes: held, sees: () => true });
    }
  }
  return callers;
}

const may = ({ role, scopes, is_page }: MatrixCaller, expected: Expected) =>
  role !== undefined && (!is_page || expected.by_page === true) &&
  ROLES.indexOf(role) >= ROLES.indexOf(expected.role) &&
  (scopes === null || scopes.includes(expected.scope));

inAccount(
  "matrix: what is hidden answers like what is missing, and what may be seen does not",
  async (stage) => {
    const { ask, server } = stage;
    const world = await setWorld(ask);
    const db = { name: "Shared", code: "shared", schema: { fields: { n: "integer" } } };
    made(await ask("POST", "/platform/dbs.json", { json: { db } }));
    const table = { ...ON_OBJECTS, ...FOR_CALLERS };
    const scopes = [...new Set(Object.values(table).map(({ scope }) => scope))];
    const stranger = await addAccount(server);
    const callers = await callersOf(stage, world, stranger.token, scopes);
    const kept = new Map<string, Names>();
    const objectFor = async ({ kind, deletes }: Expected, department: number | null) => {
      const key = `${kind} ${department}`;
      const names = deletes ? undefined : kept.get(key);
      if (names) return names;
      const fresh = await world.create(kind, department);
      if (!deletes) kept.set(key, fresh);
      return fresh;
    };
    let compared = 0;
    await inTurn(ROUTES, async ({ method, path, name }) => {
      const expected = table[name];
      if (!expected) return;
      const send = (names: Names, { sent }: MatrixCaller) =>
        ask((expected.as_head ? "HEAD" : method) as Method, fill(path, names), {
          ...expected.sent,
          ...sent,
          headers: { ...expected.sent?.headers, ...sent.headers },
        });
      await inTurn(callers, async (caller) => {
        // A scope of another route's is one test of this route, not many.
        if (caller.scopes !== null && !caller.name.endsWith(` ${expected.scope}`)) return;
        const missing = seen(await send(MISSING[expected.kind], caller));
        await inTurn(caller.scopes === null ? world.departments : world.departments.slice(0, 1), async (department) => {
          // Records are in one database, which callers without `without_department` do not see.
          const visible = caller.sees(department) && (expected.kind !== "record" || caller.sees(null));
          const what = `${name} of ${
            department === null ? "no department" : `D${world.departments.indexOf(department) + 1}`
          }, by ${caller.name}`;
          const answer = seen(await send(await objectFor(expected, department), caller));
          compared++;
          if (may(caller, expected) && visible) assert.notDeepEqual(answer, missing, what);
          else assert.deepEqual(answer, missing, what);
        });
      });
    });
    assert.ok(compared > 1_000, `${compared} answers were compared`);
  },
);

inAccount("matrix: a run reaches what its author sees, and with runs_as caller what both see", async ({ ask }) => {
  const world = await setWorld(ask);
  const [d1 = null, d2 = null] = world.departments;
  if (d1 === null || d2 === null) throw new Error("there are no departments");
  const [all, authors, callers] = [[d1, d2, null], ["D1", "both", "admin"], ["D1", "D2", "none", "both", "admin"]];
  const MEMBERS: Record<string, (number | null)[]> = {
    D1: [d1],
    D2: [d2],
    none: [null],
    both: [d1, d2],
    admin: all,
  };
  const person = async (name: string, role: Role) => {
    const ids = (MEMBERS[name] ?? []).filter((id) => id !== null);
    const fields = { department_ids: ids, without_department: MEMBERS[name]?.includes(null) ?? false };
    return (await addPerson(ask, name === "admin" ? "admin" : role, fields)).token;
  };
  // In each department a database with one record of each: databases and records are hidden on their own.
  await inTurn(all, async (department_id, index) => {
    const db = { name: `Notes ${index}`, code: `notes_${index}`, schema: { fields: { of: "integer" } }, department_id };
    made(await ask("POST", "/platform/dbs.json", { json: { db } }));
    await inTurn(all, async (of) => {
      const record = { data: { of }, department_id: of };
      made(await ask("POST", `/platform/dbs/notes_${index}/records.json`, { json: { record } }));
    });
  });
  const tokens = new Map<string, string>();
  for (const name of callers) tokens.set(name, await person(name, "user"));
  await inTurn(authors, async (author) => {
    const token = await person(author, "manager");
    await inTurn(["author", "caller"], async (runs_as) => {
      await inTurn(all, async (in_department, index) => {
        if (author !== "admin" && !MEMBERS[author]?.includes(in_department)) return;
        const program = [{ type: "record", action: "list", db_code: `notes_${index}`, limit: 100 }];
        const department_id = MEMBERS[author]?.[0] ?? null;
        const flow = { name: `${author} ${runs_as} ${index}`, runs_as, department_id, fields: { program } };
        const { id } = made(await ask("POST", "/connect/flows.json", { token, json: { flow } }));
        // Only its author sees the flow, and a caller who starts a run by hand must see it.
        await inTurn(callers.filter((caller) => MEMBERS[caller]?.includes(department_id)), async (caller) => {
          const reach = (MEMBERS[author] ?? []).filter((one) => runs_as === "author" || MEMBERS[caller]?.includes(one));
          const { body } = await ask("POST", `/connect/flows/${id}/run.json`, {
            token: tokens.get(caller) ?? "",
            json: {},
          });
          const what = `${author}'s flow as ${runs_as} in ${in_department}, run by ${caller}`;
          if (!reach.includes(in_department)) return assert.match(body.error, /not found/, what);
          const got = body.data.map(({ of }: { of: number | null }) => of).toSorted();
          assert.deepEqual(got, reach.toSorted(), what);
        });
      });
    });
  });
});
