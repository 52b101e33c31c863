/** `deno task account`: accounts are created, listed and removed with everything in them. */
import assert from "node:assert/strict";
import { nestedPool } from "../../../server/database/nested.ts";
import { runAccountCommand } from "../../../server/process/account_command.ts";
import { as, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const test = onSharedServer();

test("accounts: one is created with its host and first admin, listed, and removed", async ({ server, ask }) => {
  const { sql } = server;
  const name = `Company ${crypto.randomUUID()}`;
  const host = `${crypto.randomUUID()}.example.com`;
  const printed = await runAccountCommand(sql, ["create"], { name, host, email: "boss@example.com" });
  const shown = (label: string) => new RegExp(`^${label} +(\\S+)$`, "m").exec(printed)?.[1] ?? "";
  const id = Number(shown("account"));
  const theirs = as(ask, shown("token"));
  assert.equal(shown("e-mail"), "boss@example.com");
  assert.ok(printed.endsWith(`\nsign in   at the host ${host}`));
  assert.match(shown("password"), /^.{16}$/);
  const { body: account } = await theirs("GET", "/account.json");
  assert.deepEqual([account.id, account.name, account.host], [id, name, host]);
  assert.equal((await theirs("GET", "/account/me.json")).body.user.role, "admin");
  assert.match(await runAccountCommand(sql, [], {}), new RegExp(`^${id}  ${name}  ${host}  1 user$`, "m"));

  const objects: [path: string, json: Record<string, unknown>][] = [
    ["/account/departments.json", { department: { name: "Sales" } }],
    ["/account/mailboxes.json", { mailbox: { name: "Post" } }],
    ["/platform/dbs.json", { db: { name: "Things" } }],
    ["/platform/dbs/things/records.json", { record: { data: {} } }],
    ["/connect/flows.json", { flow: { name: "Watch", code: "watch", kind: "platform/custom_flow" } }],
    ["/account/crons.json", { cron: { target_code: "watch", schedule: "0 9 * * *" } }],
  ];
  for (const [path, json] of objects) made(await theirs("POST", path, { json }));
  const without_host = await runAccountCommand(sql, ["create"], { name: "Without a host" });
  assert.match(without_host, /^sign in +with the token only, until the account has a host: /m);
  const [, added = ""] = /^account +(\d+)$/m.exec(without_host) ?? [];
  await runAccountCommand(sql, ["remove", added], { name: "Without a host" });
  await assert.rejects(runAccountCommand(sql, ["remove", String(id)], { name: "Company" }), /there is no account/);
  await assert.rejects(runAccountCommand(sql, ["create"], { name: "Twin", host }), /--host has already been taken/);
  assert.match(await runAccountCommand(sql, ["remove", String(id)], { name }), /is removed/);
  assert.doesNotMatch(await runAccountCommand(sql, ["list"], {}), new RegExp(name));
  await until(async () => (await theirs("GET", "/account.json")).status === 401, "its token is not valid any more");
  const left = await sql`select from records where table_id not in (select id from db_tables)`;
  assert.equal(left.length, 0);
});

test("accounts: a removal may take longer than other statements", async ({ server: { sql } }) => {
  const printed = await runAccountCommand(sql, ["create"], { name: "Large" });
  const [, id = ""] = /^account +(\d+)$/m.exec(printed) ?? [];
  const [setting] = await sql.begin(async (tx) => {
    await runAccountCommand(nestedPool(tx), ["remove", id], { name: "Large" });
    return await tx<{ statement_timeout: string }[]>`show statement_timeout`;
  });
  assert.equal(setting?.statement_timeout, "0");
});

test("accounts: wrong options are refused, and the default account stays", async ({ server: { sql } }) => {
  const [oldest] = await sql<{ id: number; name: string }[]>`select id, name from accounts order by id limit 1`;
  const refused = (args: string[], options: Record<string, string>, says: RegExp) =>
    assert.rejects(runAccountCommand(sql, args, options), says);
  await refused(["remove", String(oldest?.id)], { name: oldest?.name ?? "" }, /default account/);
  await refused(["create"], { name: " " }, /--name/);
  await refused(["create"], { name: "x", host: "no host" }, /--host/);
  await refused(["create"], { name: "x", email: "nobody" }, /--email/);
  await refused(["create"], {}, /usage/);
  await refused(["remove", "1"], {}, /usage/);
  await refused(["list"], { name: "x" }, /usage/);
  await refused(["drop"], {}, /usage/);
});
