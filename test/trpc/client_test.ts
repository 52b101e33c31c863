/** The real `@trpc/client` through `client/mod.ts`, over HTTP on a port. */
import assert from "node:assert/strict";
import type { AnyTRPCProcedure } from "@trpc/server";
import { type Client, createClient } from "../../client/mod.ts";
import { loadRouter } from "../../server/router.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";
import { refusalOf } from "./refusal.ts";
import { LOGO, logoFile, SOURCE, walks } from "./walks.ts";

interface Stage {
  server: TestServer;
  url: string;
  client: Client;
  /** The path below `/trpc/` of each HTTP request. */
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

onPort("client: every procedure of the router is called and answers what REST would", async ({ client, requests }) => {
  for (const walk of Object.values(walks)) await walk(client);
  const called = new Set(requests.flatMap((path) => path.split(",")));
  const router = await loadRouter();
  const procedures: [string, AnyTRPCProcedure][] = Object.entries(router._def.procedures);
  // Subscriptions never end and have their own tests.
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

  const refused = await refusalOf(departments.update.mutate({
    id: created.id,
    department: { logo: new File(["<svg/>"], "a.svg"), email: "nobody" },
  }));
  assert.deepEqual([refused.httpStatus, refused.body.email], [422, ["is not an e-mail address"]]);
  const stale = departments.update.mutate({ id: created.id, department: { logo: logoFile(), lock_version: 0 } });
  assert.equal((await refusalOf(stale)).httpStatus, 409);
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
    const seen = await Promise.all(calls.map(([call]) => refusalOf(call)));
    seen.forEach(({ httpStatus, body }, index) => {
      const [, status, expected] = calls[index] ?? [];
      assert.equal(httpStatus, status, `call ${index}: ${JSON.stringify(body)}`);
      const said = "error" in body ? { code: body.code } : body;
      assert.deepEqual(said, expected, `call ${index}`);
    });

    const conflict = await refusalOf(
      client.departments.update.mutate({ id: sales.id, department: { name: "Sales 3", lock_version: 0 } }),
    );
    assert.deepEqual([conflict.httpStatus, conflict.code, conflict.path], [409, "CONFLICT", "departments.update"]);
    assert.deepEqual(conflict.body.current, await client.departments.find.query({ id: sales.id }));

    const over_rest = await server.request("POST", "/account/departments.json", { json: { department: { name: "" } } });
    const over_trpc = await refusalOf(create(""));
    assert.deepEqual(over_trpc.body, over_rest.body);
    assert.equal(over_trpc.message, "name can't be blank");
    assert.equal(JSON.stringify(over_trpc).includes("stack"), false);
  },
);

onPort(
  "client: a compile error, or a source beyond the limit, is told on source_code",
  async ({ client: { apps } }) => {
    const broken = apps.create.mutate({ app: { name: "Broken", app_engine: "svelte", source_code: "<p>{#if}</p>" } });
    const { httpStatus, body } = await refusalOf(broken);
    assert.equal(httpStatus, 422);
    assert.match(String(Object(body).source_code), /^\d+:\d+ /);
    const long = apps.create.mutate({ app: { name: "Long", app_engine: "html", source_code: "x".repeat(200_001) } });
    assert.deepEqual((await refusalOf(long)).body, { source_code: ["is too long (maximum is 200000 characters)"] });
    const huge = apps.create.mutate({ app: { name: "Huge", app_engine: "html", source_code: "x".repeat(2_100_000) } });
    const refused = await refusalOf(huge);
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
  const closed = await refusalOf(visitor.apps.call_action.mutate({ id: app.id, action_name: "closed" }));
  assert.equal(closed.httpStatus, 401);

  const public_methods = { list: {}, create: {} };
  const schema = { fields: { title: "string" } };
  const { code: db_code } = await client.dbs.create.mutate({ db: { name: "Guests", schema, public_methods } });
  const { id } = await visitor.records.public.create.mutate({ db_code, data: { title: "Here" } });
  assert.deepEqual((await visitor.records.public.list.query({ db_code })).map((record) => record.id), [id]);
  const refused = await refusalOf(visitor.records.public.delete.mutate({ db_code, id }));
  assert.equal(refused.httpStatus, 403);
});
