/** Passkeys: adding, listing, renaming and removing them, signing in, and every answer that must not be accepted. */
import assert from "node:assert/strict";
import { createPasskey, type Page, type Passkey, signWith } from "../../stage/passkeys/authenticator.ts";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addPerson, addSession, as, type Ask } from "../../stage/people.ts";
import { inTurn, onOwnServer, type Stage } from "../../stage/scenario.ts";

const onServer = onOwnServer();
const of_default = { of_default: true };

const PASSKEYS = "/account/passkeys.json";
const OWN = { "sec-fetch-site": "same-origin" };
const PAGE: Page = { origin: "http://atrium.test", rp_id: "atrium.test" };

interface Member {
  id: number;
  token: string;
  /** Asks with the member's session. */
  ask: Ask;
}

async function addMember(ask: Ask, server: TestServer): Promise<Member> {
  const { id, token } = await addPerson(ask, "guest");
  const { cookie } = await addSession(server, id);
  return {
    id,
    token,
    ask: (method, path, sent) => ask(method, path, { token: null, headers: { cookie, ...OWN }, ...sent }),
  };
}

const optionsFor = async ({ ask }: Member) => {
  const answer = await ask("POST", "/account/passkeys/options.json");
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};

async function addPasskey(member: Member, name?: string): Promise<{ passkey: Passkey; id: number }> {
  const { passkey, response } = createPasskey(await optionsFor(member), PAGE);
  const answer = await member.ask("POST", PASSKEYS, { json: { passkey: { name, response } } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { passkey, id: answer.body.id };
}

const challenge = async (ask: Ask) =>
  (await ask("POST", "/account/session/passkey_options.json", { token: null })).body;

const signIn = (ask: Ask, response: unknown, headers: Record<string, string> = OWN): Promise<Answer> =>
  ask("POST", "/account/session/passkey.json", { token: null, json: { passkey: { response } }, headers });

/** @throws {AssertionError} unless the answer is refused, without saying why */
async function refused({ ask, server }: Pick<Stage, "ask" | "server">, response: unknown, why: string): Promise<void> {
  const { status, body, headers } = await signIn(ask, response);
  const expected = { error: "This passkey was not accepted", code: "unauthorized" };
  assert.deepEqual([status, body, headers.get("set-cookie")], [401, expected, null], why);
  await server.sql`delete from sign_in_attempts`;
}

onServer("passkeys: one is added in a session, and signs in without a login", async ({ ask, server }) => {
  const member = await addMember(ask, server);
  const options = await optionsFor(member);
  assert.equal(options.rp.id, "atrium.test");
  assert.equal(options.authenticatorSelection.residentKey, "required");
  assert.equal(options.authenticatorSelection.userVerification, "preferred");
  const { passkey } = await addPasskey(member);
  const again = await optionsFor(member);
  assert.deepEqual(again.excludeCredentials.map(({ id }: { id: string }) => id), [passkey.id]);
  assert.equal(again.user.id, passkey.user_handle, "one handle for all passkeys of a user");

  const signed = await signIn(ask, signWith(passkey, await challenge(ask), PAGE));
  assert.equal(signed.status, 201, JSON.stringify(signed.body));
  assert.equal(signed.body.user.id, member.id);
  const set_cookie = signed.headers.get("set-cookie") ?? "";
  assert.match(set_cookie, /^session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
  const cookie = set_cookie.split(";")[0] ?? "";
  const me = await ask("GET", "/account/me.json", { token: null, headers: { cookie, ...OWN } });
  assert.deepEqual(me.body, signed.body);
  const [listed] = (await member.ask("GET", PASSKEYS)).body;
  assert.deepEqual([listed.name, listed.user_id, typeof listed.last_used_at], ["Unknown device", member.id, "string"]);
}, of_default);

onServer("passkeys: a token adds none, and each user sees and changes only its own", async ({ ask, server, admin }) => {
  const [one, other] = [await addMember(ask, server), await addMember(ask, server)];
  const by_token = as(ask, one.token);
  const needs_session = { base: ["A passkey can only be added in a session, not with a token"] };
  assert.deepEqual((await by_token("POST", "/account/passkeys/options.json")).body, needs_session);
  const { response } = createPasskey(await optionsFor(one), PAGE);
  const added = await by_token("POST", PASSKEYS, { json: { passkey: { response } } });
  assert.deepEqual([added.status, added.body], [422, needs_session]);

  const { id } = await addPasskey(one, "Phone");
  await addPasskey(other, "Key");
  assert.deepEqual((await one.ask("GET", PASSKEYS)).body.map(({ name }: { name: string }) => name), ["Phone"]);
  const path = `/account/passkeys/${id}.json`;
  const missing = await other.ask("DELETE", "/account/passkeys/999999.json");
  assert.equal(missing.status, 404);
  assert.deepEqual((await other.ask("DELETE", path)).body, missing.body);
  assert.equal((await other.ask("PATCH", path, { json: { passkey: { name: "Mine" } } })).status, 404);
  assert.equal((await other.ask("GET", `${PASSKEYS}?user_id=${one.id}`)).status, 403);
  const renamed = await one.ask("PATCH", path, { json: { passkey: { name: " Old phone " } } });
  assert.deepEqual([renamed.status, renamed.body.name], [200, "Old phone"]);
  assert.deepEqual((await one.ask("PATCH", path, { json: { passkey: { name: "" } } })).body, {
    name: ["can't be blank"],
  });

  assert.equal((await ask("PATCH", path, { json: { passkey: { name: "Theirs" } } })).status, 404, `admin ${admin.id}`);
  assert.equal((await ask("GET", `${PASSKEYS}?user_id=${one.id}`)).body[0].id, id);
  assert.equal((await ask("DELETE", path)).status, 204, "an admin removes a lost device");
  assert.deepEqual((await one.ask("GET", PASSKEYS)).body, []);
}, of_default);

onServer(
  "passkeys: answers that are replayed, late, forged or of another user sign nobody in",
  async (stage) => {
    const { ask, server } = stage;
    const member = await addMember(ask, server);
    const { passkey, id } = await addPasskey(member);
    const [other] = [await addPasskey(await addMember(ask, server))];

    const used = signWith(passkey, await challenge(ask), PAGE);
    assert.deepEqual(
      (await Promise.all([signIn(ask, used), signIn(ask, used), signIn(ask, used)])).map(({ status }) => status).sort(),
      [201, 401, 401],
      "three at the same time",
    );
    await refused(stage, used, "replayed");
    await refused(stage, signWith(passkey, { challenge: "A".repeat(43) }, PAGE), "a challenge that was never given");
    const late = signWith(passkey, await challenge(ask), PAGE);
    await server.sql`update sign_in_challenges set created_at = created_at - interval '10 minutes'`;
    await refused(stage, late, "too late");
    await server.sweep();
    assert.deepEqual([...await server.sql`select 1 from sign_in_challenges`], [], "the sweep deletes old challenges");
    const registration = await optionsFor(member);
    await refused(stage, signWith(passkey, registration, PAGE), "a challenge for another purpose");

    const forged = async (change: (answer: ReturnType<typeof signWith>) => void) => {
      const answer = signWith(passkey, await challenge(ask), PAGE);
      change(answer);
      return answer;
    };
    const rows: [why: string, change: (answer: ReturnType<typeof signWith>) => void][] = [
      ["another key's signature", (answer) => {
        answer.id = answer.rawId = other.passkey.id;
        answer.response.userHandle = other.passkey.user_handle;
      }],
      ["another user's handle", (answer) => void (answer.response.userHandle = other.passkey.user_handle)],
      ["an unknown passkey", (answer) => void (answer.id = answer.rawId = "bm90LWtub3du")],
      ["no signature", (answer) => void (answer.response.signature = "AA")],
      ["no client data", (answer) => void (answer.response.clientDataJSON = "AA")],
    ];
    await inTurn(rows, async ([why, change]) => await refused(stage, await forged(change), why));
    const elsewhere: Page[] = [
      { ...PAGE, origin: "https://evil.example" },
      { ...PAGE, origin: "http://atrium.test:8080" },
      { ...PAGE, rp_id: "evil.example" },
    ];
    await inTurn(
      elsewhere,
      async (page) => await refused(stage, signWith(passkey, await challenge(ask), page), JSON.stringify(page)),
    );

    const copied = { ...passkey };
    assert.equal((await signIn(ask, signWith(passkey, await challenge(ask), PAGE))).status, 201);
    await refused(stage, signWith(copied, await challenge(ask), PAGE), "a copied passkey repeats a count");
    const other_site = signWith(passkey, await challenge(ask), PAGE);
    assert.equal((await signIn(ask, other_site, { "sec-fetch-site": "cross-site" })).status, 403);

    await ask("PATCH", `/account/user_settings/${member.id}.json`, { json: { user_setting: { active: false } } });
    await refused(stage, signWith(passkey, await challenge(ask), PAGE), "a user that is switched off");
    await ask("PATCH", `/account/user_settings/${member.id}.json`, { json: { user_setting: { active: true } } });
    assert.equal((await ask("DELETE", `/account/passkeys/${id}.json`)).status, 204);
    await refused(stage, signWith(passkey, await challenge(ask), PAGE), "a removed passkey");
    const guesses = await Promise.all(Array.from({ length: 12 }, () => signIn(ask, used)));
    const limited = guesses.filter(({ status }) => status === 429);
    assert.equal(limited.length, 2, "ten attempts in 15 minutes by address");
    await server.sql`delete from sign_in_attempts`;
  },
  of_default,
);

onServer("passkeys: an answer registers once, soon, for its own user and this site", async ({ ask, server }) => {
  const [one, other] = [await addMember(ask, server), await addMember(ask, server)];
  const register = ({ ask }: Member, response: unknown) => ask("POST", PASSKEYS, { json: { passkey: { response } } });
  const outdated = { response: ["is too late, has been used or answers another challenge"] };
  const wrong = { response: ["is not a valid answer for this site"] };

  const { response, passkey } = createPasskey(await optionsFor(one), PAGE);
  assert.deepEqual((await register(other, response)).body, outdated, "another user's challenge");
  assert.equal((await register(one, response)).status, 201);
  assert.deepEqual((await register(one, response)).body, outdated, "replayed");
  const late = createPasskey(await optionsFor(one), PAGE);
  await server.sql`update sign_in_challenges set created_at = created_at - interval '10 minutes'`;
  assert.deepEqual((await register(one, late.response)).body, outdated);
  const elsewhere = createPasskey(await optionsFor(one), { ...PAGE, origin: "https://evil.example" });
  assert.deepEqual((await register(one, elsewhere.response)).body, wrong);
  const broken = createPasskey(await optionsFor(one), PAGE);
  broken.response.response.attestationObject = "AA";
  assert.deepEqual((await register(one, broken.response)).body, wrong);

  const options = await optionsFor(other);
  const copy = createPasskey(options, PAGE);
  await server.sql`update passkeys set credential_id = ${copy.passkey.id} where credential_id = ${passkey.id}`;
  assert.deepEqual((await register(other, copy.response)).body, { credential_id: ["has already been taken"] });
  await server.sql`
    insert into sign_in_challenges (hash, account_id, purpose, subject, details)
    select sha256(n::text::bytea), 1, 'passkey sign-in', '127.0.0.1', '{}' from generate_series(1, 100) n
  `;
  const many = await ask("POST", "/account/session/passkey_options.json", { token: null });
  assert.deepEqual([many.status, many.headers.get("retry-after")], [429, "600"]);
  assert.equal((await one.ask("POST", "/account/passkeys/options.json")).status, 200, "strangers do not limit members");
}, of_default);

onServer(
  "passkeys: the sign-in page has its script only where it is of use, under a policy with a nonce",
  async (stage) => {
    const { ask, server } = stage;
    await server.sql`delete from passkeys`;
    const member = await addMember(ask, server);
    const plain = await ask("GET", "/sign_in", { token: null });
    assert.doesNotMatch(plain.body, /<script/);
    assert.doesNotMatch(plain.headers.get("content-security-policy") ?? "", /script-src|connect-src/);
    await addPasskey(member);
    const nonces = new Set<string>();
    await inTurn(
      [await ask("GET", "/sign_in", { token: null }), await member.ask("GET", "/sign_in")],
      ({ body, headers }) => {
        const [, nonce = ""] =
          /<script src="\/sign_in\/passkeys\.js" nonce="([\w+/=]{24})" defer><\/script>/.exec(body) ?? [];
        nonces.add(nonce);
        assert.ok(body.length < 6_500, `${body.length} characters`);
        const policy = headers.get("content-security-policy") ?? "";
        assert.ok(
          policy.includes(`default-src 'none'`) && policy.includes(`script-src 'nonce-${nonce}'; connect-src 'self';`),
        );
      },
    );
    assert.equal(nonces.size, 2, "a nonce serves once");
    const script = await ask("GET", "/sign_in/passkeys.js", { token: null });
    assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.match(script.body, /MIT License[^]*startAuthentication[^]*Sign in with a passkey/);
    const elsewhere = await server.handler(new Request("http://127.0.0.1/sign_in"));
    assert.doesNotMatch(await elsewhere.text(), /<script/, "passkeys belong to the host of BASE_URL");
    const { cookie } = await addSession(server, member.id);
    const headers = { cookie, ...OWN };
    const options = { method: "POST", headers };
    const refused = await server.handler(new Request("http://other.test/account/passkeys/options.json", options));
    assert.deepEqual([refused.status, await refused.json()], [422, {
      base: ["Passkeys can be added at http://atrium.test only, and not at an IP address"],
    }]);
  },
  of_default,
);
