/** A whole account is moved to another server, and both are compared by every list and every app page. */
import assert from "node:assert/strict";
import { NUMBERED } from "../../../server/domains/archive/whole/ids.ts";
import { filesOf } from "../../../server/domains/archive/whole/tar/read.ts";
import { exportAll, importInto, openExport } from "../../stage/archive/account_archives.ts";
import { ADMIN_TOKEN, on_postgres, startServer, type TestServer } from "../../stage/harness.ts";
import { as } from "../../stage/people.ts";
import { PNG } from "../../stage/images.ts";
import { until } from "../../stage/until.ts";
import { BESIDE_SERVER } from "../../stage/scenario.ts";
import { compareAccounts } from "./compared.ts";
import { makeWorld } from "./moved_world.ts";

/** Each answer signs another page token. */
const withoutToken = (html: unknown) => String(html).replace(/"eyJ[\w-]+\.[\w-]+"/g, '"a token"');

/** Lets the ids of new objects begin elsewhere: nothing in the other account has the number that it had. */
async function shiftNumbers({ sql }: TestServer): Promise<void> {
  for (const table of Object.values(NUMBERED)) {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), 5000)`;
  }
}

type Kind = "embedded" | "postgres";

async function startOn(kind: Kind): Promise<TestServer> {
  if (kind === "postgres" || !on_postgres) return await startServer();
  const folder = await Deno.makeTempDir({ prefix: "atrium_moving_" });
  const server = await startServer({ DATA_DIR: folder });
  const close = async () => {
    await server.close();
    await Deno.remove(folder, { recursive: true });
  };
  return { ...server, close };
}

const CREATED = {
  logos: 1,
  departments: 2,
  teams: 1,
  groups: 1,
  mailboxes: 1,
  users: 2,
  connectors: 2,
  dbs: 2,
  flows: 3,
  apps: 3,
  triggers: 5,
  records: 5,
  dashboards: 2,
  db_views: 3,
  app_versions: 1,
  flow_versions: 5,
  flow_examples: 1,
  app_drafts: 1,
  flow_drafts: 1,
  app_openings: 2,
  runs: 6,
  trigger_runs: 1,
};

const DIRECTIONS: [from: Kind, to: Kind][] = on_postgres
  ? [["embedded", "postgres"], ["postgres", "embedded"]]
  : [["embedded", "embedded"]];

for (const [from, to] of DIRECTIONS) {
  Deno.test(`moving: from ${from} to ${to}, every list and every app page is the same`, BESIDE_SERVER, async (t) => {
    await using stack = new AsyncDisposableStack();
    const [one, other] = await Promise.all([startOn(from), startOn(to)]);
    for (const server of [one, other]) stack.defer(() => server.close());
    const urls: string[] = [];
    const world = await makeWorld(one, as(one.request, ADMIN_TOKEN));
    await shiftNumbers(other);
    const [ask, there] = [as(one.request, ADMIN_TOKEN), as(other.request, ADMIN_TOKEN)];
    // As right after a run's end, before its outcome is copied to the ledger.
    await one.sql`update cron_runs set outcome = null`;
    const archive = await exportAll(one, ADMIN_TOKEN);

    await t.step("the archive has no secret", () => {
      const text = new TextDecoder("latin1").decode(archive);
      assert.doesNotMatch(text, /canary|password_hash|scrypt|secret_token/);
      for (const secret of [ADMIN_TOKEN, world.ada.token]) assert.ok(!text.includes(secret));
    });

    await t.step("the import says what it has made and what is left to do", async () => {
      const { status, body } = await importInto(there, archive);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.created, CREATED);
      assert.deepEqual(body.secrets, [
        { kind: "connector", name: "fx" },
        { kind: "trigger", name: "Signed" },
        { kind: "embedding_key", name: "Intranet" },
      ]);
      assert.deepEqual(body.users, ["ada", "guest"]);
      assert.deepEqual(body.webhooks.map(({ name }: { name: string }) => name), ["Shop", "Signed"]);
      urls.push(...body.webhooks.map(({ webhook_url }: { webhook_url: string }) => new URL(webhook_url).pathname));
    });

    await t.step("every list", async () => {
      const compared = await compareAccounts([ask, there]);
      assert.ok(compared.length > 100, compared.join("\n"));
    });

    await t.step("every app page, for the admin and for visitors", async () => {
      const opened: number[] = [];
      const paths = [...Object.values(world.apps), "board", "counter"].map((name) => `/a/${name}`);
      for (const path of paths) {
        for (const token of [ADMIN_TOKEN, null]) {
          const [was, is] = await Promise.all([one, other].map(({ request }) => request("GET", path, { token })));
          assert.equal(is?.status, was?.status);
          assert.equal(withoutToken(is?.body), withoutToken(was?.body), path);
          opened.push(was?.status ?? 0);
        }
      }
      assert.deepEqual(opened.filter((status) => status === 200).length, 7, opened.join());
    });

    await t.step("a logo has its address, byte for byte", async () => {
      const [{ logo_url }] = (await ask("GET", "/account/departments.json?q=sales")).body;
      const { pathname } = new URL(logo_url);
      const logos = await Promise.all([one, other].map(async ({ handler, base_url }) => {
        const answer = await handler(new Request(base_url + pathname));
        return [answer.status, await answer.bytes()] as const;
      }));
      assert.deepEqual(logos[1], [200, PNG]);
      assert.deepEqual(logos[0], logos[1]);
    });

    const runsOf = async (query: string): Promise<number> =>
      (await there("GET", `/connect/flow_processes.json?per_page=500&${query}`)).body.length;

    await t.step("a run names its trigger by its new number, also in what templates see of it", async () => {
      const runs = await other.sql<{ is_named: boolean }[]>`
        select (trigger_data ->> 'cron_id')::int = cron_id
            and exists (select from crons where crons.id = flow_processes.cron_id) as is_named
        from flow_processes
        where trigger = 'cron'
      `;
      assert.deepEqual([...runs], [{ is_named: true }]);
    });

    await t.step("imported records start no flow; a new one does", async () => {
      const before = await runsOf("trigger=cron");
      const record = { data: { number: "B-1" } };
      await there("POST", "/platform/dbs/orders/records.json", { json: { record } });
      await until(async () => {
        await other.tick();
        return await runsOf("trigger=cron") > before;
      }, "the record has started the flow");
      const { body: crons } = await there("GET", "/account/crons.json");
      const { id } = crons.find(({ name }: { name: string }) => name === "New orders");
      assert.equal((await there("GET", `/account/crons/${id}/runs.json`)).body.length, 1);
    });

    await t.step("webhooks have new addresses; one with signatures refuses all until its key is set", async () => {
      const sent = { token: null, json: { name: "Shop" } };
      const [shop = "", signed = ""] = urls;
      assert.equal((await there("POST", shop, sent)).status, 202);
      assert.equal((await there("POST", signed, sent)).status, 401);
    });

    await t.step("a user without a password does not sign in until an admin sets one", async () => {
      const [{ id }] = (await there("GET", "/account/user_settings.json?q=ada")).body;
      const signIn = () =>
        there("POST", "/account/session.json", {
          token: null,
          json: { session: { login: "ada", password: "a new password of Ada" } },
        });
      assert.equal((await signIn()).status, 401);
      const user_setting = { password: "a new password of Ada" };
      assert.equal((await there("PATCH", `/account/user_settings/${id}.json`, { json: { user_setting } })).status, 200);
      assert.equal((await signIn()).status, 201);
    });

    await t.step("without records and runs they are not in it", async () => {
      const { body } = await openExport(one, ADMIN_TOKEN);
      const folders = new Set<string>();
      for await (const { name } of filesOf(body ?? new ReadableStream())) folders.add(name.split("/")[0] ?? "");
      assert.deepEqual(["records", "runs", "trigger_runs", "run_counts"].filter((name) => folders.has(name)), []);
      assert.ok(folders.has("apps"));
    });

    await t.step("a second import is refused", async () => {
      assert.equal((await importInto(there, archive)).status, 409);
    });
  });
}
