/** Previews of unsaved sources: who opens them, what they have, and what stays unchanged. The page itself: test/browser/. */
import assert from "node:assert/strict";
import type { Sent } from "../../stage/harness.ts";
import { addPerson, addSession, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";
import { tokenIn } from "../../stage/visitors.ts";

const inAccount = onSharedServer();
const PATH = "/platform/apps/preview.json";
const js = (source_code: string, more = {}) => ({ json: { app: { app_engine: "js", source_code, ...more } } });
const FRAME = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" };
const framed = (cookie: string, more = {}): Sent => ({ token: null, headers: { ...FRAME, cookie, ...more } });
const file = (url: string, name: string) => url.replace("/frame", `/${name}`);

inAccount("preview: a source is compiled as by a save, and nothing is changed", async ({ ask, admin, server }) => {
  const app = { name: "Clock", app_engine: "js", source_code: "document.title = 'saved';", db_code: "times" };
  const saved = made(await ask("POST", "/platform/apps.json", { json: { app } }));
  const { url, ...preview } = made(await ask("POST", PATH, js("document.title = 'typed';", { id: saved.id })));
  const left_ms = Date.parse(preview.expires_at) - Date.now();
  assert.ok(left_ms > 0 && left_ms <= 600_000, `${left_ms} ms`);
  assert.deepEqual(preview.warnings, []);
  assert.equal(preview.sizes.script.raw, "document.title = 'typed';".length);
  assert.ok(preview.sizes.html.raw > preview.sizes.html.brotli);
  assert.deepEqual((await ask("GET", `/platform/apps/${saved.id}.json`)).body, saved);
  assert.deepEqual((await ask("GET", `/platform/apps/${saved.id}/versions.json`)).body, []);

  const { cookie } = await addSession(server, admin.id);
  const opened = await ask("GET", url, framed(cookie));
  assert.equal(opened.status, 200);
  assert.match(
    opened.headers.get("content-security-policy") ?? "",
    /^sandbox allow-scripts(?!.*same-origin).*frame-ancestors 'self';/,
  );
  assert.equal(opened.headers.get("cache-control"), "no-store");
  assert.match(opened.body, /"name":"Clock","db_code":"times"/);
  assert.match(tokenIn(opened) ?? "", /\./, "it calls as a page of the app");
  const { body, headers } = await ask("GET", file(url, "app.js"), { token: null });
  assert.deepEqual([body, headers.get("access-control-allow-origin")], ["document.title = 'typed';", "*"]);
  assert.doesNotMatch(
    (await ask("GET", `/a/${saved.id}`, { token: null, headers: { cookie } })).body,
    /shim_preview|typed/,
  );

  const fresh = made(await ask("POST", PATH, js("1", { name: "Fresh", db_code: "times" })));
  const page = (await ask("GET", fresh.url, framed(cookie))).body;
  assert.match(page, /"id":null,"name":"Fresh","db_code":"times"/);
  assert.equal(tokenIn({ body: page } as typeof opened), undefined, "no app, no token");
  const [kept] = await server.sql`select from audit_entries where object like '%preview%'`;
  assert.equal(kept, undefined);
});

inAccount(
  "preview: mistakes are refused as by a save, and a role, an app and a source are needed",
  async ({ ask, play }) => {
    const app = { name: "A", app_engine: "svelte", css_engine: "none", source_code: "<p>{a b}</p>\n{#if}" };
    const on_save = await ask("POST", "/platform/apps.json", { json: { app } });
    assert.match(on_save.body.source_code[0], /^\d+:\d+ .*\n<p>\{a b\}<\/p>\n +\^$/);
    const user = await addPerson(ask, "user");
    const other = made(
      await ask("POST", "/platform/apps.json", { json: { app: { ...app, source_code: "<p>", app_engine: "html" } } }),
    );
    const secret = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Secret" } } }));
    await ask("POST", "/account/departments.json", { json: { department: { name: "Other" } } });
    await ask("PATCH", `/platform/apps/${other.id}.json`, { json: { app: { department_id: secret.id } } });
    const manager = await addPerson(ask, "manager");
    await play([
      {
        name: "the same refusal",
        method: "POST",
        path: PATH,
        sent: { json: { app } },
        status: 422,
        body: on_save.body,
      },
      {
        name: "a blank source",
        method: "POST",
        path: PATH,
        sent: js(" "),
        status: 422,
        body: { source_code: /blank/ },
      },
      { name: "no wrapper", method: "POST", path: PATH, sent: { json: {} }, status: 400 },
      { name: "a user", method: "POST", path: PATH, sent: { ...js("1"), token: user.token }, status: 403 },
      {
        name: "a hidden app",
        method: "POST",
        path: PATH,
        sent: { ...js("1", { id: other.id }), token: manager.token },
        status: 422,
        body: { id: ["must exist"] },
      },
      {
        name: "its engine is the app's",
        method: "POST",
        path: PATH,
        sent: { json: { app: { id: other.id, source_code: "<p>" } } },
        status: 201,
        then: ({ body }) => assert.equal(body.sizes.script, undefined),
      },
    ]);
  },
);

inAccount(
  "a secret in a source is warned of by preview and save, at its place and without its text",
  async ({ ask }) => {
    const source_code = `document.title = "x";\nconst key = "sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}";`;
    const { warnings } = made(await ask("POST", PATH, js(source_code)));
    assert.match(warnings.join(), /^2:14 this looks like a Stripe secret key[^"]*$/);
    assert.doesNotMatch(warnings.join(), /4eC39/);
    const app = { name: "Pay", app_engine: "js", source_code };
    const { id, config } = made(await ask("POST", "/platform/apps.json", { json: { app } }));
    assert.deepEqual(config.warnings, warnings);
    const edit = { field: "source_code", old: "sk_live_", new: "pk_live_" };
    const { body } = await ask("PATCH", `/platform/apps/${id}/replace.json`, { json: edit });
    assert.deepEqual([body.config.warnings, Object.keys(body.config.sizes)], [[], ["html", "script"]]);
  },
);

inAccount("preview: it opens in a frame, for its user and until its end only", async ({ ask, admin, server }) => {
  const colleague = await addPerson(ask, "admin");
  const { url } = made(await ask("POST", PATH, js("1")));
  const { cookie } = await addSession(server, admin.id);
  const theirs = (await addSession(server, colleague.id)).cookie;
  const status = async (sent: Sent, path = url) => (await ask("GET", path, sent)).status;
  assert.equal(await status(framed(cookie)), 200);
  assert.equal(await status({}), 200, "with the token of its user");
  const none = `/previews/${"a".repeat(43)}/frame`;
  const [missing, hidden] = [await ask("GET", none, framed(cookie)), await ask("GET", url, framed(theirs))];
  assert.deepEqual([missing.status, hidden.status, hidden.body], [404, 404, missing.body]);
  assert.equal(await status({ token: colleague.token }), 404);
  await inTurn(
    ["document", "embed", "object", "frame"],
    async (dest) => assert.equal(await status(framed(cookie, { "sec-fetch-dest": dest })), 404, dest),
  );
  const old = { cookie, referer: "http://atrium.test/apps/1" };
  assert.equal(await status({ token: null, headers: old }), 200, "an old browser");
  assert.equal(await status({ token: null, headers: { ...old, referer: "http://atrium.test/a/x" } }), 404);
  const again = await ask("GET", url, framed(cookie, { "sec-fetch-site": "cross-site" }));
  assert.match(again.body, /reopen/, "a frame that loads itself again asks the page around");
  assert.equal(await status({ token: null }, file(url, "positions.txt")), 404, "a js source is its code");
  assert.equal(await status({ token: null }, file(url, "app.ts")), 404);

  await inTurn(Array.from({ length: 20 }), async () => void made(await ask("POST", PATH, js("2"))));
  assert.equal(await status(framed(cookie)), 404, "the newest 20 of a user are kept");
  const last = made(await ask("POST", PATH, js("3")));
  await server.sql`update app_previews set expires_at = now() - interval '1 second'`;
  assert.equal(await status(framed(cookie), last.url), 404);
  assert.equal(await status({ token: null }, file(last.url, "app.js")), 404);
  await server.sweep();
  assert.deepEqual([...await server.sql`select hash from app_previews`], []);
});
