/** The real `@trpc/client` through `client/mod.ts`, over HTTP on a port. */
import assert from "node:assert/strict";
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import { type Client, type ClientError, createClient, isClientError } from "../../client/mod.ts";
import { appRouter } from "../../server/router.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";

interface Stage {
  server: TestServer;
  url: string;
  client: Client;
  /** What each HTTP request called: its path below `/trpc/`. */
  requests: string[];
  clientOf(token: string | undefined, options?: { batch?: boolean }): Client;
}

function onPort(name: string, work: (stage: Stage) => Promise<void>): void {
  Deno.test(name, async () => {
    const server = await startServer();
    const url = server.listen();
    const requests: string[] = [];
    const recording: typeof fetch = (input, init) => {
      requests.push(decodeURIComponent(new URL(new Request(input).url).pathname.replace("/trpc/", "")));
      return fetch(input, init);
    };
    const clientOf = (token: string | undefined, options = {}) =>
      createClient({ url, token, fetch: recording, ...options });
    try {
      await work({ server, url, client: clientOf(ADMIN_TOKEN), requests, clientOf });
    } finally {
      await server.close();
    }
  });
}

/** The refusal that a call must end with. */
async function refusal(call: Promise<unknown>): Promise<NonNullable<ClientError["data"]> & { message: string }> {
  try {
    await call;
  } catch (error) {
    assert.ok(isClientError(error) && error.data, String(error));
    return { ...error.data, message: error.message };
  }
  throw new Error("the call was not refused");
}

/** The first bytes of a PNG, then every byte there is, so that nothing that re-encodes text goes unnoticed. */
const LOGO = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...Array(256).keys(), 13, 10, 45, 45]);
const logoFile = (bytes = LOGO) => new File([bytes], 'zażółć "logo".png', { type: "image/png" });

const SOURCE = "document.title = 'one';\n";

/** Calls of every procedure, by domain. */
const walks: Record<string, (client: Client) => Promise<void>> = {
  async departments({ departments }) {
    const first = await departments.create.mutate({ department: { name: "Sales", shortcut: "SAL" } });
    assert.deepEqual([first.name, first.main, first.logo_url, first.user_setting_ids], ["Sales", true, null, []]);
    const second = await departments.create.mutate({ department: { name: "Support", user_setting_ids: [1] } });
    assert.deepEqual(second.user_setting_ids, [1]);
    assert.deepEqual((await departments.list.query({ sort: "-name" })).map(({ id }) => id), [second.id, first.id]);
    assert.deepEqual((await departments.list.query({ per_page: 1, page: 2 })).map(({ id }) => id), [second.id]);
    assert.deepEqual(await departments.find.query({ id: second.id }), second);
    const changed = await departments.update.mutate({ id: first.id, department: { phone: "1", lock_version: 0 } });
    assert.deepEqual([changed.phone, changed.name, changed.lock_version], ["1", "Sales", 1]);
    assert.equal((await departments.set_as_main.mutate({ id: second.id })).main, true);
    assert.equal(await departments.delete.mutate({ id: second.id }), undefined);
    assert.equal((await departments.find.query({ id: first.id })).main, true);
  },

  async account({ account }) {
    const { departments } = await account.find.query();
    assert.equal(departments.mode, "restricted");
    const changed = await account.update.mutate({ account: { name: "Acme", departments: { mode: "open" } } });
    assert.deepEqual([changed.name, changed.departments.mode], ["Acme", "open"]);
  },

  async directory({ teams, groups, mailboxes }) {
    for (const [directory, key] of [[teams, "team"], [groups, "group"]] as const) {
      await walkEntries(directory, key);
    }
    const box = await mailboxes.create.mutate({ mailbox: { name: "Info", email: "info@example.com" } });
    const renamed = await mailboxes.update.mutate({ id: box.id, mailbox: { email: null } });
    assert.deepEqual([renamed.name, renamed.email], ["Info", null]);
    assert.deepEqual((await mailboxes.list.query({})).map(({ id }) => id), [box.id]);
    await mailboxes.delete.mutate({ id: box.id });
    assert.deepEqual(await mailboxes.list.query({}), []);
  },

  async user_settings({ user_settings }) {
    const ada = await user_settings.create.mutate({ user_setting: { email: "ada@example.com", role: "manager" } });
    assert.deepEqual([ada.login, ada.without_department, ada.active], ["ada@example.com", true, true]);
    const changed = await user_settings.update.mutate({ id: ada.id, user_setting: { without_department: false } });
    assert.deepEqual(await user_settings.find.query({ id: ada.id }), changed);
    assert.deepEqual((await user_settings.list.query({ role: "manager" })).map(({ id }) => id), [ada.id]);
    assert.deepEqual(await user_settings.list.query({ active: false }), []);
    await user_settings.delete.mutate({ id: ada.id });
  },

  async tokens({ tokens }) {
    const made = await tokens.create.mutate({ token: { name: "Reader", scopes: ["apps:read"] } });
    assert.match(made.token, /^atr_[0-9A-Za-z]{43}$/);
    const listed = (await tokens.list.query({})).find(({ id }) => id === made.id);
    assert.deepEqual([listed?.name, listed?.scopes, Object.keys(listed ?? {}).includes("token")], [
      "Reader",
      ["apps:read"],
      false,
    ]);
    await tokens.delete.mutate({ id: made.id });
  },

  async apps({ apps, flows }) {
    const app = await apps.create.mutate({
      app: {
        name: "Counter",
        url_code: "Mój Licznik",
        app_engine: "js",
        source_code: SOURCE,
        fields: { deep: [1, null] },
      },
    });
    assert.deepEqual([app.url_code, app.css_engine, app.fields], ["moj-licznik", "tailwind_all", { deep: [1, null] }]);
    const [listed] = await apps.list.query({ q: "count", app_engine: "js", public: false, active: true });
    assert.deepEqual([listed?.id, Object.keys(listed ?? {}).includes("source_code")], [app.id, false]);
    assert.deepEqual(await apps.find.query({ id: app.id }), app);
    const named = await apps.update.mutate({ id: app.id, app: { name: "Clicker", lock_version: app.lock_version } });
    assert.deepEqual([named.name, named.source_code], ["Clicker", SOURCE]);
    const edited = await apps.replace.mutate({ id: app.id, field: "source_code", old: "one", new: "two" });
    assert.equal(edited.source_code, SOURCE.replace("one", "two"));
    const [{ version } = { version: 0 }] = await apps.versions.query({ id: app.id });
    assert.equal((await apps.version.query({ id: app.id, version })).source_code, SOURCE);
    assert.equal((await apps.restore.mutate({ id: app.id, version })).source_code, SOURCE);
    const { code } = await flows.create.mutate({ flow: { name: "Acted" } });
    const actions = [{ action: "go", flow_code: code }];
    await apps.update.mutate({ id: app.id, app: { actions } });
    const called = await apps.call_action.mutate({ id: app.id, action_name: "go", params: { n: 1 } });
    assert.deepEqual([called.status, called.data], ["finished", null]);
    const { flow_process_id } = called;
    assert.deepEqual(await apps.action_status.query({ id: app.id, action_name: "go", flow_process_id }), called);
    assert.equal(await apps.delete.mutate({ id: app.id }), undefined);
  },

  async dbs({ dbs }) {
    const schema = { fields: { title: { type: "string", required: true }, pages: "integer" } };
    const db = await dbs.create.mutate({ db: { name: "My books", schema } });
    assert.deepEqual([db.code, db.schema, db.public_methods, db.reindexing], ["my_books", schema, {}, null]);
    assert.deepEqual((await dbs.list.query({ q: "BOOK" })).map(({ code }) => code), ["my_books"]);
    const indexed = { ...schema, indexes: { idx_int_1: "pages" } };
    const changed = await dbs.update.mutate({ db_code: db.code, db: { schema: indexed, lock_version: 0 } });
    assert.deepEqual([changed.schema, changed.lock_version], [indexed, 1]);
    assert.deepEqual(await dbs.find.query({ db_code: db.code }), changed);
    assert.equal(await dbs.delete.mutate({ db_code: db.code }), undefined);
  },

  async connectors({ connectors }) {
    const methods = { latest: { method: "GET" as const, path: "/rates/{base}", query: { n: "{n}" }, public: true } };
    const { id, ...made } = await connectors.create.mutate({
      connector: { name: "Fx rates", url: "http://127.0.0.1:1/v1", secret_token: "sk_live_1", fields: { methods } },
    });
    assert.deepEqual([made.code, made.has_secret_token, made.fields], ["fx_rates", true, { methods }]);
    const tried = await connectors.test.mutate({ id, method: "latest", params: { base: "EUR", n: 1 } });
    assert.deepEqual([tried.ok, tried.status, tried.error?.kind], [false, null, "refused"]);
    const changed = await connectors.update.mutate({ id, connector: { secret_token: null, lock_version: 0 } });
    assert.deepEqual([changed.has_secret_token, changed.lock_version], [false, 1]);
    assert.deepEqual(await connectors.find.query({ id }), changed);
    assert.deepEqual(await connectors.list.query({ q: "RATES" }), [changed]);
    assert.equal(await connectors.delete.mutate({ id }), undefined);
  },

  async flows({ flows }) {
    const program = [{ type: "mutation", set: { a: "{input.a}" } }, { type: "return", data: { got: "{a}" } }];
    const { id, ...made } = await flows.create.mutate({ flow: { name: "Give back", fields: { program } } });
    assert.deepEqual([made.code, made.version, made.fields, made.warnings], ["give_back", 1, { program }, {}]);
    const ran = await flows.run.mutate({ id, input: { a: [1] } });
    assert.deepEqual([ran.status, ran.data, ran.error], ["finished", { got: [1] }, undefined]);
    const changed = await flows.update.mutate({
      id,
      flow: { fields: { program: [] }, active: false, lock_version: 0 },
    });
    assert.deepEqual([changed.version, changed.active, changed.lock_version], [2, false, 1]);
    assert.deepEqual(await flows.find.query({ id }), changed);
    const { fields: _fields, warnings: _warnings, ...listed } = changed;
    assert.deepEqual(await flows.list.query({ q: "GIVE", active: false }), [listed]);
    assert.equal(await flows.delete.mutate({ id }), undefined);
  },

  async flow_processes({ flow_processes, flows }) {
    const flow = await flows.create.mutate({ flow: { name: "Inspected" } });
    const { flow_process_id: id } = await flows.run.mutate({ id: flow.id });
    const run = await flow_processes.find.query({ id });
    assert.deepEqual([run.status, run.trigger, run.steps, run.data], ["finished", "manual", [], null]);
    const again = await flow_processes.retry.mutate({ id });
    assert.deepEqual([again.retry_of, again.status], [id, "finished"]);
    const listed = await flow_processes.list.query({ flow_code: flow.code });
    assert.deepEqual(listed.map(({ id }) => id), [again.id, id]);
    assert.equal((await refusal(flow_processes.cancel.mutate({ id }))).code, "CONFLICT");
  },

  async crons({ flows, crons }) {
    await flows.create.mutate({ flow: { name: "Woken" } });
    const cron = await crons.create.mutate({ cron: { target_code: "woken", schedule: "0 9 * * MON-FRI" } });
    assert.deepEqual([cron.sentence, cron.timezone, cron.next_times.length], [
      "At 09:00, Monday through Friday",
      "UTC",
      5,
    ]);
    const changed = await crons.update.mutate({ id: cron.id, cron: { active: false, lock_version: 0 } });
    assert.deepEqual([changed.active, changed.next_run_at, changed.next_times], [false, null, []]);
    assert.deepEqual((await crons.list.query({ active: false })).map(({ id }) => id), [cron.id]);
    assert.equal((await crons.resume.mutate({ id: cron.id })).next_run_at, cron.next_run_at);
    const { flow_process_id } = await crons.fire.mutate({ id: cron.id });
    const [run] = await crons.runs.query({ id: cron.id });
    assert.deepEqual([run?.flow_process_id, run?.by_hand, run?.state], [flow_process_id, true, "ran"]);
    assert.equal((await crons.find.query({ id: cron.id })).lock_version, 2);
    assert.equal(await crons.delete.mutate({ id: cron.id }), undefined);
  },

  async records({ dbs, records }) {
    const schema = { fields: { title: "string", pages: "integer" }, indexes: { idx_int_1: "pages" } };
    const { code: db_code } = await dbs.create.mutate({ db: { name: "Shelf", schema } });
    const create = (data: Record<string, unknown>) => records.create.mutate({ db_code, record: { data } });
    const [thin, thick] = [await create({ title: "Thin", pages: 9 }), await create({ title: "Thick", pages: 900 })];
    assert.deepEqual([thin.table_name, thin.data], [null, { title: "Thin", pages: 9 }]);
    const { id } = thick;
    const many = await records.list.query({ db_code, filter: { pages: { gt: 9, in: [9, 900] } }, sort: "-pages" });
    assert.deepEqual(many, [thick]);
    assert.deepEqual((await records.list.query({ db_code, after: id })).map(({ id }) => id), [thin.id]);
    assert.deepEqual((await records.search.query({ db_code, q: "HI", sort: "pages" })).map(({ title }) => title), [
      "Thin",
      "Thick",
    ]);
    const changed = await records.update.mutate({ db_code, id, record: { data: { pages: null } } });
    assert.deepEqual(changed.data, { title: "Thick", pages: null });
    assert.deepEqual(await records.find.query({ db_code, id }), changed);
    const [made] = await records.batch.mutate({
      db_code,
      operations: [{ action: "create", record: { data: { title: "Thinner" } } }, { action: "delete", id: thin.id }],
    });
    assert.ok(made && "data" in made && made.data.title === "Thinner");
    assert.equal(await records.delete.mutate({ db_code, id }), undefined);
    assert.deepEqual((await records.list.query({ db_code })).map(({ id }) => id), [made.id]);
  },

  async public_methods({ dbs, records }) {
    const { code: db_code } = await dbs.create.mutate({
      db: {
        name: "Guests",
        schema: { fields: { title: "string" } },
        public_methods: { list: {}, create: {}, update: {}, delete: {} },
      },
    });
    const { list, create, update, delete: remove } = records.public;
    const made = await create.mutate({ db_code, data: { title: "Here" } });
    const changed = await update.mutate({ db_code, id: made.id, data: { title: "There" } });
    assert.deepEqual([made.title, changed.title], ["Here", "There"]);
    assert.deepEqual(await list.query({ db_code, filter: { title: "There" } }), [changed]);
    assert.deepEqual(await remove.mutate({ db_code, id: made.id }), { id: made.id });
    assert.deepEqual(await list.query({ db_code }), []);
  },
};

async function walkEntries(directory: Client["teams"] | Client["groups"], key: "team" | "group"): Promise<void> {
  // The two routers differ in the wrapper's name only, which no union of their types can say.
  const { create, update, list, delete: remove } = directory as Client["teams"];
  const wrapped = (name: string) => ({ [key]: { name } }) as { team: { name: string } };
  const entry = await create.mutate(wrapped("Early"));
  assert.equal((await update.mutate({ id: entry.id, ...wrapped("Late") })).name, "Late");
  assert.deepEqual((await list.query({ sort: "name" })).map(({ name }) => name), ["Late"]);
  await remove.mutate({ id: entry.id });
  assert.deepEqual(await list.query({}), []);
}

onPort("client: every procedure of the router is called and answers what REST would", async ({ client, requests }) => {
  for (const walk of Object.values(walks)) await walk(client);
  const called = new Set(requests.flatMap((path) => path.split(",")));
  const router: AnyTRPCRouter = appRouter;
  const procedures: [string, AnyTRPCProcedure][] = Object.entries(router._def.procedures);
  // What goes on for ever is followed in tests of its own.
  const ended = procedures.filter(([, { _def }]) => _def.type !== "subscription").map(([name]) => name);
  assert.deepEqual([...called].sort(), ended.sort());
});

onPort("client: a file travels byte for byte, with the fields beside it", async ({ server, url, client }) => {
  const { departments } = client;
  const fields = { name: "Zażółć", description: "a\r\nb = [c]", user_setting_ids: [1], mailbox_ids: [] };
  const created = await departments.create.mutate({ department: { ...fields, logo: logoFile() } });
  assert.deepEqual([created.name, created.description, created.user_setting_ids], [fields.name, fields.description, [
    1,
  ]]);

  const addressOf = (logo_url: string | null) => (logo_url ?? "").replace(server.base_url, url);
  const first = await fetch(addressOf(created.logo_url));
  assert.deepEqual([first.status, first.headers.get("content-type")], [200, "image/png"]);
  assert.deepEqual(await first.bytes(), LOGO);

  const other = Uint8Array.from([0xff, 0xd8, 0xff, ...LOGO]);
  const replaced = await departments.update.mutate({
    id: created.id,
    department: { logo: logoFile(other), user_setting_ids: [], lock_version: created.lock_version },
  });
  assert.deepEqual([replaced.name, replaced.user_setting_ids, replaced.lock_version], [fields.name, [], 1]);
  assert.notEqual(replaced.logo_url, created.logo_url);
  assert.deepEqual(await (await fetch(addressOf(replaced.logo_url))).bytes(), other);
  assert.deepEqual(await (await fetch(addressOf(created.logo_url))).bytes(), LOGO, "the old address goes on working");

  const removed = await departments.update.mutate({ id: created.id, department: { logo_remove: "1" } });
  assert.equal(removed.logo_url, null);

  const refused = await refusal(departments.update.mutate({
    id: created.id,
    department: { logo: new File(["<svg/>"], "a.svg"), email: "nobody" },
  }));
  assert.deepEqual([refused.httpStatus, refused.body.email], [422, ["is not an e-mail address"]]);
  const stale = departments.update.mutate({ id: created.id, department: { logo: logoFile(), lock_version: 0 } });
  assert.equal((await refusal(stale)).httpStatus, 409);
});

onPort("client: null empties a field, with a file beside it or without", async ({ client: { departments } }) => {
  const filled = { name: "Sales", phone: "1", email: "a@example.com", company_website: "https://example.com" };
  const { id } = await departments.create.mutate({ department: filled });
  const empty = { phone: null, email: null, company_website: null };
  for (const logo of [undefined, logoFile()]) {
    await departments.update.mutate({ id, department: filled });
    const { phone, email, company_website } = await departments.update.mutate({ id, department: { ...empty, logo } });
    assert.deepEqual({ phone, email, company_website }, empty, logo ? "with a file" : "without a file");
  }
});

onPort("client: calls made at once travel together, and fail apart", async ({ client, clientOf, requests }) => {
  const [account, list, missing] = await Promise.allSettled([
    client.account.find.query(),
    client.departments.list.query({}),
    client.departments.find.query({ id: 99 }),
  ]);
  assert.deepEqual(requests, ["account.find,departments.list,departments.find"]);
  assert.deepEqual([account.status, list.status, missing.status], ["fulfilled", "fulfilled", "rejected"]);

  const names = Array.from({ length: 60 }, (_, index) => `Team ${index}`);
  requests.length = 0;
  const made = await Promise.all(names.map((name) => client.teams.create.mutate({ team: { name } })));
  assert.deepEqual(made.map(({ name }) => name), names);
  assert.deepEqual(requests.map((path) => path.split(",").length), [50, 10]);

  requests.length = 0;
  const apart = clientOf(ADMIN_TOKEN, { batch: false });
  await Promise.all([apart.account.find.query(), apart.teams.list.query({})]);
  assert.deepEqual(requests.sort(), ["account.find", "teams.list"]);
});

onPort(
  "client: a refusal carries the status and the body that REST answers with",
  async ({ server, client, clientOf }) => {
    const sales = await client.departments.create.mutate({ department: { name: "Sales" } });
    await client.departments.update.mutate({ id: sales.id, department: { name: "Sales 2" } });
    const { id: user_setting_id } = await client.user_settings.create.mutate({
      user_setting: { email: "u@example.com", role: "user" },
    });
    const { token } = await client.tokens.create.mutate({ token: { name: "User", user_setting_id } });
    const scoped = await client.tokens.create.mutate({ token: { name: "Scoped", scopes: ["apps:read"] } });

    const create = (name: string, more = {}) => client.departments.create.mutate({ department: { name, ...more } });
    const calls: [call: Promise<unknown>, status: number, body: Record<string, unknown>][] = [
      [clientOf(undefined).account.find.query(), 401, { code: "unauthorized" }],
      [clientOf("atr_wrong").account.find.query(), 401, { code: "unauthorized" }],
      [clientOf(token).departments.list.query({}), 403, { code: "forbidden" }],
      [clientOf(scoped.token).departments.list.query({}), 403, { code: "forbidden" }],
      [client.departments.find.query({ id: 99 }), 404, { code: "not_found" }],
      [client.departments.delete.mutate({ id: 99 }), 404, { code: "not_found" }],
      [client.apps.find.query({ id: "no-uuid" }), 404, { code: "not_found" }],
      [client.departments.list.query({ page: 0 }), 400, { code: "bad_request" }],
      [create(" "), 422, { name: ["can't be blank"] }],
      [create("sALES 2"), 422, { name: ["has already been taken"] }],
      [create("x".repeat(256), { email: "no" }), 422, {
        name: ["is too long (maximum is 255 characters)"],
        email: ["is not an e-mail address"],
      }],
      [client.departments.create.mutate({ department: { name: "New", user_setting_ids: [77] } }), 422, {
        user_setting_ids: ["has unknown ids: 77"],
      }],
    ];
    const seen = await Promise.all(calls.map(([call]) => refusal(call)));
    seen.forEach(({ httpStatus, body }, index) => {
      const [, status, expected] = calls[index] ?? [];
      assert.equal(httpStatus, status, `call ${index}: ${JSON.stringify(body)}`);
      const said = "error" in body ? { code: body.code } : body;
      assert.deepEqual(said, expected, `call ${index}`);
    });

    const conflict = await refusal(
      client.departments.update.mutate({ id: sales.id, department: { name: "Sales 3", lock_version: 0 } }),
    );
    assert.deepEqual([conflict.httpStatus, conflict.code, conflict.path], [409, "CONFLICT", "departments.update"]);
    assert.deepEqual(conflict.body.current, await client.departments.find.query({ id: sales.id }));

    const over_rest = await server.request("POST", "/account/departments.json", { json: { department: { name: "" } } });
    const over_trpc = await refusal(create(""));
    assert.deepEqual(over_trpc.body, over_rest.body);
    assert.equal(over_trpc.message, "name can't be blank");
    assert.equal(JSON.stringify(over_trpc).includes("stack"), false);
  },
);

onPort(
  "client: a compile error, or a source beyond the limit, is told on source_code",
  async ({ client: { apps } }) => {
    const broken = apps.create.mutate({ app: { name: "Broken", app_engine: "svelte", source_code: "<p>{#if}</p>" } });
    const { httpStatus, body } = await refusal(broken);
    assert.equal(httpStatus, 422);
    assert.match(String(Object(body).source_code), /^\d+:\d+ /);
    const long = apps.create.mutate({ app: { name: "Long", app_engine: "html", source_code: "x".repeat(200_001) } });
    assert.deepEqual((await refusal(long)).body, { source_code: ["is too long (maximum is 200000 characters)"] });
    const huge = apps.create.mutate({ app: { name: "Huge", app_engine: "html", source_code: "x".repeat(2_100_000) } });
    const refused = await refusal(huge);
    assert.deepEqual([refused.httpStatus, refused.body.code], [413, "payload_too_large"]);
  },
);

onPort("client: the token may come from a function, asked for each request", async ({ url }) => {
  let asked = 0;
  const { account } = createClient({ url: `${url}/`, token: () => (asked++, Promise.resolve(ADMIN_TOKEN)) });
  await account.find.query();
  await account.find.query();
  assert.equal(asked, 2);
});

onPort("client: actions and public methods need no login where they are public", async ({ client, clientOf }) => {
  const visitor = clientOf(undefined);
  const flow = await client.flows.create.mutate({ flow: { name: "Opened" } });
  const actions = [
    { action: "open", flow_code: flow.code, public: true },
    { action: "closed", flow_code: flow.code },
  ];
  const app = await client.apps.create.mutate({
    app: { name: "Open", app_engine: "js", source_code: SOURCE, public: true, actions },
  });
  const called = await visitor.apps.call_action.mutate({ id: app.id, action_name: "open" });
  assert.equal(called.status, "finished");
  const { flow_process_id } = called;
  assert.deepEqual(
    await visitor.apps.action_status.query({ id: app.id, action_name: "open", flow_process_id }),
    called,
  );
  const closed = await refusal(visitor.apps.call_action.mutate({ id: app.id, action_name: "closed" }));
  assert.equal(closed.httpStatus, 401);

  const public_methods = { list: {}, create: {} };
  const schema = { fields: { title: "string" } };
  const { code: db_code } = await client.dbs.create.mutate({ db: { name: "Guests", schema, public_methods } });
  const { id } = await visitor.records.public.create.mutate({ db_code, data: { title: "Here" } });
  assert.deepEqual((await visitor.records.public.list.query({ db_code })).map((record) => record.id), [id]);
  const refused = await refusal(visitor.records.public.delete.mutate({ db_code, id }));
  assert.equal(refused.httpStatus, 403);
});
