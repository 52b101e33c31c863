/**
 * A successful call of every route that writes. `audit_test.ts` calls each and looks for its row in the audit log.
 *
 * A new route needs an entry here: a call that succeeds, or the reason why it changes nothing. Its table needs
 * `call audit_table(…)` in the migration that creates it; then its changes are audited without code in the domain.
 */
import { AGENT_WRITES } from "./agent_writes.ts";
import { archiveOf, departmentLine, importInto } from "../../stage/archive/account_archives.ts";
import { ADMIN_PASSWORD, type Sent } from "../../stage/harness.ts";
import { addAccount, addPerson, addSession, as, type Ask, made } from "../../stage/people.ts";
import { APPROVAL_WRITES } from "./approval_writes.ts";
import { FLOW_WRITES } from "./flow_writes.ts";
import { USER_WRITES, type World, type Written } from "./user_writes.ts";
import { PASSKEY_WRITES } from "./passkey_writes.ts";

const json = (json: unknown): Sent => ({ json });
const OWN = { "sec-fetch-site": "same-origin" };
const SOURCE = "document.title = 'one';\n";
let count = 0;
const name = () => `Written ${++count}`;

const create = async (ask: Ask, path: string, body: unknown) => made(await ask("POST", path, json(body)));
const department = (ask: Ask) => create(ask, "/account/departments.json", { department: { name: name() } });
const entry = (ask: Ask, path: string, key: string) => create(ask, path, { [key]: { name: name() } });
/** One app for all: a compilation takes longer than the rest. */
let shared: Promise<{ id: string }> | undefined;
const app = (ask: Ask) =>
  shared ??= create(ask, "/platform/apps.json", { app: { name: name(), app_engine: "js", source_code: SOURCE } });
const connector = (ask: Ask) =>
  create(ask, "/connect/connectors.json", { connector: { name: name(), url: "https://api.example.com" } });
const flow = (ask: Ask) => create(ask, "/connect/flows.json", { flow: { name: name() } });
const cron = async (ask: Ask, fields = {}) =>
  await create(ask, "/account/crons.json", {
    cron: { target_code: (await flow(ask)).code, schedule: "0 9 * * *", ...fields },
  });
const all_public = { list: {}, create: {}, update: {}, delete: {} };
const db = (ask: Ask) =>
  create(ask, "/platform/dbs.json", {
    db: { name: name(), schema: { fields: { title: "string" } }, public_methods: all_public },
  });
async function view(ask: Ask) {
  const path = `/platform/dbs/${(await db(ask)).code}/views`;
  return `${path}/${(await create(ask, `${path}.json`, { view: { name: name() } })).id}.json`;
}
/** A record with the path of its database. */
async function record(ask: Ask) {
  const { code } = await db(ask);
  const { id } = await create(ask, `/platform/dbs/${code}/records.json`, { record: { data: { title: "One" } } });
  return { id, path: `/platform/dbs/${code}`, public_path: `/platform/db/${code}` };
}
const session = async ({ ask, server }: World) => {
  const user = await addPerson(ask, "user");
  return { ...user, ...await addSession(server, user.id) };
};
const edited = (ask: Ask, id: string) =>
  ask("PATCH", `/platform/apps/${id}/replace.json`, json({ field: "source_code", old: "one", new: "two" }));

function entries(path: string, key: string): Record<string, Written> {
  return {
    [`${key === "mailbox" ? "mailboxes" : `${key}s`}.create`]: {
      row: `${key}.create`,
      call: ({ ask }) => ask("POST", `${path}.json`, json({ [key]: { name: name() } })),
    },
    [`${key === "mailbox" ? "mailboxes" : `${key}s`}.update`]: {
      row: `${key}.update`,
      call: async ({ ask }) =>
        await ask(
          "PATCH",
          `${path}/${(await entry(ask, `${path}.json`, key)).id}.json`,
          json({ [key]: { name: name() } }),
        ),
    },
    [`${key === "mailbox" ? "mailboxes" : `${key}s`}.delete`]: {
      row: `${key}.delete`,
      call: async ({ ask }) => await ask("DELETE", `${path}/${(await entry(ask, `${path}.json`, key)).id}.json`),
    },
  };
}

/** By the name of a procedure, or of a plain route. */
export const WRITES: Record<string, Written> = {
  ...APPROVAL_WRITES,
  "account.update": {
    row: "account.update",
    call: ({ ask }) => ask("PATCH", "/account.json", json({ account: { name: name() } })),
  },
  "departments.create": {
    row: "department.create",
    call: ({ ask }) => ask("POST", "/account/departments.json", json({ department: { name: name() } })),
  },
  "departments.update": {
    row: "department.update",
    call: async ({ ask }) =>
      await ask(
        "PATCH",
        `/account/departments/${(await department(ask)).id}.json`,
        json({ department: { phone: "1" } }),
      ),
  },
  "departments.set_as_main": {
    row: "account.update",
    call: async ({ ask }) => await ask("PATCH", `/account/departments/${(await department(ask)).id}/set_as_main.json`),
  },
  "departments.delete": {
    row: "department.delete",
    call: async ({ ask }) => await ask("DELETE", `/account/departments/${(await department(ask)).id}.json`),
  },
  "user_settings.create": {
    row: "user_setting.create",
    call: ({ ask }) =>
      ask("POST", "/account/user_settings.json", json({ user_setting: { email: `a${++count}@people.test` } })),
  },
  "user_settings.update": {
    row: "user_setting.update",
    call: async ({ ask }) =>
      await ask(
        "PATCH",
        `/account/user_settings/${(await addPerson(ask, "user")).id}.json`,
        json({ user_setting: { role: "manager" } }),
      ),
  },
  "user_settings.delete": {
    row: "user_setting.delete",
    call: async ({ ask }) => await ask("DELETE", `/account/user_settings/${(await addPerson(ask, "user")).id}.json`),
  },
  ...entries("/account/teams", "team"),
  ...entries("/account/groups", "group"),
  ...entries("/account/mailboxes", "mailbox"),
  "tokens.create": {
    row: "token.create",
    call: ({ ask }) => ask("POST", "/account/tokens.json", json({ token: { name: name() } })),
  },
  "tokens.delete": {
    row: "token.delete",
    call: async ({ ask }) =>
      await ask(
        "DELETE",
        `/account/tokens/${(await create(ask, "/account/tokens.json", { token: { name: name() } })).id}.json`,
      ),
  },
  ...USER_WRITES,
  "sessions.create": {
    row: "session.sign_in",
    call: ({ ask }) =>
      ask("POST", "/account/session.json", {
        token: null,
        json: { session: { login: "admin", password: ADMIN_PASSWORD } },
      }),
  },
  "sessions.end": {
    row: "session.sign_out",
    call: async (world) => {
      const { cookie } = await session(world);
      return await world.ask("DELETE", "/account/session.json", { token: null, headers: { cookie, ...OWN } });
    },
  },
  "sessions.delete": {
    row: "session.sign_out",
    call: async (world) => {
      const { id, token } = await session(world);
      return await world.ask("DELETE", `/account/sessions/${id}.json`, { token });
    },
  },
  "sessions.delete_others": {
    row: "session.sign_out",
    call: async (world) => await world.ask("DELETE", "/account/sessions.json", { token: (await session(world)).token }),
  },
  ...PASSKEY_WRITES,
  sign_in: {
    row: "session.sign_in",
    call: ({ ask }) =>
      ask("POST", "/sign_in", {
        token: null,
        raw: new URLSearchParams({ login: "admin", password: ADMIN_PASSWORD }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", ...OWN },
      }),
  },
  sign_out: {
    row: "session.sign_out",
    call: async (world) => {
      const { cookie } = await session(world);
      return await world.ask("POST", "/sign_out", { token: null, headers: { cookie, ...OWN } });
    },
  },
  "apps.create": {
    row: "app.create",
    call: ({ ask }) =>
      ask("POST", "/platform/apps.json", json({ app: { name: name(), app_engine: "js", source_code: SOURCE } })),
  },
  "apps.update": {
    row: "app.update",
    call: async ({ ask }) =>
      await ask("PATCH", `/platform/apps/${(await app(ask)).id}.json`, json({ app: { name: name() } })),
  },
  "apps.replace": { row: "app.update", call: async ({ ask }) => await edited(ask, (await app(ask)).id) },
  "apps.restore": {
    row: "app.update",
    call: async ({ ask }) => {
      const { id } = await app(ask);
      return await ask("POST", `/platform/apps/${id}/versions/1/restore.json`);
    },
  },
  "apps.delete": {
    row: "app.delete",
    call: async ({ ask }) => await ask("DELETE", `/platform/apps/${(await app(ask)).id}.json`),
  },
  "dbs.create": {
    row: "db.create",
    call: ({ ask }) => ask("POST", "/platform/dbs.json", json({ db: { name: name() } })),
  },
  "dbs.update": {
    row: "db.update",
    call: async ({ ask }) =>
      await ask("PATCH", `/platform/dbs/${(await db(ask)).code}.json`, json({ db: { name: name() } })),
  },
  "dbs.delete": {
    row: "db.delete",
    call: async ({ ask }) => await ask("DELETE", `/platform/dbs/${(await db(ask)).code}.json`),
  },
  "dbs.views.create": {
    row: "db_view.create",
    call: async ({ ask }) =>
      await ask("POST", `/platform/dbs/${(await db(ask)).code}/views.json`, json({ view: { name: name() } })),
  },
  "dbs.views.update": {
    row: "db_view.update",
    call: async ({ ask }) => await ask("PATCH", await view(ask), json({ view: { name: name() } })),
  },
  "dbs.views.delete": {
    row: "db_view.delete",
    call: async ({ ask }) => await ask("DELETE", await view(ask)),
  },
  "records.create": {
    row: "record.create",
    call: async ({ ask }) =>
      await ask(
        "POST",
        `/platform/dbs/${(await db(ask)).code}/records.json`,
        json({ record: { data: { title: "One" } } }),
      ),
  },
  "records.update": {
    row: "record.update",
    call: async ({ ask }) => {
      const { path, id } = await record(ask);
      return await ask("PATCH", `${path}/records/${id}.json`, json({ record: { data: { title: "Two" } } }));
    },
  },
  "records.delete": {
    row: "record.delete",
    call: async ({ ask }) => {
      const { path, id } = await record(ask);
      return await ask("DELETE", `${path}/records/${id}.json`);
    },
  },
  "records.batch": {
    row: "db.batch",
    call: async ({ ask }) => {
      const { path, id } = await record(ask);
      const operations = [{ action: "create", record: { data: { title: "Two" } } }, { action: "delete", id }];
      return await ask("POST", `${path}/records/batch.json`, json({ operations }));
    },
  },
  import_csv: {
    row: "db.create",
    call: async ({ ask }) =>
      await ask("POST", `${(await record(ask)).path}/import.csv`, {
        raw: "title\nTwo\nThree\n",
        headers: { "content-type": "text/csv" },
      }),
  },
  import_ndjson: {
    row: "record.create",
    call: async ({ ask }) =>
      await ask("POST", `${(await record(ask)).path}/import.ndjson`, {
        raw: '{"data":{"title":"Two"}}\n',
        headers: { "content-type": "application/x-ndjson" },
      }),
  },
  "records.public.create": {
    row: "record.create",
    call: async ({ ask }) =>
      await ask("POST", `${(await record(ask)).public_path}/create`, json({ data: { title: "Two" } })),
  },
  "records.public.update": {
    row: "record.update",
    call: async ({ ask }) => {
      const { public_path, id } = await record(ask);
      return await ask("POST", `${public_path}/update`, { token: null, json: { id, data: { title: "Two" } } });
    },
  },
  "records.public.delete": {
    row: "record.delete",
    call: async ({ ask }) => {
      const { public_path, id } = await record(ask);
      return await ask("POST", `${public_path}/delete`, { token: null, json: { id } });
    },
  },
  "connectors.create": {
    row: "connector.create",
    call: ({ ask }) =>
      ask("POST", "/connect/connectors.json", json({ connector: { name: name(), url: "https://api.example.com" } })),
  },
  "connectors.update": {
    row: "connector.update",
    call: async ({ ask }) =>
      await ask(
        "PATCH",
        `/connect/connectors/${(await connector(ask)).id}.json`,
        json({ connector: { secret_token: "canary-of-a-connector" } }),
      ),
  },
  "connectors.delete": {
    row: "connector.delete",
    call: async ({ ask }) => await ask("DELETE", `/connect/connectors/${(await connector(ask)).id}.json`),
  },
  ...FLOW_WRITES,
  ...AGENT_WRITES,
  "crons.create": {
    row: "cron.create",
    call: async ({ ask }) =>
      await ask(
        "POST",
        "/account/crons.json",
        json({ cron: { target_code: (await flow(ask)).code, schedule: "0 9 * * *" } }),
      ),
  },
  "crons.update": {
    row: "cron.update",
    call: async ({ ask }) =>
      await ask("PATCH", `/account/crons/${(await cron(ask)).id}.json`, json({ cron: { schedule: "5 9 * * *" } })),
  },
  "crons.rotate_address": {
    row: "webhook.update",
    call: async ({ ask }) => {
      const { id } = await cron(ask, { kind: "webhook", schedule: null });
      return await ask("POST", `/account/crons/${id}/rotate_address.json`);
    },
  },
  "crons.resume": {
    row: "cron.update",
    call: async ({ ask }) => await ask("POST", `/account/crons/${(await cron(ask, { active: false })).id}/resume.json`),
  },
  "crons.delete": {
    row: "cron.delete",
    call: async ({ ask }) => await ask("DELETE", `/account/crons/${(await cron(ask)).id}.json`),
  },
  "archive.push": {
    row: "department.create",
    call: ({ ask }) => {
      const key = `pushed-${++count}`;
      return ask(
        "POST",
        "/account/archive.json",
        json({ archive: { things: [{ kind: "department", key, value: { name: key } }] } }),
      );
    },
  },
  import_archive: {
    row: "department.create",
    call: async ({ ask, server }) =>
      await importInto(
        as(ask, (await addAccount(server)).token),
        archiveOf({ "departments/000001.ndjson": [departmentLine(1, name())] }),
      ),
  },
  "dashboards.put": {
    row: "dashboard.create",
    call: ({ ask }) => ask("PUT", "/account/dashboard.json", json({ dashboard: { tiles: [] } })),
  },
  "dashboards.put_default": {
    row: "dashboard.create",
    call: ({ ask }) => ask("PUT", "/account/default_dashboard.json", json({ dashboard: { tiles: [] } })),
  },
  "embedding.update": {
    row: "account.update",
    call: ({ ask }) =>
      ask("PATCH", "/account/embedding.json", json({ embedding: { hosts: ["https://audit.example.com"] } })),
  },
  "embedding.create": {
    row: "embedding_key.create",
    call: ({ ask }) => ask("POST", EMBEDDING_KEYS, json(EMBEDDING_KEY)),
  },
  "embedding.delete": {
    row: "embedding_key.delete",
    call: async ({ ask }) => {
      const { id } = made(await ask("POST", EMBEDDING_KEYS, json(EMBEDDING_KEY)));
      return await ask("DELETE", `/account/embedding/keys/${id}.json`);
    },
  },
  "dashboards.delete": { row: "dashboard.delete", call: ({ ask }) => ask("DELETE", "/account/dashboard.json") },
};

const EMBEDDING_KEYS = "/account/embedding/keys.json";
const EMBEDDING_KEY = { key: { name: "Host" } };
