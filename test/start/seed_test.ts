/** `deno task seed`, as a person gives it, against a server on a port. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { EXAMPLES } from "../../client/gallery/examples.ts";
import { GALLERY, readSource } from "../../client/gallery/gallery.ts";
import { childEnvironment } from "../../server/config.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";
import { freePort } from "../stage/network/ports.ts";
import { addPerson } from "../stage/people.ts";

const TREE = fileURLToPath(new URL("../..", import.meta.url));

async function seed(args: string[], environment: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "seed", ...args],
    cwd: TREE,
    clearEnv: true,
    env: {
      ...childEnvironment(Deno.env.toObject()),
      PATH: Deno.env.get("PATH") ?? "",
      NO_COLOR: "1",
      ...environment,
    },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, said: text(stdout), complained: text(stderr) };
}

/** What it says where the same was done to each app and example. */
const lines = (url: string, done: (url_code: string) => string) =>
  [
    ...GALLERY.map(({ name, url_code }) => ({ name, url_code })),
    ...EXAMPLES.map(({ name, opens }) => ({ name, url_code: opens })),
  ].map(({ name, url_code }) => `${done(url_code).padEnd(9)}  ${name.padEnd(12)}  ${url}/a/${url_code}\n`).join("");

/** Every thing and the number of records of each database of the account. */
async function contentOf({ request, sql }: TestServer) {
  const { body: things } = await request("GET", "/account/archive.json?per_page=100");
  const counts = await sql<{ code: string; count: number }[]>`
    select d.code, count(r.id)::int as count
    from dbs d
    join db_tables t on t.db_id = d.id
    left join records r on r.table_id = t.id
    group by d.code
    order by d.code
  `;
  return {
    etags: new Map<string, string>(things.map((thing: Thing) => [`${thing.kind}/${thing.key}`, thing.etag])),
    counts: new Map(counts.map(({ code, count }) => [code, count])),
  };
}
interface Thing {
  kind: string;
  key: string;
  etag: string;
}

Deno.test("seed: the gallery's apps are made once, and brought up to date where somebody changed one", async () => {
  const server = await startServer();
  try {
    const url = server.listen();
    const first = await seed([], { BASE_URL: `${url}/`, ADMIN_TOKEN });
    assert.deepEqual(first, { code: 0, said: lines(url, () => "created"), complained: "" });

    const { body: all } = await server.request("GET", "/platform/apps.json?per_page=100");
    const listed = all.filter(({ url_code }: { url_code: string }) => GALLERY.some((app) => app.url_code === url_code));
    assert.deepEqual(
      new Map(
        listed.map((app: Record<string, unknown>) => [app.url_code, [app.app_engine, app.css_engine, app.public]]),
      ),
      new Map(GALLERY.map(({ url_code, app_engine, css_engine }) => [url_code, [app_engine, css_engine, true]])),
    );
    const [newest] = GALLERY.slice(-1);
    assert.ok(newest);
    const { body: app } = await server.request("GET", `/platform/apps/${listed[0].id}.json`);
    assert.deepEqual(
      [app.name, app.description, app.dashboard_widget, app.source_code],
      [newest.name, newest.description, newest.dashboard_widget, await readSource(newest)],
    );
    assert.equal((await server.request("GET", `/a/${newest.url_code}`, { token: null })).status, 200);

    const json = { app: { description: "Mine", source_code: "document.title = 'mine'", app_engine: "js" } };
    await server.request("PATCH", `/platform/apps/${app.id}.json`, { json });
    const args = [`--url=${url}`, `--token=${ADMIN_TOKEN}`];
    const wrong = { BASE_URL: "http://127.0.0.1:9", ADMIN_TOKEN: "options come first" };
    assert.deepEqual(await seed(args, wrong), {
      code: 0,
      said: lines(url, (url_code) => url_code === newest.url_code ? "updated" : "unchanged"),
      complained: "",
    });
    const { body: restored } = await server.request("GET", `/platform/apps/${app.id}.json`);
    assert.deepEqual([restored.description, restored.source_code], [app.description, app.source_code]);
    assert.equal((await server.request("GET", "/platform/apps.json?per_page=100")).body.length, all.length);
  } finally {
    await server.close();
  }
});

Deno.test("seed: an example is pushed as a whole; its records are loaded once, and changes are brought back", async () => {
  const server = await startServer();
  try {
    const url = server.listen();
    const args = (only: string) => [`--url=${url}`, `--token=${ADMIN_TOKEN}`, `--only=${only}`];
    const said = (done: string, only: string) => {
      const { name, opens } = EXAMPLES.find(({ folder }) => folder === only) ?? { name: "", opens: "" };
      return { code: 0, said: `${done.padEnd(9)}  ${name.padEnd(12)}  ${url}/a/${opens}\n`, complained: "" };
    };
    assert.deepEqual(await seed(args("crm_board")), said("created", "crm_board"));
    assert.deepEqual(await seed(args("status_page")), said("created", "status_page"));
    const first = await contentOf(server);
    const kinds = new Set([...first.etags.keys()].map((name) => name.split("/")[0]));
    assert.deepEqual(kinds, new Set(["app", "db", "flow", "trigger"]));
    assert.equal(first.counts.get("crm_deals"), 12);
    // The flow has checked once: four services have a further day each.
    assert.equal(first.counts.get("status_days"), 4 * 90);
    const [activity] = (await server.request("GET", "/platform/dbs/crm_activity/search.json?per_page=1")).body;
    const deal = await server.request("GET", `/platform/dbs/crm_deals/records/${activity.deal}.json`);
    assert.equal(deal.status, 200, "a record names another one by its id");

    for (const only of ["crm_board", "status_page"]) assert.deepEqual(await seed(args(only)), said("unchanged", only));
    assert.deepEqual(await contentOf(server), first);

    const deals = (await server.request("GET", "/platform/dbs/crm_deals/records.json?per_page=100")).body;
    await server.request("DELETE", `/platform/dbs/crm_deals/records/${deals[0].id}.json`);
    const { body: flows } = await server.request("GET", "/connect/flows.json?q=crm_add_note");
    await server.request("PATCH", `/connect/flows/${flows[0].id}.json`, { json: { flow: { name: "Mine" } } });
    assert.deepEqual(await seed(args("crm_board")), said("updated", "crm_board"));
    const after = await contentOf(server);
    assert.deepEqual(after.etags, first.etags);
    assert.equal(after.counts.get("crm_deals"), deals.length - 1, "records stay as they are");
  } finally {
    await server.close();
  }
});

Deno.test("seed: a busy server is asked again", async () => {
  const server = await startServer();
  let changes = 0;
  const refusal = (code: string, httpStatus: number) => {
    const json = { message: "Refused", code: -32603, data: { code, httpStatus, path: "apps.create", body: {} } };
    return Response.json([{ error: { json } }], { status: httpStatus });
  };
  /** The first change is refused as busy, the second is made, and the third ends the command. */
  const busy = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    if (request.method !== "POST") return server.handler(request);
    changes++;
    if (changes === 1) return refusal("SERVICE_UNAVAILABLE", 503);
    return changes === 2 ? server.handler(request) : refusal("UNAUTHORIZED", 401);
  });
  try {
    const url = `http://127.0.0.1:${busy.addr.port}`;
    const [first] = GALLERY;
    const { code, said, complained } = await seed([`--url=${url}`, `--token=${ADMIN_TOKEN}`]);
    assert.deepEqual([code, complained], [1, `${url} does not know this token\n`]);
    assert.equal(said, `created    ${first?.name.padEnd(12)}  ${url}/a/${first?.url_code}\n`);
  } finally {
    await busy.shutdown();
    await server.close();
  }
});

Deno.test("seed: a failure is reported in one line", async (t) => {
  const server = await startServer();
  const other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response("<p>Hello"));
  try {
    const url = server.listen();
    const elsewhere = `http://127.0.0.1:${other.addr.port}`;
    const nowhere = `http://127.0.0.1:${freePort()}`;
    // An app that a manager may not see holds the address that the gallery's would get.
    const department = await server.request("POST", "/account/departments.json", {
      json: { department: { name: "A" } },
    });
    const taken = { name: "Taken", url_code: "daylight", app_engine: "js", source_code: "1", css_engine: "none" };
    await server.request("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
    const app = { ...taken, department_id: department.body.id };
    assert.equal((await server.request("POST", "/platform/apps.json", { json: { app } })).status, 201);
    const manager = await addPerson(server.request, "manager", { without_department: true });
    const guest = await addPerson(server.request, "user");

    const refused: [args: string[], complained: RegExp][] = [
      [[`--url=${url}`], /^a token is needed: [^\n]+\n$/],
      [["--url=atrium.test", "--token=x"], /^atrium\.test is not an address: [^\n]+\n$/],
      [["--only=nothing", "--token=x"], /^there is no nothing: --only takes daylight, [^\n]+, order_process\n$/],
      [[`--url=${url}`, `--token=${manager.token}`, "--only=crm_board"], /^CRM board is refused: This needs [^\n]+\n$/],
      [["--urls=x"], /^usage: deno task seed [^\n]+\n$/],
      [[`--url=${url}`, "--token=stranger"], /^http:\S+ does not know this token\n$/],
      [[`--url=${url}`, `--token=${guest.token}`], /^Daylight is refused: This needs the role manager\n$/],
      [[`--url=${url}`, `--token=${manager.token}`], /^Daylight is refused: url_code has already been taken\n$/],
      [[`--url=${nowhere}`, "--token=x"], /^nothing answers at http:\S+: [^\n]+\n$/],
      [[`--url=${elsewhere}`, "--token=x"], /^what answers at http:\S+ is not Atrium\n$/],
    ];
    for (const [args, complained] of refused) {
      await t.step(`${complained}`, async () => {
        const end = await seed(args);
        assert.deepEqual([end.code, end.said], [1, ""]);
        assert.match(end.complained, complained);
      });
    }
  } finally {
    await other.shutdown();
    await server.close();
  }
});
