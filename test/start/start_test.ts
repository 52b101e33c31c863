/** First and later starts, in a process of their own: what is printed, what is kept, what the commands make. */
import assert from "node:assert/strict";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { createPasswords } from "../../server/secrets/passwords.ts";
import { on_postgres } from "../stage/harness.ts";
import {
  ask,
  emptyPlace,
  type Environment,
  launch,
  newPlace,
  type Process,
  run,
  stop,
  untilReady,
} from "../stage/launch.ts";
import { until } from "../stage/until.ts";

const accountOf = async ({ url }: Process, token: string) => (await ask(`${url}/account.json`, token)).status;

const shown = (output: string, name: string) => new RegExp(`^ +${name} +(\\S+)$`, "m").exec(output)?.[1];

const opened = ({ DATA_DIR = "", DATABASE_URL }: Environment) =>
  openDatabase({ data_dir: DATA_DIR, database_url: DATABASE_URL }, createLog(() => {}));

/** The stored hash of a user's password, read while no process holds the database. */
async function passwordHash(environment: Environment, email: string): Promise<string | null> {
  const database = await opened(environment);
  const [user] = await database.sql<
    { password_hash: string }[]
  >`select password_hash from users where email = ${email}`;
  await database.close();
  return user?.password_hash ?? null;
}

Deno.test("start: generated credentials are shown once; tokens and data stay; commands make new ones", async (t) => {
  await using place = await emptyPlace();
  const { environment } = place;
  const { verify } = createPasswords();
  let token = "";
  let password = "";
  let link = "";

  await t.step("the first start shows e-mail, password and token, then one ready line", async () => {
    await using first = await launch(environment);
    const output = first.output();
    assert.deepEqual(output.match(/^listening on .*$/gm), [`listening on http://127.0.0.1:${first.port}`]);
    assert.equal(shown(output, "address"), first.url);
    assert.equal(shown(output, "sign in"), `${first.url}/sign_in`);
    assert.equal(shown(output, "e-mail"), "admin@localhost");
    token = shown(output, "token") ?? "";
    password = shown(output, "password") ?? "";
    assert.match(token, /^atr_[0-9A-Za-z]{43}$/);
    assert.match(password, /^\S{12,}$/);
    assert.equal(await accountOf(first, token), 200);
    await untilReady(first);
    const json = JSON.stringify({ department: { name: "Kept" } });
    const headers = { "content-type": "application/json" };
    const created = await ask(`${first.url}/account/departments.json`, token, { method: "POST", headers, body: json });
    assert.equal(created.status, 201);

    const { code, stdout, stderr } = await stop(first, "SIGTERM");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.doesNotMatch(stdout, /stopping cut off/);
    const logged = stdout.split("\n").filter((line) => line.startsWith("{"));
    assert.ok(logged.length >= 4, "requests are logged");
    for (const line of logged) assert.ok(!line.includes(token) && !line.includes(password) && !line.includes("Kept"));
  });
  assert.ok(await verify(password, await passwordHash(environment, "admin@localhost")));

  await t.step("the second start shows nothing of it, and works on the same data; ADMIN_TOKEN opens, too", async () => {
    await using second = await launch({ ...environment, ADMIN_TOKEN: "first-admin-token" });
    assert.doesNotMatch(second.output(), /password|token|first admin/);
    assert.match((await ask(`${second.url}/account/departments.json`, token)).text, /"name":"Kept"/);
    assert.equal(await accountOf(second, "first-admin-token"), 200);
    const reset = await ask(`${second.url}/account/user_settings/1/password_reset.json`, token, { method: "POST" });
    link = new URL(JSON.parse(reset.text).url).search;
    assert.equal((await ask(`${second.url}/password_reset${link}`)).status, 200);
    const { code, stderr } = await stop(second, "SIGINT");
    assert.deepEqual([code, stderr], [0, ""]);
  });

  await t.step("an account takes no passwords until the command sets one, which says so", async () => {
    const database = await opened(environment);
    await database.sql`update accounts set oidc_only = true`;
    await database.close();
    const { stdout } = await run(environment, "password", "admin@localhost");
    assert.match(stdout, /^admin@localhost \S{12,}\nmembers may sign in with passwords and passkeys again: .*\n$/);
  });

  let made = "";
  await t.step("commands: migrate, token and password, each in one line", async () => {
    const migrated = await run(environment, "migrate");
    assert.deepEqual([migrated.code, migrated.stdout], [0, "the database is up to date\n"]);
    const new_token = await run(environment, "token");
    assert.deepEqual([new_token.code, new_token.stderr], [0, ""]);
    made = new_token.stdout.trim();
    assert.match(new_token.stdout, /^atr_[0-9A-Za-z]{43}\n$/);
    const new_password = await run(environment, "password");
    const [, secret = ""] = /^admin@localhost (\S{12,})\n$/.exec(new_password.stdout) ?? [];
    assert.equal(new_password.code, 0, new_password.stderr);
    const hash = await passwordHash(environment, "admin@localhost");
    assert.deepEqual([await verify(secret, hash), await verify(password, hash)], [true, false]);
  });

  await t.step("a failed command reports it in one line", async () => {
    for (const args of [["password", "nobody@example.com"], ["constructor"], ["tokne"]]) {
      const { code, stdout, stderr } = await run(environment, ...args);
      assert.deepEqual([code, stdout], [1, ""], args[0]);
      assert.match(stderr, /^[^\n]*(nobody@example\.com|constructor|tokne)[^\n]*\n$/);
    }
  });

  await t.step("a changed ADMIN_TOKEN takes the place of the one before; made and generated tokens stay", async () => {
    await using third = await launch({ ...environment, ADMIN_TOKEN: "second-admin-token" });
    const statuses = await Promise.all(
      ["second-admin-token", "first-admin-token", token, made].map((each) => accountOf(third, each)),
    );
    assert.deepEqual(statuses, [200, 401, 200, 200]);
    assert.equal((await ask(`${third.url}/password_reset${link}`)).status, 404, "the new password has ended the link");
    assert.equal((await stop(third)).code, 0);
  });
});

Deno.test("start: commands before the first start, and an admin that the environment names", async () => {
  await using place = on_postgres ? await emptyPlace() : await newPlace();
  const { environment } = place;
  const migrated = await run(environment, "migrate");
  assert.deepEqual([migrated.code, migrated.stderr], [0, ""]);
  const said = on_postgres ? /^applied 0001_\w+\.sql, 0002_\w+\.sql, [^\n]+\n$/ : /^the database is up to date\n$/;
  assert.match(migrated.stdout, said);
  const early = await run(environment, "token");
  assert.deepEqual([early.code, early.stdout], [1, ""]);
  assert.match(early.stderr, /^[^\n]*start the server once\n$/);

  const named = { ADMIN_EMAIL: "ada@example.com", ADMIN_PASSWORD: "horse horse", ADMIN_TOKEN: "given-token" };
  await using process = await launch({ ...environment, ...named, BASE_URL: "https://atrium.example.com/" });
  assert.doesNotMatch(process.output(), /^ +(password|token) /m, "nothing was generated");
  assert.doesNotMatch(process.output(), /horse horse|given-token/);
  assert.equal(await accountOf(process, "given-token"), 200);
  const { servers } = JSON.parse((await ask(`${process.url}/openapi.json`)).text);
  assert.deepEqual(servers, [{ url: "https://atrium.example.com" }]);
  await until(() => process.output().includes("ADMIN_PASSWORD is easy to guess"), "a weak password is warned of");
  assert.ok(process.output().includes("ADMIN_TOKEN is easy to guess"), "and a short token");
  assert.equal((await stop(process)).code, 0);
  const hash = await passwordHash(environment, "ada@example.com");
  assert.match(hash ?? "", /^\$scrypt\$ln=15,r=8,p=3\$/, "a guess takes a tenth of a second");
  assert.ok(await createPasswords().verify("horse horse", hash));
});
