/** Two servers on one database: what is done through one holds at the other. PostgreSQL only. */
import assert from "node:assert/strict";
import { beside, createDatabase, on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { addSession } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { tokenIn } from "../stage/visitors.ts";

async function withTwo(work: (one: TestServer, other: TestServer) => Promise<void>): Promise<void> {
  const DATABASE_URL = await createDatabase();
  const one = await startServer({ DATABASE_URL });
  const other = await startServer(beside(one, DATABASE_URL));
  try {
    await work(one, other);
  } finally {
    await other.close();
    await one.close();
  }
}

const statusWith = async (server: TestServer, token: string) =>
  (await server.request("GET", "/account.json", { token })).status;

Deno.test({
  name: "two servers: a revoked token, a demoted or a deactivated user is refused at once here, within 5 s there",
  ignore: !on_postgres,
  fn: () =>
    withTwo(async (one, other) => {
      const person = async (email: string) => {
        const user_setting = { email, role: "manager" };
        const user = await one.request("POST", "/account/user_settings.json", { json: { user_setting } });
        const token = { name: "Test", user_setting_id: user.body.id };
        const made = await one.request("POST", "/account/tokens.json", { json: { token } });
        return { id: user.body.id, token_id: made.body.id, token: made.body.token };
      };
      const [revoked, switched_off, demoted, deleted] = await Promise.all(
        ["revoked", "off", "demoted", "deleted"].map((name) => person(`${name}@example.com`)),
      );
      assert.ok(revoked && switched_off && demoted && deleted);
      const list = async (server: TestServer) =>
        (await server.request("GET", "/account/teams.json", { token: demoted.token })).status;
      const all = [revoked, switched_off, demoted, deleted];
      const both = [one, other].flatMap((server) => all.map(({ token }) => statusWith(server, token)));
      assert.deepEqual(await Promise.all(both), Array(8).fill(200), "both know them now");
      assert.deepEqual([await list(one), await list(other)], [200, 200]);

      const began = performance.now();
      const change = (id: number, user_setting: unknown) =>
        one.request("PATCH", `/account/user_settings/${id}.json`, { json: { user_setting } });
      const done = await Promise.all([
        one.request("DELETE", `/account/tokens/${revoked.token_id}.json`),
        change(switched_off.id, { active: false }),
        change(demoted.id, { role: "user" }),
        one.request("DELETE", `/account/user_settings/${deleted.id}.json`),
      ]);
      assert.deepEqual(done.map(({ status }) => status), [204, 200, 200, 204]);
      const here = await Promise.all([revoked, switched_off, deleted].map(({ token }) => statusWith(one, token)));
      assert.deepEqual([...here, await list(one)], [401, 401, 401, 403], "at once in the same process");

      const refused = async () => {
        const there = await Promise.all([revoked, switched_off, deleted].map(({ token }) => statusWith(other, token)));
        return [...there, await list(other)].join() === "401,401,401,403";
      };
      await until(refused, "the other server refuses them", 5_000 - (performance.now() - began));
    }),
});

Deno.test({
  name: "two servers: signing out ends the page tokens of the session, within 5 s there",
  ignore: !on_postgres,
  fn: () =>
    withTwo(async (one, other) => {
      const app = { name: "Page", app_engine: "html", source_code: "<p>page</p>" };
      const { body: { id } } = await one.request("POST", "/platform/apps.json", { json: { app } });
      const { cookie } = await addSession(one, 1);
      const headers = {
        cookie,
        "sec-fetch-site": "same-origin",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
      };
      const page = await one.request("GET", `/a/${id}/frame`, { token: null, headers });
      const page_token = tokenIn(page) ?? "";
      const call = async (server: TestServer) =>
        (await server.request("POST", `/platform/apps/${id}/action/none`, {
          token: null,
          headers: { "x-app-token": page_token },
        })).status;
      assert.deepEqual([await call(one), await call(other)], [404, 404], "both know the viewer now");
      const began = performance.now();
      await one.request("DELETE", "/account/session.json", { token: null, headers });
      assert.equal(await call(one), 401, "at once in the same process");
      const refused = async () => await call(other) === 401;
      await until(refused, "the other server refuses the page", 5_000 - (performance.now() - began));
    }),
});

Deno.test({
  name: "two servers: a token that one makes opens the other at once",
  ignore: !on_postgres,
  fn: () =>
    withTwo(async (one, other) => {
      const early = "atr_not_made_yet";
      assert.equal(await statusWith(other, early), 401);
      const { body } = await one.request("POST", "/account/tokens.json", { json: { token: { name: "New" } } });
      assert.equal(await statusWith(other, body.token), 200);
    }),
});

Deno.test({
  name: "two servers: an app that one changes, renames, hides or deletes is served fresh by the other within a second",
  ignore: !on_postgres,
  fn: () =>
    withTwo(async (one, other) => {
      const app = { name: "Page", url_code: "page", app_engine: "html", source_code: "<p>first</p>", public: true };
      const { body: { id } } = await one.request("POST", "/platform/apps.json", { json: { app } });
      const open = (path: string) => other.request("GET", path, { token: null });
      const change = (changes: unknown) =>
        one.request("PATCH", `/platform/apps/${id}.json`, { json: { app: changes } });
      const first = await open("/a/page");
      assert.match(first.body, /<p>first<\/p>/);
      assert.match((await open(`/a/${id}`)).body, /<p>first<\/p>/);

      assert.equal((await change({ source_code: "<p>second</p>" })).status, 200);
      await until(async () => /<p>second<\/p>/.test((await open("/a/page")).body), "the new source");
      assert.notEqual((await open("/a/page")).headers.get("etag"), first.headers.get("etag"));

      assert.equal((await change({ url_code: "moved" })).status, 200);
      await until(async () => (await open("/a/page")).status === 401, "the old address is gone");
      assert.match((await open("/a/moved")).body, /<p>second<\/p>/);

      assert.equal((await change({ public: false })).status, 200);
      await until(async () => (await open("/a/moved")).status === 401, "it is not public any more");

      assert.equal((await change({ public: true, active: false })).status, 200);
      await until(async () => (await open("/a/moved")).status === 401, "it is switched off");
      assert.equal((await change({ active: true })).status, 200);
      await until(async () => (await open("/a/moved")).status === 200, "it is switched on");

      assert.equal((await one.request("DELETE", `/platform/apps/${id}.json`)).status, 204);
      await until(async () => (await open("/a/moved")).status === 401, "it is deleted");
    }),
});

Deno.test({
  name: "two servers: concurrent first departments through both leave one main one, and the mode right",
  ignore: !on_postgres,
  fn: () =>
    withTwo(async (one, other) => {
      const create = (server: TestServer, name: string) =>
        server.request("POST", "/account/departments.json", { json: { department: { name } } });
      const answers = await Promise.all([create(one, "A"), create(other, "B"), create(one, "a"), create(other, "b")]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 422, 422]);
      const { body } = await other.request("GET", "/account/departments.json");
      assert.equal(body.filter(({ main }: { main: boolean }) => main).length, 1);
      assert.equal((await one.request("GET", "/account.json")).body.departments.mode, "restricted");
    }),
});
