/** `pull`, `push` and `dev`, as a person and a CI job give them: one folder in Git and two servers. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../server/config.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";
import { addToken } from "../stage/people.ts";
import { until } from "../stage/until.ts";

const CLI = fileURLToPath(new URL("../../client/package/cli.ts", import.meta.url));

const commandOf = (args: string[], environment: Record<string, string>) =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-write", CLI, ...args],
    clearEnv: true,
    env: {
      ...childEnvironment(Deno.env.toObject()),
      PATH: Deno.env.get("PATH") ?? "",
      NO_COLOR: "1",
      ADMIN_TOKEN,
      ...environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });

async function run(args: string[], environment: Record<string, string>) {
  const { code, stdout, stderr } = await commandOf(args, environment).output();
  const [said, complained] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, said: said ?? "", complained: complained ?? "" };
}

const SOURCE = "document.title = 'one';\n";

async function fill({ request }: TestServer): Promise<void> {
  const made = async (path: string, json: unknown) => {
    const { status, body } = await request("POST", path, { json });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };
  const { id: department_id } = await made("/account/departments.json", { department: { name: "Sales" } });
  const auth = { type: "bearer" };
  const methods = { track: { method: "GET", path: "/track" } };
  const url = "https://parcels.example.com";
  await made("/connect/connectors.json", {
    connector: { name: "Parcels", code: "parcels", url, fields: { auth, methods }, secret_token: "staging-secret" },
  });
  const schema = { fields: { number: "string", day: "date" }, indexes: { idx_str_1: "number" } };
  await made("/platform/dbs.json", { db: { name: "Orders", code: "orders", schema, department_id } });
  await made("/platform/dbs/orders/records.json", { record: { data: { number: "1", day: "2026-11-24" } } });
  const program = [{ type: "connector", id: "track", connector_code: "parcels", method: "track" }];
  await made("/connect/flows.json", { flow: { name: "Ship", code: "ship", fields: { program } } });
  await made("/platform/apps.json", {
    app: {
      name: "Counter",
      url_code: "counter",
      app_engine: "js",
      css_engine: "none",
      source_code: SOURCE,
      public: true,
      db_code: "orders",
      actions: [{ action: "ship", flow_code: "ship" }],
    },
  });
  await made("/account/crons.json", {
    cron: { name: "Every night", target_code: "ship", schedule: "0 3 * * *", department_id },
  });
}

Deno.test("archive: one folder and two servers are a deployment pipeline", async (t) => {
  await using stack = new AsyncDisposableStack();
  const [staging, production] = await Promise.all([startServer(), startServer()]);
  stack.defer(() => staging.close());
  stack.defer(() => production.close());
  const root = await Deno.makeTempDir({ prefix: "atrium_archive_" });
  stack.defer(() => Deno.remove(root, { recursive: true }));
  await fill(staging);
  const [STAGING, PRODUCTION] = [staging.listen(), production.listen()];
  const [ada, bob, deployed] = [`${root}/ada`, `${root}/bob`, `${root}/deployed`];
  const at = (url: string) => ({ ATRIUM_URL: url });
  const read = (path: string) => Deno.readTextFile(path);
  const edit = async (path: string, change: (text: string) => string) =>
    await Deno.writeTextFile(path, change(await read(path)));
  const listOf = async ({ request }: TestServer) => (await request("GET", "/account/archive.json?per_page=100")).body;
  const appOf = async ({ request }: TestServer) => {
    const [{ id }] = (await request("GET", "/platform/apps.json?q=counter")).body;
    return (await request("GET", `/platform/apps/${id}.json`)).body;
  };
  /** What Git does between two people: only the files, not `.atrium/`. */
  const copy = async (from: string, to: string) => {
    for (const folder of ["apps", "connectors", "dbs", "departments", "flows", "triggers"]) {
      await Deno.remove(`${to}/${folder}`, { recursive: true }).catch(() => {});
      await Deno.mkdir(`${to}/${folder}`, { recursive: true });
      for await (const { name } of Deno.readDir(`${from}/${folder}`)) {
        await Deno.copyFile(`${from}/${folder}/${name}`, `${to}/${folder}/${name}`);
      }
    }
  };

  await t.step("pull writes a file for each thing, and records on request", async () => {
    const { code, said, complained } = await run(["pull", ada, "--records"], at(STAGING));
    assert.deepEqual([code, complained], [0, ""]);
    const files = [
      "apps/counter.js",
      "apps/counter.json",
      "connectors/parcels.json",
      "dbs/orders.json",
      "departments/sales.json",
      "flows/ship.json",
      "triggers/every-night.json",
    ];
    assert.equal(
      said,
      [...files.map((path) => `created   ${path}`), "records   records/orders/orders.ndjson", ""].join("\n"),
    );
    assert.equal(await read(`${ada}/apps/counter.js`), SOURCE);
    assert.deepEqual(JSON.parse(await read(`${ada}/dbs/orders.json`)).department, "Sales");
    assert.ok(!(await read(`${ada}/connectors/parcels.json`)).includes("secret"));
    assert.equal(JSON.parse(await read(`${ada}/records/orders/orders.ndjson`)).data.number, "1");
    assert.match(await read(`${ada}/.atrium/.gitignore`), /^\*$/m);
    assert.equal(
      (await run(["push", ada, "--yes"], at(STAGING))).said,
      `${new URL(STAGING).host} has what ${ada} has.\n`,
    );
  });

  await t.step("the same folder makes the same account on another server, with that server's secrets", async () => {
    await copy(ada, deployed);
    const dry = await run(["push", ada, "--dry-run"], at(PRODUCTION));
    assert.match(dry.said, /\+ create {2}connectors\/parcels\n {4}warning: secret_token is not set/);
    assert.deepEqual(await listOf(production), []);
    const unasked = await run(["push", ada], at(PRODUCTION));
    assert.deepEqual([unasked.code, unasked.complained], [1, "there is nobody to ask: --yes applies the changes\n"]);
    const secret = { ATRIUM_SECRET_CONNECTOR_PARCELS: "production-secret" };
    const { code, said } = await run(["push", ada, "--base", `${root}/nothing`, "--yes"], {
      ...at(PRODUCTION),
      ...secret,
    });
    assert.deepEqual([code, said.includes("warning")], [0, false], said);
    assert.match(said, /^--base \S+nothing is no folder: this counts as the first deployment\.\n/);
    assert.deepEqual(await listOf(production), await listOf(staging));
    const [connector] = (await production.request("GET", "/connect/connectors.json")).body;
    assert.equal(connector.has_secret_token, true);
    assert.deepEqual((await production.request("GET", "/platform/dbs/orders/records.json")).body, []);
  });

  await t.step("mistakes are refused before anything is changed", async () => {
    await edit(`${ada}/flows/ship.json`, (text) => text.replace(`"method": "track"`, `"metod": "track"`));
    await edit(`${ada}/apps/counter.js`, () => "document.title = 'two';\n");
    const { code, said } = await run(["push", ada, "--yes"], at(STAGING));
    assert.equal(code, 1);
    assert.match(said, /~ change {2}flows\/ship\n[^]* {4}refused: program\.0\.metod is not a known field\n/);
    assert.match(said, /\nNothing was changed\.\n$/);
    assert.equal((await appOf(staging)).source_code, SOURCE);
    await edit(`${ada}/flows/ship.json`, (text) => text.replace(`"metod"`, `"method"`));
    await Deno.writeTextFile(`${ada}/dbs/broken.json`, "{");
    const broken = await run(["push", ada, "--yes"], at(STAGING));
    assert.deepEqual([broken.code, broken.complained.split(":")[0]], [1, "dbs/broken.json"]);
    await Deno.remove(`${ada}/dbs/broken.json`);
  });

  await t.step("a change on the server is a conflict that is shown as the server's, and a pull merges it", async () => {
    const { id } = await appOf(staging);
    // Written differently, it means the same: that is no change here.
    await edit(`${ada}/apps/counter.json`, (text) => JSON.stringify(JSON.parse(text)));
    const json = { app: { source_code: "document.title = 'theirs';\n", description: "Theirs" } };
    assert.equal((await staging.request("PATCH", `/platform/apps/${id}.json`, { json })).status, 200);
    const { code, said } = await run(["push", ada, "--yes"], at(STAGING));
    assert.equal(code, 1);
    const host = new URL(STAGING).host;
    assert.ok(said.includes(`apps/counter: conflict. The server ${host} has changed it since you pulled\n`), said);
    const marked =
      `<<<<<<< yours\ndocument.title = 'two';\n||||||| base\n${SOURCE}=======\ndocument.title = 'theirs';\n>>>>>>> server ${host}\n`;
    assert.ok(said.includes(`--- apps/counter.js\n${marked}`), said);
    const pulled = await run(["pull", ada], at(STAGING));
    assert.deepEqual([pulled.code, pulled.said.split("\n").slice(0, 2)], [1, [
      "conflict  apps/counter.js",
      "updated   apps/counter.json",
    ]]);
    assert.equal(await read(`${ada}/apps/counter.js`), marked);
    const unresolved = await run(["push", ada, "--yes"], at(STAGING));
    assert.deepEqual([unresolved.code, unresolved.complained], [
      1,
      "apps/counter.json: has a conflict to be resolved, in apps/counter.js\n",
    ]);
    await Deno.writeTextFile(`${ada}/apps/counter.js`, "document.title = 'both';\n");
    assert.equal(
      (await run(["push", ada, "--yes"], at(STAGING))).said,
      `~ change  apps/counter: source_code\n${host} has 1 change.\n`,
    );
    assert.equal((await appOf(staging)).source_code, "document.title = 'both';\n");
  });

  await t.step("what a colleague has pushed and sent by Git is no conflict; renames and deletions", async () => {
    await Deno.mkdir(bob);
    assert.equal((await run(["pull", bob], at(STAGING))).code, 0);
    await edit(`${ada}/apps/counter.js`, (text) => `${text}document.body.id = 'ada';\n`);
    assert.deepEqual(
      await run(["push", ada, "--yes"], at(STAGING)).then(({ code, complained }) => [code, complained]),
      [0, ""],
    );
    await copy(ada, bob);
    await edit(`${bob}/apps/counter.js`, (text) => `// Bob was here\n${text}`);
    await Deno.rename(`${bob}/connectors/parcels.json`, `${bob}/connectors/parcel_service.json`);
    await edit(`${bob}/flows/ship.json`, (text) => text.replace(`"parcels"`, `"parcel_service"`));
    await Deno.remove(`${bob}/triggers/every-night.json`);
    const kept = await run(["push", bob, "--dry-run"], at(STAGING));
    assert.match(kept.said, / {2}keep {4}triggers\/every-night/);
    const { code, said } = await run(["push", bob, "--yes", "--delete"], at(STAGING));
    assert.equal(code, 0, said);
    assert.match(said, /> rename {2}connectors\/parcels to connectors\/parcel_service\n/);
    assert.match(said, /- delete {2}triggers\/every-night\n/);
    const [connector] = (await staging.request("GET", "/connect/connectors.json")).body;
    assert.deepEqual([connector.code, connector.has_secret_token], ["parcel_service", true]);
  });

  await t.step(
    "CI deploys with the last deployment as the base, and refuses to overwrite what it does not know",
    async () => {
      const args = ["push", bob, "--base", deployed, "--delete", "--yes"];
      const { id } = await appOf(production);
      await production.request("PATCH", `/platform/apps/${id}.json`, { json: { app: { prompt: "By hand" } } });
      const refused = await run(args, at(PRODUCTION));
      assert.equal(refused.code, 1);
      assert.match(refused.said, /apps\/counter: conflict/);
      await production.request("PATCH", `/platform/apps/${id}.json`, { json: { app: { prompt: null } } });
      const { code, said } = await run(args, at(PRODUCTION));
      assert.equal(code, 0, said);
      assert.deepEqual(await listOf(production), await listOf(staging));
      assert.equal((await run(args, at(PRODUCTION))).code, 0);
    },
  );

  await t.step("dev shows mistakes with their place and saves what compiles, by the scopes of a push", async () => {
    const token = await addToken(staging.request, { scopes: ["archive:read", "archive:write"] });
    const child = commandOf(["dev", "counter", bob], { ...at(STAGING), ATRIUM_TOKEN: token }).spawn();
    let said = "";
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) said += text;
    })();
    await until(() => said.includes("saved    "), "the app is saved");
    await edit(`${bob}/apps/counter.json`, (text) => text.replace(`"name": "Counter"`, `"name": ""`));
    await until(() => said.includes("refused: name"), "the fault is shown");
    await edit(`${bob}/apps/counter.json`, (text) => text.replace(`"name": ""`, `"name": "Counted"`));
    await until(async () => (await appOf(staging)).name === "Counted", "the change is saved");
    await edit(`${bob}/apps/counter.js`, (text) => `${text}let b = ;\n`);
    await until(
      () => /refused: source_code \d+:9 Unexpected token\n +let b = ;\n +\^\n/.test(said),
      "the mistake is shown",
    );
    await edit(`${bob}/apps/counter.js`, (text) => text.replace("let b = ;\n", ""));
    child.kill("SIGTERM");
    await child.status;
    await child.stderr.cancel();
    await reading;
  });

  await t.step("wrong commands say what is wrong in one line", async () => {
    const cases: [args: string[], environment: Record<string, string>, complained: RegExp][] = [
      [["push"], at(STAGING), /^usage: /],
      [["pull", ada, "--yes"], at(STAGING), /^pull takes no --yes\n\nusage: /],
      [["pull", ada, "--force"], at(STAGING), /'--force'[^]*\n\nusage: /],
      [["pull", ada], {}, /^the server's address is needed: --url or ATRIUM_URL\n$/],
      [["pull", ada], { ...at(STAGING), ADMIN_TOKEN: "" }, /^a token is needed/],
      [["pull", ada], { ATRIUM_URL: "staging" }, /is not an address/],
      [["pull", ada, "--token", "stranger"], at(STAGING), /unauthorized/],
      [["push", `${root}/nowhere`], at(STAGING), /has no apps/],
      [["pull", `${ada}/apps/counter.js`], at(STAGING), /^(ENOTDIR|EEXIST)[^\n]+\n$/],
    ];
    for (const [args, environment, complained] of cases) {
      const end = await run(args, environment);
      assert.equal(end.code, 1);
      assert.match(end.complained, complained);
    }
    const { code, said } = await run(["pull", "--help"], {});
    assert.deepEqual([code, said.startsWith("usage: ")], [0, true]);
  });
});
