/** Apps on hosts of their own (`APPS_ORIGIN`): how members get there, and what those hosts are worth. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Answer, startServer, type TestServer } from "../../stage/harness.ts";
import { addEmbeddingKey, signJwt } from "../../stage/embedding/jwt.ts";
import { addAccount, addPerson, addSession, type Ask, made } from "../../stage/people.ts";
import { inTurn } from "../../stage/scenario.ts";

const OPENED = {
  accept: "text/html",
  "sec-fetch-site": "none",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
const tokenIn = (body: string) => /"([\w-]{50,}\.[\w-]{40,})"/.exec(body)?.[1] ?? "";

/** A browser: keeps the cookies of each host, and opens addresses. */
function browserOf({ handler }: TestServer, first: Record<string, string> = {}) {
  const jar = new Map(Object.entries(first));
  const open = async (address: string, headers: Record<string, string> = OPENED, method = "GET") => {
    const url = new URL(address);
    const cookie = jar.get(url.host);
    const response = await handler(
      new Request(url, { method, redirect: "manual", headers: { ...headers, ...(cookie && { cookie }) } }),
    );
    const cookies = new Map((cookie ?? "").split("; ").filter(Boolean).map((pair) => [pair.split("=")[0], pair]));
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      assert.ok(set.includes("HttpOnly") && set.includes("Path=/") && !/domain/i.test(set), set);
      if (set.includes("Max-Age=0")) cookies.delete(pair.split("=")[0]);
      else cookies.set(pair.split("=")[0], pair);
    }
    jar.set(url.host, [...cookies.values()].join("; "));
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  /** Follows redirects. @returns every address on the way, the last answer, and which data the browser was told to delete */
  const visit = async (address: string) => {
    const [way, cleared]: [string[], string[]] = [[address], []];
    for (;;) {
      const answer = await open(way.at(-1) ?? "");
      cleared.push(...[answer.headers.get("clear-site-data")].filter((sent) => sent !== null));
      const to = answer.headers.get("location");
      if (to === null || way.length > 8) return { way, answer, cleared };
      way.push(new URL(to, way.at(-1)).href);
    }
  };
  return { open, visit, jar };
}

async function furnish(server: TestServer) {
  const ask: Ask = (method, path, sent) => server.request(method, path, sent);
  const addApp = async (url_code: string, fields: Record<string, unknown> = {}): Promise<string> => {
    const app = { name: url_code, url_code, app_engine: "html", source_code: `<p>${url_code}</p>`, ...fields };
    return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
  };
  const person = await addPerson(ask, "user", { name: "Member" });
  const signIn = async () => {
    const { cookie } = await addSession(server, person.id);
    return { ...browserOf(server, { "atrium.test": cookie }), cookie };
  };
  return { ask, addApp, person, signIn };
}

const withServer = async (apps_origin: string, work: (server: TestServer) => Promise<void>) => {
  const server = await startServer({ APPS_ORIGIN: apps_origin });
  try {
    await work(server);
  } finally {
    await server.close();
  }
};

Deno.test("apps origin: members enter an app's own host by a one-time code; its cookie opens that page only", () =>
  withServer("http://*.apps.test", async (server) => {
    const { addApp, signIn } = await furnish(server);
    const [id, other, open_id] = [
      await addApp("mine"),
      await addApp("other"),
      await addApp("open", { public: true, source_code: "<p>open</p><script>fetch('/platform/x')</script>" }),
    ];
    const host = `http://${id}.apps.test`;
    const member = await signIn();
    const { way, answer } = await member.visit("http://atrium.test/a/mine?q=%201&r");
    assert.equal(answer.status, 200);
    assert.match(way[1] ?? "", new RegExp(`^${host}/enter\\?to=.*&code=[\\w-]{43}$`));
    assert.equal(way[2], `${host}/a/${id}?q=%201&r`);
    assert.ok(answer.body.includes("<p>mine</p>") && answer.body.includes("Member") && !answer.body.includes("iframe"));
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.deepEqual([/sandbox/.test(policy), /frame-ancestors 'self'/.test(policy)], [false, true]);
    assert.equal(answer.headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal((await member.open(`${host}/a/${id}`)).status, 200, "the cookie opens it again");

    // The code is used. It is another app's, too old, or none.
    const thief = browserOf(server);
    await thief.open(way[1] ?? "");
    const next = async () => (await member.open("http://atrium.test/a/mine")).headers.get("location") ?? "";
    await thief.open((await next()).replaceAll(id, other));
    const late = await next();
    await server.sql`update app_entry_codes set expires_at = now() - interval '1 second'`;
    await thief.open(late);
    await thief.open(`${host}/enter?to=/a/${id}&code=${"A".repeat(43)}`);
    assert.deepEqual([...thief.jar.values()].join(""), "");
    const hostile = ["//evil.test", "/sign_in", `https://evil.test/a/${id}`, `/a/${id}@evil.test`, `/a/${other}`];
    await inTurn(hostile, async (to) => {
      const { status } = await thief.open(`${host}/enter?to=${encodeURIComponent(to)}`);
      assert.equal(status, 404, to);
    });

    // The cookie is worth nothing elsewhere, and proves nobody but to a person who opens the app.
    const cookie = member.jar.get(`${id}.apps.test`) ?? "";
    const [, value = ""] = /app_[^=]+=([^;]+)/.exec(cookie) ?? [];
    assert.ok(value);
    const me = (headers: Record<string, string>) =>
      server.request("GET", "/account/me.json", {
        token: null,
        headers: { "sec-fetch-site": "same-origin", ...headers },
      });
    const ways: Record<string, string>[] = [
      { cookie },
      { cookie: `session=${value}` },
      { authorization: `Bearer ${value}` },
      { "x-app-token": value },
    ];
    await inTurn(ways, async (headers) => assert.equal((await me(headers)).status, 401));
    const elsewhere = browserOf(server, { [`${other}.apps.test`]: cookie.replaceAll(id, other) });
    const refused = await elsewhere.open(`http://${other}.apps.test/a/${other}`);
    assert.deepEqual([refused.status, refused.headers.get("location")], [303, `http://atrium.test/a/${other}`]);
    for (const dest of ["iframe", "empty", "object", "script"]) {
      const { status } = await member.open(`${host}/a/${id}`, { ...OPENED, "sec-fetch-dest": dest });
      assert.equal(status, 303, dest);
    }

    // Hosts of apps serve apps and what these call.
    for (
      const path of [
        "/",
        "/sign_in",
        "/account/me.json",
        "/openapi.json",
        "/trpc/account.me",
        "/healthz",
        "/apps/1",
        "/platform/apps.json",
        `/a/${id}/../../account/me.json`,
      ]
    ) {
      const answer = await member.open(host + path, { ...OPENED, authorization: "Bearer admin-token-of-the-tests" });
      assert.equal(answer.status, 404, path);
    }
    const session = browserOf(server, { [`${id}.apps.test`]: member.cookie });
    const as_session = await session.open(`${host}/platform/apps/${id}/action/none`, {
      "sec-fetch-site": "same-origin",
    }, "POST");
    assert.equal(as_session.status, 401, "a session's cookie proves nobody there");
    assert.equal(
      (await member.open(`http://${other}.apps.test/a/${id}`)).headers.get("location"),
      `http://atrium.test/a/${id}`,
    );

    // Visitors of public apps, and API tokens.
    const visitor = browserOf(server);
    const visited = await visitor.visit("http://atrium.test/a/open");
    assert.equal(visited.way.at(-1), `http://${open_id}.apps.test/a/${open_id}`);
    assert.ok(visited.answer.body.includes("<p>open</p>") && visited.answer.body.includes("user:null"));
    assert.match(visitor.jar.get(`${open_id}.apps.test`) ?? "", /^browser=/);
    const stranger = await browserOf(server).visit(`${host}/a/${id}`);
    assert.equal(stranger.way.at(-1), `http://atrium.test/sign_in?return_to=${encodeURIComponent(`/a/${id}`)}`);
    const by_token: Answer = await server.request("GET", "/a/mine", { headers: { accept: "text/html" } });
    assert.match(by_token.headers.get("content-security-policy") ?? "", /^sandbox/);
    assert.ok(by_token.body.includes("<p>mine</p>"));

    // Signing out ends the page's token and the host's cookie; another member finds nothing of the first.
    const page_token = tokenIn(answer.body);
    const call = () =>
      server.request("POST", `/platform/apps/${id}/action/none`, {
        token: null,
        headers: { "x-app-token": page_token },
      });
    assert.equal((await call()).status, 404);
    await server.request("DELETE", "/account/session.json", {
      token: null,
      headers: { cookie: member.cookie, "sec-fetch-site": "same-origin" },
    });
    assert.equal((await call()).status, 401);
    assert.equal((await member.visit(`${host}/a/${id}`)).answer.body.includes("<p>mine</p>"), false);
    const { cookie: admins } = await addSession(server, 1);
    member.jar.set("atrium.test", admins);
    const changed = await member.visit("http://atrium.test/a/mine");
    assert.deepEqual(changed.cleared, ['"storage"'], "once");
    assert.ok(changed.answer.body.includes("admin"));
    await server.sql`update app_entry_codes set expires_at = now() - interval '1 second'`;
    await server.sweep();
    assert.equal((await server.sql`select hash from app_entry_codes`).length, 0, "codes are swept");
  }));

Deno.test("apps origin: no other site ends what a member has at an app, nor deletes its storage", () =>
  withServer("http://*.apps.test", async (server) => {
    const { ask, addApp, signIn } = await furnish(server);
    const id = await addApp("open", { public: true });
    const host = `http://${id}.apps.test`;
    const [member, attacker] = [
      await signIn(),
      browserOf(server, { "atrium.test": (await addSession(server, (await addPerson(ask, "user")).id)).cookie }),
    ];
    const shown = async (address = `${host}/a/${id}`) => {
      const { answer, cleared } = await member.visit(address);
      return [answer.body.includes("Member"), cleared];
    };
    assert.deepEqual(await shown(`http://atrium.test/a/${id}`), [true, []]);
    const code = async (way: string) => (await attacker.open(way)).headers.get("location") ?? "";
    const asked = createHash("sha256").update("").digest("base64url");
    const links = [
      `${host}/enter?to=/a/${id}`,
      `${host}/enter?to=/a/${id}&asked`,
      `${host}/enter?to=/a/${id}&asked&visitor=${"A".repeat(43)}`,
      await code(`http://atrium.test/a/${id}`),
      `${await code(`http://atrium.test/a/${id}`)}&asked`,
      await code(`http://atrium.test/enter?to=/a/${id}&asked=${asked}`),
      (await browserOf(server).open(`http://atrium.test/enter?to=/a/${id}&asked=${asked}`)).headers.get("location") ??
        "",
    ];
    await inTurn(links, async (link) => assert.deepEqual(await shown(link), [true, []], link));
    // As a part of another app's page.
    const part = await member.open(`${host}/enter?to=/a/${id}`, { ...OPENED, "sec-fetch-dest": "image" });
    assert.deepEqual([part.headers.get("set-cookie"), part.headers.get("clear-site-data")], [null, null]);
    // A visitor comes after the member has signed out.
    member.jar.delete("atrium.test");
    assert.deepEqual(await shown(`http://atrium.test/a/${id}`), [false, ['"storage"']]);
    assert.deepEqual(await shown(`http://atrium.test/a/${id}`), [false, []]);
  }));

Deno.test("apps origin: what a host page vouches for opens on the site only, so no app gets another one's storage", () =>
  withServer("http://*.apps.test", async (server) => {
    const { ask, addApp } = await furnish(server);
    const [id, other] = [await addApp("mine", { public: true }), await addApp("other", { public: true })];
    const body = new URLSearchParams({ viewer: signJwt(await addEmbeddingKey(ask), { sub: "admin@localhost" }) });
    const open = (host: string, app: string) =>
      server.handler(new Request(`http://${host}/a/${app}`, { method: "POST", body }));
    for (const [host, app] of [[`${id}.apps.test`, other], [`${id}.apps.test`, id], ["x.apps.test", id]] as const) {
      const answer = await open(host, app);
      assert.equal(answer.status, 404, host);
      assert.ok(!/<p>(mine|other)/.test(await answer.text()));
    }
    const answer = await open("atrium.test", other);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-security-policy") ?? "", /^sandbox/);
    assert.ok((await answer.text()).includes("<p>other</p>"));
  }));

Deno.test("apps origin: a member of an account with a host of its own is sent back there to sign in again", () =>
  withServer("http://*.apps.test", async (server) => {
    const { sql, request } = server;
    const { id: user, token } = await addAccount(server, "second.test");
    const app = { name: "x", app_engine: "html", source_code: "<p>theirs</p>" };
    const { id } = made(await request("POST", "/platform/apps.json", { token, json: { app } }));
    const { id: session, cookie } = await addSession(server, user);
    const { visit, open } = browserOf(server, { "second.test": cookie });
    const on_host = `http://${id}.apps.test/a/${id}`;
    const { way, answer } = await visit(`http://second.test/a/${id}`);
    assert.deepEqual([way.at(-1), answer.status], [on_host, 200]);
    await sql`delete from sessions where id = ${session}`;
    await request("DELETE", "/account/sessions.json", { token });
    assert.equal((await open(`${on_host}?q`)).headers.get("location"), `http://second.test/a/${id}?q`);
    // A stranger learns nothing of the account.
    for (const known of ["", "app_=x", `app_${id}=x.y`]) {
      const stranger = browserOf(server, { [`${id}.apps.test`]: known });
      assert.equal((await stranger.open(on_host)).headers.get("location"), `http://atrium.test/a/${id}`, known);
    }
  }));

Deno.test("apps origin: one host for all apps keeps their sandbox", () =>
  withServer("http://apps.test", async (server) => {
    const { addApp, signIn } = await furnish(server);
    const [id, other] = [await addApp("mine"), await addApp("other")];
    const member = await signIn();
    const { way, answer } = await member.visit("http://atrium.test/a/mine");
    assert.equal(way.at(-1), `http://apps.test/a/${id}`);
    assert.ok(answer.body.includes("<p>mine</p>") && answer.body.includes("Member"));
    assert.match(answer.headers.get("content-security-policy") ?? "", /^sandbox/);
    assert.equal((await member.open(`http://apps.test/a/${other}`)).status, 303, "each app is entered");
    assert.equal((await member.open("http://apps.test/sign_in")).status, 404);
  }));

Deno.test("apps origin: a frame of the site's own pages shows a private app in a sandbox, and only there", () =>
  withServer("http://*.apps.test", async (server) => {
    const { addApp, signIn } = await furnish(server);
    const id = await addApp("framed");
    const address = `http://atrium.test/a/${id}/frame`;
    const member = await signIn();
    const framed = { ...OPENED, "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe" };
    const shown = await member.open(address, framed);
    assert.equal(shown.status, 200);
    assert.ok(shown.body.includes("<p>framed</p>") && shown.body.includes("Member"));
    assert.match(
      shown.headers.get("content-security-policy") ?? "",
      /^sandbox (?!.*allow-same-origin).*frame-ancestors 'self'/,
    );
    const opened = await member.open(address);
    assert.deepEqual([opened.status, opened.headers.get("location")], [303, `/a/${id}`]);
    // Another site's frame brings no session.
    const foreign = await member.open(address, { ...framed, "sec-fetch-site": "cross-site" });
    assert.ok(!foreign.body.includes("<p>framed</p>"));
  }));
