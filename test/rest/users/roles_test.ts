/**
 * Calls every route with every role, every scope and as another account. A route that is missing in the table fails the
 * test, so each new route must state here who may call it.
 */
import assert from "node:assert/strict";
import type { Route } from "../../../server/http/rest/routes.ts";
import { addressOf, type Named, namesSomething, NO_UUID, ROUTES } from "../../stage/addresses.ts";
import {
  addAccount,
  addIdentity,
  addPasskey,
  addPerson,
  addSession,
  addToken,
  as,
  made,
  type Role,
  ROLES,
} from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

/** The weakest role that may call each route. */
const WEAKEST: Record<string, Role> = {
  "account.me": "guest",
  "account.find": "user",
  "account.about": "user",
  "account.limits": "user",
  "account.update": "admin",
  "access.list": "manager",
  "access.counts": "manager",
  "audit.list": "admin",
  "archive.list": "admin",
  "archive.push": "admin",
  "operations.find": "admin",
  "departments.list": "manager",
  "departments.find": "manager",
  "departments.create": "admin",
  "departments.usage": "manager",
  "departments.update": "admin",
  "departments.set_as_main": "admin",
  "departments.delete": "admin",
  "user_settings.list": "manager",
  // Every user may read itself; users_test.ts tests that guests and users cannot read others.
  "user_settings.find": "guest",
  "user_settings.create": "admin",
  "user_settings.update": "admin",
  "user_settings.delete": "admin",
  "user_settings.reset_password": "admin",
  // invitations_test.ts tests that no role exceeds the inviter's.
  "invitations.list": "manager",
  "invitations.create": "manager",
  "invitations.renew": "manager",
  "invitations.delete": "manager",
  "teams.list": "manager",
  "teams.create": "admin",
  "teams.update": "admin",
  "teams.delete": "admin",
  "groups.list": "manager",
  "groups.create": "admin",
  "groups.update": "admin",
  "groups.delete": "admin",
  "mailboxes.list": "manager",
  "mailboxes.create": "admin",
  "mailboxes.update": "admin",
  "mailboxes.delete": "admin",
  // Users manage their own tokens; tokens_test.ts tests that only an admin manages those of others.
  "tokens.list": "user",
  "tokens.create": "user",
  "tokens.delete": "user",
  // A user's own sessions.
  "sessions.list": "guest",
  "sessions.delete": "guest",
  "sessions.delete_others": "guest",
  // Of its own password; change_password_test.ts tests that API tokens may not.
  "passwords.change": "guest",
  // A user's own passkeys. A token adds none: the routes that add one are 422 here.
  "passkeys.list": "guest",
  "passkeys.options": "guest",
  "passkeys.create": "guest",
  "passkeys.update": "guest",
  "passkeys.delete": "guest",
  "identities.list": "guest",
  "identities.delete": "guest",
  "apps.list": "guest",
  "apps.find": "user",
  "apps.create": "manager",
  "apps.update": "manager",
  "apps.delete": "manager",
  "flows.drafts.find": "manager",
  "flows.drafts.put": "manager",
  "flows.drafts.delete": "manager",
  "apps.drafts.list": "manager",
  "apps.drafts.find": "manager",
  "apps.drafts.put": "manager",
  "apps.drafts.delete": "manager",
  "apps.openings.list": "user",
  "apps.openings.find": "user",
  "apps.preview": "manager",
  "apps.replace": "manager",
  "apps.versions": "user",
  "apps.version": "user",
  "apps.restore": "manager",
  // A user's own board, and the account's.
  "dashboards.find": "guest",
  "dashboards.put": "guest",
  "dashboards.delete": "guest",
  "dashboards.find_default": "admin",
  "dashboards.put_default": "admin",
  "embedding.find": "admin",
  "embedding.update": "admin",
  "embedding.list_keys": "admin",
  "embedding.create": "admin",
  "embedding.delete": "admin",
  "dbs.list": "user",
  "dbs.find": "user",
  "dbs.create": "manager",
  "dbs.update": "manager",
  "dbs.delete": "manager",
  "dbs.mentions": "user",
  "dbs.uses": "user",
  "dbs.views.list": "user",
  "dbs.views.find": "user",
  "dbs.views.create": "user",
  "dbs.views.update": "user",
  "dbs.views.delete": "user",
  "records.list": "user",
  "records.search": "user",
  "records.find": "user",
  "records.marks": "user",
  "records.history": "user",
  "records.create": "user",
  "records.try_public": "user",
  "records.batch": "user",
  "records.update": "user",
  "records.delete": "user",
  "connectors.list": "user",
  "connectors.find": "user",
  "connectors.create": "manager",
  "connectors.update": "manager",
  "connectors.delete": "manager",
  "connectors.test": "manager",
  "connectors.health.list": "user",
  "connectors.health.find": "user",
  "flows.list": "user",
  "flows.find": "user",
  "flows.step_types": "user",
  "flows.activity": "user",
  "flows.create": "manager",
  "flows.update": "manager",
  "flows.delete": "manager",
  "flows.versions": "user",
  "flows.version": "user",
  "flows.version_diff": "user",
  "flows.restore": "manager",
  "flows.check": "manager",
  "flows.test_step": "manager",
  "flows.examples.list": "user",
  "flows.examples.create": "manager",
  "flows.examples.check": "manager",
  "flows.examples.update": "manager",
  "flows.examples.delete": "manager",
  "flows.run": "user",
  // approvals_test.ts tests who may answer which question.
  "approvals.list": "user",
  "approvals.asked": "user",
  "approvals.answer": "user",
  "agents.list": "user",
  "agents.changes": "user",
  "agents.undo": "user",
  "agents.confirmations.list": "user",
  "agents.confirmations.answer": "user",
  "flow_processes.list": "user",
  "overview.activity": "user",
  "overview.counts": "user",
  "overview.problems": "user",
  "flow_processes.outcomes": "user",
  "flow_processes.find": "user",
  "flow_processes.program": "user",
  "flow_processes.cancel": "user",
  "flow_processes.retry": "user",
  "flow_processes.retries.create": "user",
  "flow_processes.retries.find": "user",
  "flow_processes.retries.cancel": "user",
  "crons.list": "user",
  "crons.find": "user",
  "crons.create": "manager",
  "crons.update": "manager",
  "crons.delete": "manager",
  "crons.fire": "manager",
  "crons.resume": "manager",
  "crons.rotate_address": "manager",
  "crons.runs": "user",
  "crons.days": "user",
  "crons.slots": "user",
  "crons.read_schedule": "user",
};

/** Refused to admins of accounts that do not own the server, such as this one: test/rest/operations/operations_test.ts */
const OF_SERVER = new Set(["operations.find"]);

/** Valid bodies of routes without a wrapper. With the ids used here they change nothing. */
const BODIES: Record<string, unknown> = {
  "apps.drafts.put": { draft: { source_code: "", base_lock_version: 0, revision: 0 } },
  "flows.drafts.put": { draft: { program_text: "", base_lock_version: 0, revision: 0 } },
  "flow_processes.retries.create": { retry: { id: "none" } },
  "apps.replace": { field: "source_code", old: "nowhere", new: "" },
  "records.create": { record: { data: {} } },
  "dbs.views.create": { view: { name: "Open" } },
  "dashboards.put": { dashboard: { tiles: [] } },
  "dashboards.put_default": { dashboard: { tiles: [] } },
  "connectors.test": { method: "latest" },
  "flows.test_step": { step: "none" },
  "flows.examples.create": { run_id: NO_UUID },
  "approvals.answer": { choice: "approve" },
  "agents.confirmations.answer": { accept: true },
  "records.try_public": { visitor: NO_UUID, method: "list" },
  "records.batch": { operations: [{ action: "delete", id: NO_UUID }] },
};

/** A body with a valid shape. With the ids used here it changes nothing. */
function bodyOf({ meta: { wrapper }, body, name }: Route): { json?: unknown } {
  if (name in BODIES) return { json: BODIES[name] };
  if (wrapper) return { json: { [wrapper]: {} } };
  return body.length > 0 ? { json: {} } : {};
}

/** Fills the path's parameters. The id of a user is the caller's own, because everyone may read itself. */
const targetOf = (route: Route, id: number) => addressOf(route, route.name === "user_settings.find" ? { id } : {});

inAccount("roles: every route against every role", async ({ ask, play }) => {
  assert.deepEqual(ROUTES.map(({ name }) => name).sort(), Object.keys(WEAKEST).sort(), "every route has its row");
  await inTurn(ROLES, async (role) => {
    const { id, token } = await addPerson(ask, role);
    await play(ROUTES.map((route): Scenario => {
      const allowed = ROLES.indexOf(role) >= ROLES.indexOf(WEAKEST[route.name] ?? "admin") &&
        !OF_SERVER.has(route.name);
      return {
        name: `${role} ${allowed ? "may" : "may not"}: ${route.method} ${route.path}`,
        method: route.method,
        path: targetOf(route, id),
        sent: { ...bodyOf(route), token },
        status: allowed ? expectedStatus(route) : 403,
        ...(allowed && expectedStatus(route) === 422 && { body: faultsOf(route) }),
      };
    }));
  });
});

/** The status that a permitted caller gets for the bodies and ids above. */
function expectedStatus(route: Route): number {
  if (OF_SERVER.has(route.name)) return 403;
  if (namesSomething(route)) return route.name === "user_settings.find" ? 200 : 404;
  return route.method === "POST" || route.name === "passwords.change" ? 422 : route.meta.status ?? 200;
}

/** The messages for an empty body. */
const faultsOf = ({ name }: Route): Record<string, RegExp> =>
  name === "user_settings.create" || name === "invitations.create"
    ? { email: /blank/ }
    : name === "crons.create"
    ? { target_code: /blank/, schedule: /blank/ }
    : name === "connectors.create"
    ? { name: /blank/, url: /blank/ }
    : name === "apps.create"
    ? { name: /blank/, source_code: /blank/ }
    : name === "apps.preview"
    ? { source_code: /blank/ }
    : name === "passwords.change"
    ? { current: /blank/, new: /blank/ }
    : name === "archive.push"
    ? { things: /blank/ }
    : name === "flow_processes.retries.create"
    ? { id: /./ }
    : name === "passkeys.options"
    ? { base: /session/ }
    : name === "passkeys.create"
    ? { response: /blank/ }
    : { name: /blank/ };

inAccount("roles: without a valid token every route is 401, whatever is sent", async ({ play }) => {
  await play(ROUTES.map((route): Scenario => ({
    name: `${route.method} ${route.path}`,
    method: route.method,
    path: addressOf(route),
    sent: { ...(route.body.length > 0 && { raw: "{not json" }), token: route.params.length ? null : "wrong" },
    status: 401,
  })));
});

inAccount("roles: a scope opens its routes and no other", async ({ ask, admin, play }) => {
  const scopeOf = ({ name, type }: Route) => `${name.split(".")[0]}:${type === "query" ? "read" : "write"}`;
  const scopes = [...new Set(ROUTES.map(scopeOf))];
  await inTurn(scopes, async (scope) => {
    const only = await addToken(ask, { scopes: [scope] });
    const others = await addToken(ask, { scopes: scopes.filter((other) => other !== scope) });
    await play(
      ROUTES.filter((route) => scopeOf(route) === scope && !route.meta.any_scope).map((route): Scenario => ({
        name: `${route.method} ${route.path} needs ${scope}`,
        method: route.method,
        path: targetOf(route, admin.id),
        sent: { ...bodyOf(route), token: others },
        status: 403,
        async then() {
          const { status } = await ask(route.method, targetOf(route, admin.id), { ...bodyOf(route), token: only });
          // A token with scopes cannot create one without scopes; that refusal has another reason.
          assert.equal(status, expectedStatus(route), scope);
        },
      })),
    );
  });
});

/** Creates one object of each kind that a path may name. Keyed by domain. */
async function makeOneOfEach(ask: Ask): Promise<Record<string, Named>> {
  const make = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const { code: db_code } = await make("/platform/dbs.json", { db: { name: "Theirs", schema: { fields: {} } } });
  const woken = await make("/connect/flows.json", { flow: { name: "Woken", code: "woken" } });
  const { flow_process_id } = (await ask("POST", `/connect/flows/${woken.id}/run.json`, { json: {} })).body;
  const named = {
    crons: await make("/account/crons.json", { cron: { target_code: "woken", schedule: "0 9 * * *" } }),
    departments: await make("/account/departments.json", { department: { name: "Theirs" } }),
    user_settings: await make("/account/user_settings.json", { user_setting: { email: "them@example.com" } }),
    invitations: await make("/account/invitations.json", { invitation: { email: "invited@example.com" } }),
    teams: await make("/account/teams.json", { team: { name: "Theirs" } }),
    groups: await make("/account/groups.json", { group: { name: "Theirs" } }),
    mailboxes: await make("/account/mailboxes.json", { mailbox: { name: "Theirs" } }),
    embedding: await make("/account/embedding/keys.json", { key: { name: "Theirs" } }),
    tokens: await make("/account/tokens.json", { token: { name: "Theirs" } }),
    apps: await make("/platform/apps.json", { app: { name: "Theirs", app_engine: "js", source_code: "1" } }),
    connectors: await make("/connect/connectors.json", { connector: { name: "Theirs", url: "https://example.com" } }),
    flows: await make("/connect/flows.json", { flow: { name: "Theirs" } }),
    records: await make(`/platform/dbs/${db_code}/records.json`, { record: { data: {} } }),
  };
  const ids = Object.fromEntries(Object.entries(named).map(([domain, { id }]) => [domain, { id }]));
  return { ...ids, flow_processes: { id: flow_process_id }, dbs: { db_code }, records: { ...ids.records, db_code } };
}

inAccount(
  "accounts: another account's id is answered as a missing one, on every route",
  async ({ server, ask, play }) => {
    const stranger = await addAccount(server);
    const theirs = as(ask, stranger.token);
    const ids: Record<string, Named> = {
      ...await makeOneOfEach(theirs),
      sessions: { id: (await addSession(server, stranger.id)).id },
      passkeys: { id: await addPasskey(server, stranger.id) },
      identities: { id: await addIdentity(server, stranger.id) },
    };
    await theirs("PATCH", `/platform/apps/${ids.apps?.id}.json`, { json: { app: { source_code: "2" } } });
    const db_code = ids.dbs?.db_code;
    const before = await snapshot(theirs, { db_code });
    const routes = ROUTES.filter(namesSomething);
    assert.ok(routes.length >= 30);
    await play(routes.map((route): Scenario => ({
      name: `${route.method} ${route.path}`,
      method: route.method,
      path: addressOf(route, ids[route.name.split(".")[0] ?? ""]),
      sent: bodyOf(route),
      status: 404,
      async then({ body }) {
        assert.deepEqual(body, (await ask(route.method, addressOf(route), bodyOf(route))).body);
      },
    })));
    assert.deepEqual(await snapshot(theirs, { db_code }), before, "nothing of theirs is changed");
  },
);

/** The contents of all lists of an account, without the time of the last request, which comes later. */
async function snapshot(ask: Ask, named: Named): Promise<unknown[]> {
  const lists = ROUTES.filter(({ name }) => name.endsWith(".list") && name !== "tokens.list");
  return await Promise.all(lists.map(async (route) => {
    const { body } = await ask("GET", addressOf(route, named));
    return JSON.stringify(body).replace(/"last_seen_at":"[^"]+"/g, "");
  }));
}
