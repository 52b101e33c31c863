/** OpenID Connect with a real provider: who is whom, and every answer that must not be accepted. */
import assert from "node:assert/strict";
import { type Answer, startServer, type TestServer } from "../../stage/harness.ts";
import { addAccount, addPasskey, addPerson, addSession } from "../../stage/people.ts";
import { inTurn } from "../../stage/scenario.ts";
import { type OpenId, startOpenId } from "../../stage/openid/openid.ts";

const BASE = "http://atrium.test";
const sanitizers = { sanitizeOps: false, sanitizeResources: false };
const OWN = { "sec-fetch-site": "same-origin" };
/** The browser comes from the provider's page. */
const RETURNING = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const shared: { openid?: OpenId; server?: TestServer } = {};
Deno.test.beforeAll(async () => {
  const openid = await startOpenId(BASE);
  Object.assign(shared, { openid, server: await startServer(openid.environment) });
});
Deno.test.afterAll(async () => {
  await shared.server?.close();
  await shared.openid?.kill();
});

/** One browser, with its cookies. */
function openBrowser({ request }: TestServer, cookies: string[] = []) {
  const jar = new Map(cookies.map((cookie) => [cookie.split("=")[0], cookie]));
  const get = async (path: string, headers: Record<string, string> = OWN): Promise<Answer> => {
    const answer = await request("GET", path, {
      token: null,
      headers: { cookie: [...jar.values()].join("; "), ...headers },
    });
    for (const set of answer.headers.getSetCookie()) jar.set(set.split("=")[0], set.split(";")[0] ?? "");
    return answer;
  };
  return {
    get,
    /** @returns the address of the provider */
    async begin(path = "/sign_in/oidc", headers?: Record<string, string>): Promise<string> {
      const { status, headers: { location }, body } = await get(path, headers).then((answer) => ({
        ...answer,
        headers: { location: answer.headers.get("location") ?? "" },
      }));
      assert.equal(status, 303, String(body));
      return location;
    },
    me: async () => (await get("/account/me.json")).body,
  };
}

type Stage = { openid: OpenId; server: TestServer; ask: TestServer["request"] };

function onProvider(name: string, work: (stage: Stage) => Promise<void>): void {
  Deno.test(name, sanitizers, async () => {
    const { openid, server } = shared;
    if (!openid || !server) throw new Error("the server has not started");
    await work({ openid, server, ask: server.request });
  });
}

/** A whole sign-in of one subject in one browser. */
async function signIn({ openid }: Stage, browser: ReturnType<typeof openBrowser>, subject: string, path?: string) {
  return await browser.get(await openid.authorize(await browser.begin(path), subject), RETURNING);
}

const said = ({ body }: Answer) => /role="alert">([^<]*)</.exec(body)?.[1];

const allow = async ({ ask }: Stage, sign_in: Record<string, boolean>) =>
  await ask("PATCH", "/account.json", { json: { account: { sign_in } } });

const count = async ({ server }: Stage) => (await server.sql`select 1 from users`).length;

onProvider(
  "openid: a first sign-in creates a user only where the account allows it and the address is verified",
  async (stage) => {
    const { openid, server } = stage;
    await openid.set({
      ada: {
        email: "ada@example.com",
        email_verified: true,
        name: "Ada",
        preferred_username: "ada",
        atrium_role: ["x", "manager"],
      },
      bob: { email: "bob@example.com", email_verified: false },
      taken: { email: "ADMIN@localhost", email_verified: true },
    });
    const browser = openBrowser(server);
    const page = await browser.get("/sign_in?return_to=%2Fa%2Fx");
    assert.match(page.body, /href="\/sign_in\/oidc\?return_to=%2Fa%2Fx">Sign in with Example &lt;ID&gt;<\/a>/);
    const users = await count(stage);
    const refused = await signIn(stage, browser, "ada");
    assert.equal(refused.status, 403);
    assert.match(said(refused) ?? "", /^Nobody has this identity yet/);
    assert.equal((await allow(stage, { oidc_creates_users: true })).body.sign_in.oidc_creates_users, true);
    assert.equal(said(await signIn(stage, browser, "bob")), "The provider has not verified your e-mail address.");
    assert.match(said(await signIn(stage, browser, "taken")) ?? "", /^A user with this login or e-mail address exists/);
    assert.equal(await count(stage), users);
    const [none] = await Promise.all([browser.me()]);
    assert.equal(none.code, "unauthorized");

    const signed = await signIn(stage, browser, "ada", "/sign_in/oidc?return_to=%2Fa%2Fx%3Fy%3D1");
    assert.deepEqual([signed.status, signed.headers.get("location")], [303, "/a/x?y=1"]);
    assert.match(
      signed.headers.get("set-cookie") ?? "",
      /^session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
    );
    const { user } = await browser.me();
    assert.deepEqual([user.login, user.email, user.name, user.role], ["ada", "ada@example.com", "Ada", "manager"]);
    const [identity] = (await browser.get("/account/identities.json")).body;
    assert.deepEqual([identity.issuer, identity.subject, identity.email], [openid.issuer, "ada", "ada@example.com"]);

    const again = openBrowser(server);
    await allow(stage, { oidc_creates_users: false });
    await openid.set({ ada: { email: "countess@example.com", email_verified: false, atrium_role: "admin" } });
    assert.equal((await signIn(stage, again, "ada")).status, 303, "a changed address is the same person");
    const me = (await again.me()).user;
    assert.deepEqual([me.id, me.email, me.role], [user.id, "ada@example.com", "manager"]);
    assert.equal((await again.get("/account/identities.json")).body[0].email, "countess@example.com");

    await allow(stage, { oidc_creates_users: true });
    await openid.set({ eve: { email: "ada@example.com", email_verified: true } });
    const reused = await signIn(stage, openBrowser(server), "eve");
    assert.equal(reused.status, 403, "a reused address is another person");
    assert.match(said(reused) ?? "", /^A user with this login or e-mail address exists/);

    await server.sql`update identities set issuer = 'https://old.example' where subject = 'ada'`;
    await openid.set({ ada: { email: "ada@example.com", email_verified: true, preferred_username: "ada" } });
    assert.equal(
      (await signIn(stage, openBrowser(server), "ada")).status,
      403,
      "another issuer's subject is another person",
    );
    await server.sql`update identities set issuer = ${openid.issuer} where subject = 'ada'`;
    await server.sql`update users set active = false where id = ${user.id}`;
    const off = await signIn(stage, openBrowser(server), "ada");
    assert.deepEqual([off.status, said(off), off.headers.get("set-cookie")], [403, "This user is switched off.", null]);
  },
);

onProvider("openid: an invitation is accepted with an identity, once, from its own page", async (stage) => {
  const { openid, server, ask } = stage;
  await openid.set({
    grace: { email: "grace@elsewhere.example", email_verified: false },
    other: { email: "other@elsewhere.example" },
  });
  const invite = async (email: string): Promise<string> => {
    const invitation = { email, name: "Grace", role: "user", send_mail: false };
    const { status, body } = await ask("POST", "/account/invitations.json", { json: { invitation } });
    assert.equal(status, 201, JSON.stringify(body));
    return new URL(body.url).searchParams.get("secret") ?? "";
  };
  await allow(stage, { oidc_creates_users: false });
  const secret = await invite("grace@example.com");
  const path = `/sign_in/oidc?invitation=${secret}`;
  const browser = openBrowser(server);
  const page = await browser.get(`/invitation?secret=${secret}`);
  assert.ok(page.body.includes(`href="${path}">Accept with Example &lt;ID&gt;</a>`));
  assert.match(page.body, /name="password"/);

  const foreign = await browser.get(path, { "sec-fetch-site": "cross-site" });
  assert.deepEqual([foreign.status, said(foreign)], [403, "Identities are linked from pages of this site only."]);
  const wrong = await browser.get(`/sign_in/oidc?invitation=${"A".repeat(43)}`);
  assert.deepEqual([wrong.status, said(wrong)], [404, "This link cannot be used any more."]);

  // Two browsers hold the same link at the provider: the first one to come back gets the user.
  const late = openBrowser(server);
  const late_answer = await openid.authorize(await late.begin(path), "other");
  const accepted = await signIn(stage, browser, "grace", path);
  assert.deepEqual([accepted.status, accepted.headers.get("location")], [303, "/"]);
  const { user } = await browser.me();
  assert.deepEqual([user.email, user.role], ["grace@example.com", "user"], "the invitation says who it is");
  const refused = await late.get(late_answer, RETURNING);
  assert.deepEqual([refused.status, said(refused)], [404, "This link cannot be used any more."]);
  assert.equal((await signIn(stage, openBrowser(server), "grace")).status, 303, "the identity signs in from now on");

  const second = await invite("second@example.com");
  const taken = await signIn(stage, openBrowser(server), "grace", `/sign_in/oidc?invitation=${second}`);
  assert.deepEqual([taken.status, said(taken)], [403, "Another user has this identity."]);
  assert.equal(
    (await browser.get(`/invitation?secret=${second}`)).status,
    200,
    "a refused attempt does not use the link up",
  );

  // An account without a host has its links here, and no sign-ins.
  const { token } = await addAccount(server);
  const invitation = { email: "third@example.com", send_mail: false };
  const { body } = await ask("POST", "/account/invitations.json", { token, json: { invitation } });
  const theirs = await browser.get(body.url.slice(BASE.length));
  assert.equal(theirs.status, 200);
  assert.doesNotMatch(theirs.body, /Accept with/);

  const [row] = await server.sql<{ rows: number }[]>`
    select count(*)::int as rows from sign_in_challenges c where row_to_json(c)::text like ${`%${second}%`}
  `;
  assert.equal(row?.rows, 0, "the secret is not stored");
});

onProvider("openid: a member links an identity, from a page of this site only", async (stage) => {
  const { openid, server, ask } = stage;
  await openid.set({ lin: { email: "elsewhere@example.com" } });
  const person = await addPerson(ask, "user");
  const other = await addPerson(ask, "user");
  const sessionOf = async (id: number) => openBrowser(server, [(await addSession(server, id)).cookie]);
  const browser = await sessionOf(person.id);
  assert.match((await browser.get("/sign_in")).body, /href="\/sign_in\/oidc\?link=1">Link Example &lt;ID&gt;<\/a>/);
  await inTurn(
    [RETURNING, { ...RETURNING, "sec-fetch-site": "none" }, {}] as Record<string, string>[],
    async (from) => {
      assert.equal((await browser.get("/sign_in/oidc?link=1", from)).status, 403, JSON.stringify(from));
    },
  );
  assert.equal((await openBrowser(server).get("/sign_in/oidc?link=1")).status, 401);
  const callback = await openid.authorize(await browser.begin("/sign_in/oidc?link=1"), "lin");
  const theirs = await sessionOf(other.id);
  assert.equal((await theirs.get(callback, RETURNING)).status, 401, "in another browser");
  const linked = await signIn(stage, browser, "lin", "/sign_in/oidc?link=1");
  assert.deepEqual([linked.status, linked.headers.get("location")], [303, "/"]);
  assert.match((await browser.get("/sign_in")).body, /You can sign in with Example/);

  const twice = await signIn(stage, theirs, "lin", "/sign_in/oidc?link=1");
  assert.deepEqual([twice.status, said(twice)], [403, "Another user has this identity."]);
  const fresh = openBrowser(server);
  assert.equal((await signIn(stage, fresh, "lin")).status, 303);
  assert.equal((await fresh.me()).user.id, person.id);

  const [{ id }] = (await browser.get("/account/identities.json")).body;
  const path = `/account/identities/${id}.json`;
  assert.equal((await ask("DELETE", path, { token: other.token })).status, 404);
  assert.equal((await ask("GET", `/account/identities.json?user_id=${person.id}`, { token: other.token })).status, 403);
  assert.equal((await ask("DELETE", path, { token: person.token })).status, 204);
  assert.equal((await signIn(stage, openBrowser(server), "lin")).status, 403);
});

onProvider("openid: replayed, late, forged and foreign answers sign nobody in", async (stage) => {
  const { openid, server, ask } = stage;
  await openid.set({ sam: {} });
  const { id } = await addPerson(ask, "user");
  await server.sql`
    insert into identities (account_id, user_id, issuer, subject) values (1, ${id}, ${openid.issuer}, 'sam')
  `;
  const browser = openBrowser(server);
  const old = "This sign-in is too old, or was begun in another browser.";
  const wrong = "The OpenID provider&#39;s answer was not accepted.";
  const refused = async (path: string, message: string, why: string, by = browser) => {
    const answer = await by.get(path, RETURNING);
    assert.deepEqual([answer.status, said(answer)], [401, message], why);
    assert.doesNotMatch(answer.headers.get("set-cookie") ?? "", /session=/, why);
  };
  const callback = async () => await openid.authorize(await browser.begin(), "sam");
  const changed = async (change: (query: URLSearchParams) => void) => {
    const [path, query] = (await callback()).split("?");
    const parameters = new URLSearchParams(query);
    change(parameters);
    return `${path}?${parameters}`;
  };
  const address = new URL(await browser.begin());
  assert.deepEqual(
    ["code_challenge_method", "response_type", "redirect_uri"].map((name) => address.searchParams.get(name)),
    ["S256", "code", `${BASE}/sign_in/oidc/callback`],
  );
  for (const name of ["state", "nonce", "code_challenge"]) {
    assert.match(address.searchParams.get(name) ?? "", /^[\w-]{43}$/);
  }

  const used = await callback();
  const answers = await Promise.all([browser.get(used, RETURNING), browser.get(used, RETURNING)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 401], "two at the same time");
  await refused(used, old, "replayed");
  await refused(await callback(), old, "in another browser", openBrowser(server));
  await refused(await changed((query) => query.set("state", "A".repeat(43))), old, "a state that was never given");
  await refused(await changed((query) => query.delete("state")), old, "no state");
  await refused(await changed((query) => query.set("code", "A".repeat(43))), wrong, "a code that was never given");
  await refused(await changed((query) => query.set("iss", "https://evil.example")), wrong, "another issuer");
  await refused(await changed((query) => query.set("error", "access_denied")), wrong, "an error");
  const [mine, theirs] = [await callback(), await callback()].map((path) => new URLSearchParams(path.split("?")[1]));
  mine?.set("code", theirs?.get("code") ?? "");
  await refused(`/sign_in/oidc/callback?${mine}`, wrong, "the code of another attempt: its verifier and nonce differ");
  const late = await callback();
  await server.sql`update sign_in_challenges set created_at = created_at - interval '10 minutes'`;
  await refused(late, old, "too late");
  const elsewhere = await server.handler(new Request("http://other.test/sign_in/oidc"));
  assert.equal(elsewhere.status, 404, "another host than BASE_URL's");
});

onProvider("openid: only OpenID signs in once an admin has, and an audited command leads back", async (stage) => {
  const { openid, server, ask } = stage;
  const fault = { "sign_in.oidc_only": ["needs a sign-in of an admin with OpenID Connect first"] };
  assert.deepEqual((await allow(stage, { oidc_only: true })).body, fault);
  await openid.set({ root: {} });
  await server
    .sql`insert into identities (account_id, user_id, issuer, subject) values (1, 1, ${openid.issuer}, 'root')`;
  assert.deepEqual((await allow(stage, { oidc_only: true })).body, fault, "linked, but never used");
  const browser = openBrowser(server);
  assert.equal((await signIn(stage, browser, "root")).status, 303);
  assert.equal((await allow(stage, { oidc_only: true })).body.sign_in.oidc_only, true);

  await addPasskey(server, 1);
  const page = await openBrowser(server).get("/sign_in");
  assert.match(page.body, /Sign in with Example/);
  assert.doesNotMatch(page.body, /<form|<script|password/);
  const at = async (host: string) =>
    await (await server.handler(new Request(`http://${host}/sign_in?return_to=/a/x`))).text();
  assert.match(await at("other.test"), /<a class="to" href="http:\/\/atrium.test\/sign_in\?return_to=%2Fa%2Fx">/);
  const closed = { error: "Members of this account sign in with OpenID Connect only", code: "forbidden" };
  const session = { login: "admin", password: "wrong" };
  assert.deepEqual((await ask("POST", "/account/session.json", { token: null, json: { session } })).body, closed);
  const credential = { id: "AA", rawId: "AA", type: "public-key" };
  const response = { ...credential, response: { clientDataJSON: "AA", authenticatorData: "AA", signature: "AA" } };
  const passkey = await ask("POST", "/account/session/passkey.json", { token: null, json: { passkey: { response } } });
  assert.deepEqual(passkey.body, closed);
  const form = new URLSearchParams({ login: "admin", password: "wrong" }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", ...OWN };
  assert.equal((await ask("POST", "/sign_in", { token: null, raw: form, headers })).status, 403);
  const links = await Promise.all([
    ask("POST", "/account/invitations.json", { json: { invitation: { email: "late@people.test" } } }),
    ask("POST", "/account/user_settings/1/password_reset.json", { json: {} }),
  ]);
  for (const { body: { url } } of links) {
    const { pathname, search, searchParams } = new URL(url);
    const opened = await ask("GET", pathname + search, { token: null });
    if (pathname === "/invitation") {
      assert.equal(opened.status, 200, "it is accepted at the provider");
      assert.match(opened.body, /Accept with Example/);
      assert.doesNotMatch(opened.body, /<form|password/);
    } else {
      assert.equal(opened.status, 403);
      assert.match(opened.body, /OpenID Connect only/);
    }
    const raw = new URLSearchParams({
      secret: searchParams.get("secret") ?? "",
      password: "four unrelated words here",
    });
    const taken = await ask("POST", pathname, { token: null, raw: raw.toString(), headers });
    assert.deepEqual([taken.status, taken.headers.get("set-cookie")], [403, null], pathname);
  }
  assert.equal((await signIn(stage, openBrowser(server), "root")).status, 303);
  await allow(stage, { oidc_only: false });
  for (const { body: { url } } of links) {
    assert.equal((await ask("GET", url.slice(BASE.length), { token: null })).status, 200, "the link is not used up");
  }
});

onProvider("openid: a provider that is away is 503 with a log line, and nothing else stops", async (stage) => {
  const { openid, server } = stage;
  const browser = openBrowser(server);
  const callback = await openid.authorize(await browser.begin(), "anyone");
  await openid.kill();
  const answer = await browser.get(callback, RETURNING);
  assert.equal(answer.status, 503);
  assert.ok(answer.headers.has("retry-after"));
  assert.match(said(answer) ?? "", /^The OpenID provider does not answer/);
  assert.ok(server.logged.some((line) => line.includes("the OpenID provider is away")));
  assert.equal((await browser.get("/sign_in")).status, 200);
});
