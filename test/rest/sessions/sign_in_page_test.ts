/** The sign-in page: its forms, where they lead, and what other sites cannot do with them. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ADMIN_PASSWORD, type Answer } from "../../stage/harness.ts";
import { addPerson } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";

const onServer = onOwnServer();
const of_default = { of_default: true };

const OWN = { "sec-fetch-site": "same-origin" };
const form = (fields: Record<string, string>, headers: Record<string, string> = OWN) => ({
  token: null,
  raw: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
});
const cookieOf = ({ headers }: Answer) => headers.get("set-cookie")?.split(";")[0] ?? "";
const ADMIN = { login: "admin", password: ADMIN_PASSWORD };

onServer("sign-in page: small, without scripts, and its policy allows its own style only", async ({ ask, server }) => {
  const { status, body, headers } = await ask("GET", "/sign_in", { token: null });
  assert.equal(status, 200);
  assert.ok(body.length < 6_000, `${body.length} characters`);
  assert.doesNotMatch(body, /<script|\son\w+=|\sstyle=|https?:\/\/(?!atrium\.test)/);
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(body) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  assert.ok(headers.get("content-security-policy")?.includes(`style-src 'sha256-${hash}'`));
  assert.match(
    headers.get("content-security-policy") ?? "",
    /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
  );
  assert.deepEqual([headers.get("x-frame-options"), headers.get("cache-control")], ["DENY", "no-store"]);
  const home = await ask("GET", "/", { token: null });
  assert.deepEqual([home.status, home.headers.get("location")], [303, "/sign_in"]);
  await server.sql`update accounts set name = '<b>Ann & Sons</b>' where id = 1`;
  assert.match((await ask("GET", "/sign_in", { token: null })).body, /&lt;b&gt;Ann &amp; Sons&lt;\/b&gt;/);
}, of_default);

onServer("sign-in page: the form signs in and leads on, and a member sees its apps", async ({ ask }) => {
  const signed = await ask("POST", "/sign_in", form({ ...ADMIN, return_to: "/a/counter?x=1" }));
  assert.deepEqual([signed.status, signed.headers.get("location")], [303, "/a/counter?x=1"]);
  const headers = { cookie: cookieOf(signed), ...OWN };
  const app = { name: "Zoo <1>", app_engine: "html", source_code: "<p>zoo</p>", url_code: "zoo_1" };
  assert.equal((await ask("POST", "/platform/apps.json", { json: { app } })).status, 201);
  const member = await ask("GET", "/sign_in", { token: null, headers });
  assert.match(member.body, /Signed in as <strong>Admin<\/strong>/);
  assert.match(member.body, /<a class="app" href="\/a\/zoo_1">Zoo &lt;1&gt;<\/a>/);
  const on = await ask("GET", "/sign_in?return_to=%2Fa%2Fzoo_1", { token: null, headers });
  assert.deepEqual([on.status, on.headers.get("location")], [303, "/a/zoo_1"]);
  const out = await ask("POST", "/sign_out", form({}, headers));
  assert.deepEqual([out.status, out.headers.get("location")], [303, "/sign_in"]);
  assert.match(out.headers.get("set-cookie") ?? "", /^session=; .*Max-Age=0/);
  assert.doesNotMatch((await ask("GET", "/sign_in", { token: null, headers })).body, /Signed in/);
}, of_default);

onServer("sign-in page: what is wrong is said on the form, which keeps the login", async ({ ask }) => {
  const person = await addPerson(ask, "user", { login: 'quoted"<i>' });
  assert.ok(person.id);
  const rows: [status: number, fields: Record<string, string>, said: RegExp][] = [
    [401, { login: 'quoted"<i>', password: "wrong" }, /role="alert">Login or password is wrong\./],
    [422, { login: "", password: "x" }, /role="alert">Enter your login and your password\./],
    [422, { login: "ann" }, /role="alert">Enter your login and your password\./],
    [422, { login: "a".repeat(300), password: "x" }, /role="alert">/],
  ];
  await inTurn(rows, async ([status, fields, said]) => {
    const answer = await ask("POST", "/sign_in", form({ ...fields, return_to: "/a/counter" }));
    assert.equal(answer.status, status);
    assert.match(answer.body, said);
    assert.match(answer.body, /name="return_to" value="\/a\/counter"/);
    assert.equal(answer.headers.get("set-cookie"), null);
  });
  const kept = await ask("POST", "/sign_in", form({ login: 'quoted"<i>', password: "wrong" }));
  assert.match(kept.body, /value="quoted&quot;&lt;i&gt;"/);
}, of_default);

onServer("sign-in page: other sites cannot use its forms", async ({ ask }) => {
  const signed = await ask("POST", "/sign_in", form(ADMIN));
  const cookie = cookieOf(signed);
  const elsewhere: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    { "sec-fetch-site": "same-site" },
    { origin: "null" },
    { origin: "https://evil.example" },
  ];
  await inTurn(elsewhere, async (from) => {
    const sent = await ask("POST", "/sign_in", form(ADMIN, from));
    assert.deepEqual([sent.status, sent.headers.get("set-cookie")], [403, null], JSON.stringify(from));
    assert.equal((await ask("POST", "/sign_out", form({}, { cookie, ...from }))).status, 403);
  });
  assert.equal((await ask("GET", "/account/me.json", { token: null, headers: { cookie, ...OWN } })).status, 200);
  const json = await ask("POST", "/sign_in", { token: null, json: ADMIN, headers: OWN });
  assert.equal(json.status, 415);
  const large = await ask("POST", "/sign_in", form({ ...ADMIN, more: "x".repeat(20_000) }));
  assert.equal(large.status, 413);
  assert.equal(
    (await ask("POST", "/sign_in", form({ ...ADMIN, return_to: "//evil.example" }))).headers.get("location"),
    "/",
  );
}, of_default);
