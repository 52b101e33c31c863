/** Apps that members open with a session: who sees them, whom their pages name, and when their tokens end. */
import assert from "node:assert/strict";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addPerson, addSession, type Ask, made, type Role } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";

const onServer = onOwnServer();
const inDefault = (name: string, work: (stage: { ask: Ask; server: TestServer }) => Promise<void>) =>
  onServer(name, work, { of_default: true });

const OPENED = {
  accept: "text/html",
  "sec-fetch-site": "none",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
/** As the bar's page loads its frame. */
const FRAMED = { ...OPENED, "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe" };
const tokenIn = ({ body }: Answer) => /"([\w-]{50,}\.[\w-]{40,})"/.exec(body)?.[1] ?? "";

async function addApp(ask: Ask, fields: Record<string, unknown>) {
  const code = `done_${crypto.randomUUID().slice(0, 8)}`;
  const program = [{ type: "return", data: "{user}" }];
  made(await ask("POST", "/connect/flows.json", { json: { flow: { name: code, code, fields: { program } } } }));
  const source_code = '<p>app</p><script>fetch("/platform/apps/x/action/go")</script>';
  const actions = [{ action: "go", flow_code: code }];
  const app = { name: "App", app_engine: "html", source_code, actions, ...fields };
  return made(await ask("POST", "/platform/apps.json", { json: { app } }));
}

/** A member of these departments, with a session. */
async function addMember(ask: Ask, server: TestServer, department_ids: number[], role: Role = "user") {
  const name = `Member ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = await addPerson(ask, role, { name, department_ids, without_department: false });
  const session = await addSession(server, id);
  const open = (path: string, headers: Record<string, string> = OPENED) =>
    ask("GET", path, { token: null, headers: { cookie: session.cookie, ...headers } });
  return { id, name, session, open };
}

inDefault(
  "session pages: a private app opens for its members; others get the page of a missing one",
  async ({ ask, server }) => {
    const department = async (name: string): Promise<number> =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
    const [sales, support] = [await department("Sales"), await department("Support")];
    const { url_code } = await addApp(ask, { url_code: "sales-app", department_id: sales });
    const [inside, outside] = [await addMember(ask, server, [sales]), await addMember(ask, server, [support])];
    const page = await inside.open(`/a/${url_code}/frame`, FRAMED);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.ok(page.body.includes(inside.name), "the page names its viewer");
    const [hidden, missing] = [await outside.open(`/a/${url_code}`), await outside.open("/a/nothing-here")];
    assert.deepEqual([hidden.status, hidden.body], [404, missing.body]);
    await inTurn([`/a/${url_code}?x=1`, "/a/nothing-here?x=1"], async (path) => {
      const { status, headers } = await ask("GET", path, { token: null, headers: OPENED });
      assert.deepEqual([status, headers.get("location")], [303, `/sign_in?return_to=${encodeURIComponent(path)}`]);
    });
    // Another site's page in which the app is framed, or that reads it by script, is a visitor's.
    const elsewhere: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
    ];
    await inTurn(
      elsewhere,
      async (headers) => assert.equal((await inside.open(`/a/${url_code}`, headers)).status, 401),
    );
  },
);

inDefault(
  "session pages: only a bar fills the window of a member; the app is in a frame, where alone it can be loaded",
  async ({ ask, server }) => {
    const department: number = made(
      await ask("POST", "/account/departments.json", { json: { department: { name: "Bars" } } }),
    ).id;
    const { id } = await addApp(ask, { name: "Bar <b>", url_code: "bar-app", department_id: department });
    await addApp(ask, { url_code: "bar-public", public: true });
    const [reader, editor] = [
      await addMember(ask, server, [department]),
      await addMember(ask, server, [department], "manager"),
    ];
    const outside = await addMember(ask, server, []);
    const isApp = (answer: Answer) => tokenIn(answer) !== "" || answer.body.includes("<p>app</p>");
    const bar = await reader.open("/a/bar-app?q=%22a&r=1");
    assert.equal(bar.status, 200);
    assert.ok(bar.body.includes('src="/a/bar-app/frame?q=%22a&amp;r=1"') && bar.body.includes("Bar &lt;b&gt;"));
    assert.ok(bar.body.includes(reader.name), "says who is signed in");
    assert.match(bar.headers.get("content-security-policy") ?? "", /^default-src 'none';.*frame-ancestors 'none'/);
    assert.ok(!isApp(bar) && !bar.body.includes(`/apps/${id}`), "edit is not for users");
    assert.ok((await editor.open("/a/bar-app")).body.includes(`href="/apps/${id}"`));
    // However a page of the app opens it, the window shows the bar.
    const windows: Record<string, string>[] = [
      { ...OPENED, "sec-fetch-site": "cross-site" },
      { ...OPENED, "sec-fetch-site": "same-origin" },
      { ...FRAMED, "sec-fetch-dest": "object" },
      { ...FRAMED, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
    ];
    await inTurn(windows, async (headers) => {
      assert.match((await reader.open("/a/bar-app", headers)).body, /<iframe src="\/a\/bar-app\/frame"/);
      assert.match((await outside.open("/a/bar-public", headers)).body, /<iframe src="\/a\/bar-public\/frame"/);
      const { status, headers: sent } = await reader.open("/a/bar-app/frame?q=1", headers);
      assert.deepEqual([status, sent.get("location")], [303, "/a/bar-app?q=1"]);
    });
    for (const path of ["/a/bar-app", "/a/bar-app/frame", "/a/bar-public/frame"]) {
      assert.ok(isApp(await reader.open(path, FRAMED)), path);
    }
    assert.equal((await outside.open("/a/bar-app/frame", FRAMED)).status, 404);
    // Browsers that say nothing of what they load: the page around is the app's bar, or one of the console.
    const from = (referer: string) => ({ referer: `http://${referer}` });
    for (const page of ["/a/bar-app?q=1", "/", "/modules/crm"]) {
      assert.ok(isApp(await reader.open("/a/bar-app/frame", from(`atrium.test${page}`))), page);
      assert.match((await reader.open("/a/bar-app", from(`atrium.test${page}`))).body, /<iframe/, page);
    }
    for (const page of ["atrium.test/a/bar-public", "atrium.test/previews/x/frame", "evil.test/"]) {
      assert.equal((await reader.open("/a/bar-app/frame", from(page))).status, 303, page);
    }
    // A frame that loads itself again sends no session; its page then asks the bar.
    const again = await reader.open("/a/bar-public/frame", { ...FRAMED, "sec-fetch-site": "cross-site" });
    assert.ok(again.body.includes("reopen") && !isApp(again));
    // Visitors and API tokens get the app itself.
    assert.ok(isApp(await ask("GET", "/a/bar-public", { token: null, headers: OPENED })));
    assert.ok(isApp(await ask("GET", "/a/bar-app", { headers: { accept: "text/html" } })));
  },
);

inDefault("session pages: a page's token acts as its member until the session ends", async ({ ask, server }) => {
  const { id, url_code } = await addApp(ask, { url_code: "token-app" });
  const { session, open, name } = await addMember(ask, server, []);
  await server.sql`update users set without_department = true where name = ${name}`;
  const page_token = tokenIn(await open(`/a/${url_code}/frame`, FRAMED));
  assert.ok(page_token);
  assert.ok(!page_token.includes(session.cookie.split("=")[1] ?? "?"));
  const act = () =>
    ask("POST", `/platform/apps/${id}/action/go`, { token: null, headers: { "x-app-token": page_token } });
  const acted = await act();
  assert.deepEqual([acted.status, acted.body.data?.name], [200, name]);
  const forbidden = await ask("GET", "/account/me.json", { token: null, headers: { "x-app-token": page_token } });
  assert.equal(forbidden.status, 401, "the token opens no private API");
  const out = await ask("DELETE", "/account/session.json", {
    token: null,
    headers: { cookie: session.cookie, "sec-fetch-site": "same-origin" },
  });
  assert.equal(out.status, 204);
  assert.equal((await act()).status, 401);
});
