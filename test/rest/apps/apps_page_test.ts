/** App pages: who may open which page, and the headers of the answer. */
import assert from "node:assert/strict";
import type { TestServer } from "../../stage/harness.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onOwnServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onOwnServer();

const ALL = "/platform/apps.json";
const at = (id: string) => `/platform/apps/${id}.json`;
const JS = {
  name: "Clock",
  app_engine: "js",
  css_engine: "none",
  source_code: "document.title = 'ticking';",
  public: true,
};

const create = async (ask: Ask, app: Record<string, unknown>) =>
  made(await ask("POST", ALL, { json: { app: { ...JS, ...app } } }));

/** The headers that every app page must have. */
const HEADERS: Scenario["headers"] = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    /^sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads allow-pointer-lock; frame-ancestors 'self'[^;]*; object-src 'none'; base-uri 'self'$/,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "access-control-allow-origin": null,
  "set-cookie": null,
};

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** The addresses in the `src` and `href` attributes of a page. */
const addresses = (html: string) => [...html.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);

inAccount("pages: a strong ETag without a page token; with one none, and never cached", async ({ ask, admin }) => {
  const plain = await create(ask, {});
  const asking = await create(ask, { db_code: "notes" });
  const open = ({ id }: { id: string }, token: string | null, headers: Record<string, string> = {}) =>
    ask("GET", `/a/${id}`, { token, headers });
  const etag = (await open(plain, null)).headers.get("etag") ?? "";
  assert.match(etag, /^"[^"]+"$/);
  assert.equal((await open(plain, null, { "if-none-match": etag })).status, 304);
  await inTurn([[plain, admin.token], [asking, null], [asking, admin.token]] as const, async ([app, token]) => {
    const { status, headers } = await open(app, token, { "if-none-match": "*" });
    assert.deepEqual([status, headers.get("etag"), headers.get("cache-control")], [200, null, "no-store"]);
  });
});

inAccount("pages: a public app opens for anybody", async ({ ask, play }) => {
  const { id } = await create(ask, { url_code: "clock", name: `</title><script>alert("x")</script>` });
  const limited = await addToken(ask, { scopes: ["departments:read"] });
  const page = (name: string, rest: Partial<Scenario> = {}): Scenario => ({
    name,
    method: "GET",
    path: "/a/clock",
    sent: { token: null },
    status: 200,
    headers: HEADERS,
    ...rest,
  });
  await play([
    page("by its url_code, without login", {
      headers: { ...HEADERS, "cache-control": /^private, no-cache\b/, etag: /^"[^"]+"$/ },
      then({ body }) {
        assert.match(body, /^<!doctype html>/i);
        assert.match(body, /<div id="platform-app"><\/div>/);
        assert.match(body, /window\.PlatformAppContext\s*=/);
        assert.ok(!body.includes(`<script>alert("x")`), "the name is text");
      },
    }),
    page("by its id", { path: `/a/${id}` }),
    page("by its id in capitals", { path: `/a/${id.toUpperCase()}` }),
    page("a query does not matter", { path: "/a/clock?x=1&y=%00" }),
    page("a browser gets the same", { sent: { token: null, headers: BROWSER } }),
    page("a token that is none does not matter", { sent: { token: "wrong" } }),
    page("nor does one whose scopes are about something else", { sent: { token: limited } }),
    page("HEAD: the headers without the page", { method: "HEAD", headers: { ...HEADERS, etag: /^"/ } }),
    { name: "PATCH is 405", method: "PATCH", path: "/a/clock", sent: { token: null }, status: 405 },
    ...[
      "/a/CLOCK",
      "/a/cloc",
      "/a/clock%00",
      "/a/%63lock%2f",
      "/a/clock%2fx",
      "/a/clock/",
      "/a/",
      "/a",
      "/a/..%2fa%2fclock",
      "/a/clock.json",
      `/a/${id}%00`,
      "/a/0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
      `/platform/a/clock`,
    ].map((path): Scenario => ({
      name: `${path.replace(id, ":id")} is missing`,
      method: "GET",
      path,
      sent: { token: null, headers: BROWSER },
      // A stranger gets the answer for a private app.
      status: /^\/a\/[^/]+$/.test(path) ? 303 : 404,
    })),
  ]);
  const { headers } = await ask("GET", "/a/clock", { token: null });
  const etag = headers.get("etag") ?? "";
  await play([
    page("the ETag that it has is 304, and still sandboxed", {
      sent: { token: null, headers: { "if-none-match": etag } },
      status: 304,
      headers: { "content-security-policy": /^sandbox/, etag },
    }),
    page("another one is not", { sent: { token: null, headers: { "if-none-match": '"other"' } } }),
  ]);
}, { of_default: true });

inAccount("pages: the source is served as it is", async ({ server, ask }) => {
  const source_code = "// żółw 🐢\r\n\tdocument.body.append('</script><!--');\n";
  const js = await create(ask, { url_code: "js", source_code });
  const page = (await ask("GET", "/a/js", { token: null })).body;
  const script = addresses(page).find((address) => address.startsWith(`/a/${js.id}/`)) ?? "";
  const file = await ask("GET", script, { token: null });
  assert.equal(file.status, 200, script);
  assert.equal(file.body, source_code);
  assert.match(file.headers.get("content-type") ?? "", /^text\/javascript/);
  assert.match(file.headers.get("cache-control") ?? "", /immutable/);
  assert.equal(file.headers.get("access-control-allow-origin"), "*", "an opaque origin may load it");
  assert.equal(file.headers.get("access-control-allow-credentials"), null);
  assert.equal(file.headers.get("x-content-type-options"), "nosniff");
  const etag = file.headers.get("etag") ?? "";
  assert.equal((await ask("GET", script, { token: null, headers: { "if-none-match": etag } })).status, 304);
  assert.equal((await ask("HEAD", script, { token: null })).status, 200);
  const other = await create(ask, { source_code: "1" });
  assert.equal((await ask("GET", `/a/${other.id}/nothing.js`, { token: null })).status, 404);

  const html = "<!doctype html>\n<title>Own</title><p id=a>Zażółć 👍</p>\n<script>1</script>";
  await create(ask, { url_code: "html", app_engine: "html", source_code: html });
  const own = (await ask("GET", "/a/html", { token: null })).body;
  assert.match(own, /^<!doctype html>/, "a doctype stays first");
  assert.ok(own.endsWith(html.slice("<!doctype html>".length)), "and the rest of the document is untouched");
  assert.match(own, /window\.PlatformAppContext/);
  assert.doesNotMatch(`${page}${own}`, /(src|href)="(https?:)?\/\//, "nothing comes from a third party");

  const response = await server.handler(
    new Request(`${server.base_url}/a/js`, { headers: { "accept-encoding": "br, gzip" } }),
  );
  assert.match(response.headers.get("vary") ?? "", /accept-encoding/i);
  await response.body?.cancel();
}, { of_default: true });

inAccount("pages: private, inactive and unknown apps", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  const team = made(await ask("POST", "/account/teams.json", { json: { team: { name: "</script>" } } })).id;
  const guest = await addPerson(ask, "guest", { name: "Gość </script>", login: "gosc", team_ids: [team] });
  const limited = await addToken(ask, { scopes: ["departments:read"] });
  await create(ask, { url_code: "private", public: false });
  await create(ask, { url_code: "inactive", active: false });
  const open = (
    name: string,
    path: string,
    token: string | null,
    status: number,
    rest: Partial<Scenario> = {},
  ): Scenario => ({
    name,
    method: "GET",
    path,
    sent: { token, headers: rest.sent?.headers },
    status,
    ...(rest.then && { then: rest.then }),
    ...(rest.headers && { headers: rest.headers }),
  });
  await play([
    open("private: 401 without a token", "/a/private", null, 401, { headers: { "www-authenticate": "Bearer" } }),
    open("private: 401 with a wrong one", "/a/private", "wrong", 401),
    open("private: 404 for another account's, as if it were missing", "/a/private", stranger.token, 404),
    open("private: a guest of the account opens it with a token", "/a/private", guest.token, 200, {
      headers: {
        ...HEADERS,
        "cache-control": /^no-store\b/,
        etag: null,
        "set-cookie": /^browser=[\w-]{43}; .*HttpOnly/,
      },
      then({ body }) {
        const [, user = ""] = /window\.PlatformAppContext\s*=\s*\{\s*user:\s*(\{[^]*?\}),\s*app:/.exec(body) ?? [];
        assert.deepEqual(JSON.parse(user), {
          login: "gosc",
          email: JSON.parse(user).email,
          name: "Gość </script>",
          role: "guest",
          team_ids: [team],
          group_ids: [],
          department_ids: [],
          team_names: ["</script>"],
          group_names: [],
          department_names: [],
        });
        assert.ok(!body.includes("Gość </script>"), "what a user is called ends no script");
        assert.ok(!body.includes(guest.token), "the token is not in the page");
      },
    }),
    open("private: a token whose scopes are about something else is 403", "/a/private", limited, 403),
    open("inactive: 401 for a stranger, as if it were private", "/a/inactive", null, 401),
    open("inactive: 404 for the admin", "/a/inactive", (await addPerson(ask, "admin")).token, 404),
    open("unknown: 401 for a stranger, as if it were private", "/a/unknown", null, 401),
    open(
      "unknown: 404 for a member, with a link to the apps",
      "/a/unknown",
      (await addPerson(ask, "guest")).token,
      404,
      {
        then: ({ body }) => assert.match(body, /<a href="\/apps" target="_top">See the apps<\/a>/),
      },
    ),
    open("unknown: 403 for a token of other scopes, as if it were private", "/a/unknown", limited, 403),
    open("unknown: a browser is sent to the sign-in page", "/a/unknown?x=1", null, 303, {
      sent: { headers: BROWSER },
      headers: { location: "/sign_in?return_to=%2Fa%2Funknown%3Fx%3D1" },
    }),
  ]);
}, { of_default: true });

/** Sends a request to another host; `request` of the harness always uses its own. */
async function openAt({ handler }: TestServer, host: string, path: string) {
  const response = await handler(new Request(`http://${host}${path}`));
  return { status: response.status, html: await response.text() };
}

inAccount("pages: an url_code belongs to the account of the host", async ({ server, ask }) => {
  const stranger = await addAccount(server, "apps.strangers.test");
  const theirs = as(ask, stranger.token);
  const mine = await create(ask, { url_code: "hosted", name: "Mine" });
  const foreign = await create(theirs, { url_code: "hosted", name: "Theirs" });
  const only = await create(theirs, { url_code: "only", name: "Only theirs" });
  const title = async (host: string, path: string) =>
    /<title>(.*?)<\/title>/.exec((await openAt(server, host, path)).html)?.[1];
  assert.equal(await title("atrium.test", "/a/hosted"), "Mine");
  assert.equal(await title("apps.strangers.test", "/a/hosted"), "Theirs");
  assert.equal(await title("apps.strangers.test:8000", "/a/hosted"), "Theirs", "whatever the port");
  assert.equal(await title("unknown.test", "/a/hosted"), "Mine", "an unknown host is the default account's");
  assert.equal((await openAt(server, "atrium.test", "/a/only")).status, 401);
  assert.equal(await title("atrium.test", `/a/${only.id}`), "Only theirs", "an id needs no account");
  assert.equal(await title("apps.strangers.test", `/a/${mine.id}`), "Mine");
  assert.equal(await title("atrium.test", `/a/${foreign.id}`), "Theirs");
  assert.equal((await theirs("PATCH", "/account.json", { json: { account: { host: "moved.test" } } })).status, 200);
  assert.equal(await title("moved.test", "/a/hosted"), "Theirs", "at once");
  assert.equal(await title("apps.strangers.test", "/a/hosted"), "Mine", "the old host is no longer theirs");
}, { of_default: true });

inAccount("pages: follow every change at once", async ({ ask }) => {
  const { id } = await create(ask, { url_code: "changing" });
  const page = async () => {
    const { status, body, headers } = await ask("GET", "/a/changing", { token: null });
    return { status, body: String(body), etag: headers.get("etag") };
  };
  const code = async (html: string) => {
    const script = addresses(html).find((address) => address.startsWith(`/a/${id}/`)) ?? "";
    return (await ask("GET", script, { token: null })).body;
  };
  const update = (app: unknown) => ask("PATCH", at(id), { json: { app } });
  const before = await page();
  await inTurn([1, 2, 3], async (round) => {
    await update({ source_code: `change(${round})` });
    const after = await page();
    assert.equal(await code(after.body), `change(${round})`);
    assert.notEqual(after.etag, before.etag, "so is not 304 to who has the old one");
  });
  await ask("PATCH", at(id).replace(".json", "/replace.json"), { json: { field: "source_code", old: "3", new: "4" } });
  assert.equal(await code((await page()).body), "change(4)");
  await update({ name: "Renamed" });
  assert.match((await page()).body, /<title>Renamed<\/title>/);
  await update({ public: false });
  assert.equal((await page()).status, 401);
  await update({ public: true, active: false });
  assert.equal((await page()).status, 401);
  await update({ active: true });
  assert.equal((await page()).status, 200);
  await update({ url_code: "moved" });
  assert.equal((await page()).status, 401, "its old code is free");
  assert.equal((await ask("GET", "/a/moved", { token: null })).status, 200);
  await create(ask, { url_code: "changing", name: "Another" });
  assert.match((await page()).body, /<title>Another<\/title>/, "and belongs to whoever takes it");
  await ask("DELETE", at(id));
  assert.equal((await ask("GET", "/a/moved", { token: null })).status, 401);
  assert.equal((await ask("GET", `/a/${id}`, { token: null })).status, 401);
}, { of_default: true });
