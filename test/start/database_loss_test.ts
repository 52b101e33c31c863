/** A database that goes away, or kills what is at work on it: PostgreSQL only. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, on_postgres } from "../stage/harness.ts";
import { emptyPlace, launch, type Process, stop, untilReady } from "../stage/launch.ts";
import { openProxy } from "../stage/network/proxy.ts";
import { until } from "../stage/until.ts";

const TOKEN = "token-of-the-loss-tests";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** No answer may take longer: a request that hangs is worse than one that is refused. */
const PATIENCE_MS = 30_000;

async function ask({ url }: Process, path: string, json?: unknown): Promise<Answer> {
  const response = await fetch(url + path, {
    method: json === undefined ? "GET" : "POST",
    headers: HEADERS,
    ...(json !== undefined && { body: JSON.stringify(json) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const department = (name: string) => ({ department: { name, user_setting_ids: [1] } });
const create = (process: Process, name: string) => ask(process, "/account/departments.json", department(name));

function assertUnavailable({ status, headers, text }: Answer): void {
  assert.equal(status, 503, text);
  assert.match(headers.get("retry-after") ?? "", /^\d+$/);
  const { error, code } = JSON.parse(text);
  assert.equal(code, "unavailable");
  assert.doesNotMatch(error, /postgres|connect|127\.0\.0\.1|select|insert/i, "nothing of the inside");
}

async function assertAlive(process: Process): Promise<void> {
  assert.equal((await ask(process, "/healthz")).status, 200);
}

Deno.test({
  name: "loss: backends killed inside transactions end requests with 2xx or 503, never the process",
  ignore: !on_postgres,
  async fn() {
    const url = await createDatabase();
    await using place = await emptyPlace(url);
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
    const killer = postgres(url, { max: 1, onnotice: () => {} });
    let working = true;
    const statuses = new Map<number, number>();
    const created: string[] = [];
    const work = async (worker: number) => {
      for (let index = 0; working; index++) {
        const name = `Department ${worker} ${index}`;
        const { status } = await create(process, name);
        if (status === 201) created.push(name);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const workers = Promise.all([1, 2, 3, 4, 5, 6].map(work));
    const count = (status: number) => statuses.get(status) ?? 0;
    let killed = 0;
    for (let round = 0; killed < 80 || count(201) === 0 || count(503) === 0; round++) {
      const rows = await killer`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and (${round % 3 === 0} or state = 'idle in transaction')
      `;
      killed += rows.length;
      // On a slow machine, connections that are killed too often would never serve a request.
      const served = count(201);
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (round % 10 === 9) await until(() => count(201) > served, "a department is created between the kills");
    }
    working = false;
    await workers;
    assert.deepEqual([...statuses.keys()].filter((status) => status !== 201 && status !== 503), []);
    assert.deepEqual(
      process.logged().filter((line) => JSON.stringify(line).includes("CONNECT_TIMEOUT")),
      [],
      "no request waited for a connection that never came back",
    );

    await assertAlive(process);
    await until(async () => (await create(process, "Afterwards")).status === 201, "it works again");
    await untilReady(process);
    const rows = await killer<{ name: string; users: number }[]>`
      select d.name, (select count(*)::int from department_users u where u.department_id = d.id) as users
      from departments d
    `;
    await killer.end();
    const kept = new Map(rows.map(({ name, users }) => [name, users]));
    assert.deepEqual(created.filter((name) => kept.get(name) !== 1), [], "what was answered with 201 is there, whole");
    assert.deepEqual(rows.filter(({ users }) => users !== 1), [], "nothing is half written");
    assert.equal((await stop(process)).code, 0);
  },
});

Deno.test({
  name: "loss: without its database the server answers 503, and recovers without a restart",
  ignore: !on_postgres,
  async fn() {
    const direct = new URL(await createDatabase());
    await using proxy = openProxy(direct.hostname, Number(direct.port));
    const proxied = new URL(direct);
    proxied.port = String(proxy.port);
    await using place = await emptyPlace(proxied.href);
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
    assert.equal((await create(process, "Before")).status, 201);
    assert.equal((await ask(process, "/a/nothing")).status, 404);

    for (const round of [1, 2]) {
      await proxy.leave();
      for (const path of ["/account/departments.json", "/account.json", "/a/counter"]) {
        const answer = await ask(process, path);
        assert.equal(answer.status, 503, `${path}: ${answer.text.slice(0, 200)}`);
        assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/, path);
      }
      assertUnavailable(await create(process, `Away ${round}`));
      const ready = await ask(process, "/readyz");
      assert.deepEqual([ready.status, JSON.parse(ready.text).database, JSON.parse(ready.text).kv], [503, false, true]);
      assert.match(ready.headers.get("retry-after") ?? "", /^\d+$/);
      await assertAlive(process);

      proxy.comeBack();
      await until(async () => (await create(process, `Back ${round}`)).status === 201, "it works again");
      await untilReady(process);
    }
    const names = JSON.parse((await ask(process, "/account/departments.json")).text).map(({ name }: { name: string }) =>
      name
    );
    assert.deepEqual(names, ["Back 1", "Back 2", "Before"]);
    const { code, stderr } = await stop(process);
    assert.deepEqual([code, stderr], [0, ""]);
  },
});

Deno.test({
  name: "loss: a database that hangs does not hang /readyz, and the process stops in time",
  ignore: !on_postgres,
  async fn() {
    const direct = new URL(await createDatabase());
    await using proxy = openProxy(direct.hostname, Number(direct.port));
    const proxied = new URL(direct);
    proxied.port = String(proxy.port);
    await using place = await emptyPlace(proxied.href);
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
    await untilReady(process);
    proxy.freeze();
    assert.equal((await ask(process, "/readyz")).status, 503);
    await assertAlive(process);
    proxy.thaw();
    await untilReady(process);
    proxy.freeze();
    const held = create(process, "Held").catch(() => "cut off");
    await until(() => proxy.held() > 0, "its statement is on its way");
    const { code, ms } = await stop(process);
    assert.equal(code, 0);
    // Below what a statement that hangs would take, and more than a busy machine needs.
    assert.ok(ms < 15_000, `${ms} ms`);
    await held;
  },
});
