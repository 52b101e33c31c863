/**
 * Every route × session, page token × role × origin. The routes come from the catalogue. A cookie counts in requests of
 * this site's own pages and in addresses that a person opens; anywhere else a request is answered like one without it.
 */
import assert from "node:assert/strict";
import { PLAIN_ROUTES } from "../../../server/http/catalog.ts";
import { type Route, routesOf } from "../../../server/http/rest/routes.ts";
import { loadRouter } from "../../../server/router.ts";
import { addressOf, NO_UUID, ROUTES } from "../../stage/addresses.ts";
import { ADMIN_PASSWORD, type Answer, type Sent, type TestServer } from "../../stage/harness.ts";
import { addPerson, addSession, made, ROLES } from "../../stage/people.ts";
import { ELSEWHERE } from "../../stage/redirects.ts";
import { type Ask, inTurn, type Method, onOwnServer } from "../../stage/scenario.ts";
import { addApp, tokenIn } from "../../stage/visitors.ts";

const inAccount = onOwnServer();
const of_default = { of_default: true };

/** Who calls a route: viewers of a role, or anyone. */
type Callers = "viewers" | "anyone";

interface Case {
  name: string;
  method: Method;
  /** Names objects that do not exist. */
  path: string;
  callers: Callers;
  /** A body with a valid form that changes nothing. */
  sent: Sent;
  takes_body: boolean;
}

/** @throws {AssertionError} for a route that does not say who calls */
function callersOf({ name, meta }: Route): Callers {
  const { procedure } = ALL.find((route) => route.name === name) ?? {};
  // `pageProcedure` proves its callers itself: a viewer, an app's page or a visitor.
  const proves = (procedure?._def as unknown as { middlewares: unknown[] }).middlewares.length > 0;
  assert.ok(meta.role || meta.open || proves, `${name}: say who calls it, by the procedure that it starts from`);
  return meta.role ? "viewers" : "anyone";
}

const ALL = routesOf(await loadRouter());

/** A stream without end is asked for its headers. */
const isStream = (path: string) => /\/(changes|log)$/.test(path);

/** Bodies that are refused, where an empty one would begin something. */
const REFUSED_BODIES: Record<string, Sent> = { "flow_processes.retries.create": { json: { id: "none" } } };

const bodyOf = ({ name, meta: { wrapper, multipart_only }, body, method }: Route): Sent =>
  method === "GET" || method === "DELETE" || (body.length === 0 && !multipart_only)
    ? {}
    : REFUSED_BODIES[name] ?? { json: wrapper ? { [wrapper]: {} } : {} };

const CASES: Case[] = [
  ...ALL.map((route): Case => ({
    name: route.name,
    method: isStream(route.path) ? "HEAD" : route.method,
    path: addressOf(route).replace(/:\w+/g, "there_is_none"),
    callers: callersOf(route),
    sent: bodyOf(route),
    takes_body: route.body.length > 0,
  })),
  ...PLAIN_ROUTES.map(({ method, path, name, callers, body }): Case => ({
    name,
    method: isStream(path) ? "HEAD" : method,
    path: path.replace(":db_code", "there_is_none").replace(":id", NO_UUID).replace(/:\w+/g, "there_is_none"),
    callers: callers === "viewers" ? "viewers" : "anyone",
    sent: body ? { raw: "", headers: { "content-type": Object.keys(body)[0] ?? "" } } : {},
    takes_body: body !== undefined,
  })),
];

const OWN = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
const OPENED = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const EVIL = "https://evil.example";

/** Pages that are not ours, by the headers that a browser sends for them. */
const FOREIGN: Record<string, Record<string, string>> = {
  "a script of another site": { ...OWN, "sec-fetch-site": "cross-site", origin: EVIL },
  "a script of a sandboxed page": { ...OWN, "sec-fetch-site": "cross-site", origin: "null" },
  "a page of a subdomain": { ...OWN, "sec-fetch-site": "same-site", origin: "http://apps.atrium.test" },
  "a frame in another site": { ...OPENED, "sec-fetch-dest": "iframe", origin: EVIL },
  "an old browser, elsewhere": { origin: EVIL },
  "an old browser, sandboxed": { origin: "null" },
};
/** Bodies that a form of another site can send without a preflight. */
const FORMS = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=b"];

/** What a caller can compare. Random texts, times and ids of requests differ between any two answers. */
const seen = ({ status, headers, body }: Answer) => ({
  status,
  body: JSON.stringify(body)?.replace(/[\w-]{20,}|\d{4}-\d\d-\d\dT[^"]+/g, "…"),
  type: headers.get("content-type"),
  location: headers.get("location")?.replace(/[\w-]{20,}/g, "…"),
});

const withHeaders = (sent: Sent, headers: Record<string, string>): Sent => ({
  ...sent,
  token: null,
  headers: { ...sent.headers, ...headers },
});

/** Starts a session of the default account's admin. */
const sessionOf = async (server: TestServer) => (await addSession(server, 1)).cookie;

const isAlive = async (ask: Ask, cookie: string) =>
  (await ask("GET", "/account/me.json", withHeaders({}, { cookie, ...OWN }))).status === 200;

/** All lists of the account but those that note requests. */
const snapshot = (ask: Ask) =>
  Promise.all(
    ROUTES.filter(({ is_list, params, name }) =>
      is_list && params.length === 0 && !["tokens.list", "audit.list"].includes(name)
    )
      .map(async ({ path }) => seen(await ask("GET", path)).body),
  );

inAccount(
  "matrix: a session counts on every route from own pages, and nowhere from others",
  async ({ ask, server }) => {
    const cookie = await sessionOf(server);
    const before = await snapshot(ask);
    let compared = 0;
    await inTurn(CASES, async ({ name, method, path, callers, sent, takes_body }) => {
      const reads = method === "GET" || method === "HEAD";
      const send = (headers: Record<string, string>, more: Sent = sent) =>
        ask(method, path, withHeaders(more, headers));
      const compare = async (what: string, headers: Record<string, string>, more: Sent = sent) => {
        const [one, other] = [await send({ ...headers, cookie }, more), await send(headers, more)];
        assert.deepEqual(seen(one), seen(other), `${name}, by ${what}`);
        if (callers === "viewers") assert.equal(one.status, 401, `${name}, by ${what}`);
        compared++;
      };
      await inTurn(Object.entries(FOREIGN), ([what, headers]) => compare(what, headers));
      if (!reads) {
        await inTurn(FORMS, (type) => {
          const form = { raw: type.startsWith("multipart") ? "--b--\r\n" : "{}", headers: { "content-type": type } };
          return compare(`a form of another site: ${type}`, { ...OPENED, origin: EVIL }, takes_body ? form : {});
        });
        await compare("an address that was opened with a method that changes", OPENED);
      }
      if (callers === "viewers") {
        // From own pages and, where nothing changes, from opened addresses. Objects that do not exist are 404.
        const own = NEED_TOKEN.has(name) ? [] : reads ? [OWN, OPENED] : [OWN];
        await inTurn(own, async (headers) => assert.notEqual((await send({ ...headers, cookie })).status, 401, name));
        const wrong = await ask(method, path, { ...withHeaders(sent, { cookie, ...OWN }), token: "wrong" });
        assert.equal(wrong.status, 401, `${name}: a wrong token goes before the session`);
        // A route may end sessions of its caller.
        if (!await isAlive(ask, cookie)) {
          assert.fail(`${name} with missing objects and no fields has ended the session`);
        }
      }
    });
    assert.ok(compared > 600, `${compared} answers were compared`);
    assert.ok(await isAlive(ask, cookie), "no other site's request has ended the session");
    assert.deepEqual(await snapshot(ask), before, "nothing has changed");
  },
  of_default,
);

/** Routes of agents: a session is none. */
const NEED_TOKEN = new Set(["call_mcp", "end_mcp_session"]);

/** Procedures that tokens may not call, and that take no fields. */
const NEED_SESSION = new Set(["passkeys.options"]);

inAccount(
  "matrix: a session of each role is answered like a token of that user, a page token like a stranger",
  async ({ ask, server }) => {
    const viewers = CASES.filter(({ callers }) => callers === "viewers");
    const page_token = tokenIn(await ask("GET", await addApp(ask, { db_code: "none" }))) ?? "";
    assert.match(page_token, /\./);
    await inTurn(ROLES, async (role) => {
      const person = await addPerson(ask, role);
      await inTurn(viewers, async ({ name, method, path, sent }) => {
        const { cookie } = await addSession(server, person.id);
        const by_session = await ask(method, path, withHeaders(sent, { ...OWN, cookie }));
        const by_token = await ask(method, path, { ...sent, token: person.token });
        if (NEED_SESSION.has(name)) {
          assert.deepEqual([by_session.status, by_token.status], [200, 422], `${name} for a ${role}`);
        } else if (NEED_TOKEN.has(name)) assert.equal(by_session.status, 401, `${name} for a ${role}`);
        else assert.equal(by_session.status, by_token.status, `${name} for a ${role}`);
        const by_page = await ask(method, path, withHeaders(sent, { "x-app-token": page_token }));
        assert.equal(by_page.status, 401, `${name} with a page token`);
      });
    });
  },
  of_default,
);

inAccount(
  "matrix: a session is never one that the browser brings, and its answer leads nowhere else",
  async ({ ask, server }) => {
    // The calls above have tried passkeys in vain.
    await server.sql`delete from sign_in_attempts`;
    const planted = `session=${"a".repeat(43)}`;
    const session = { login: "admin", password: ADMIN_PASSWORD };
    const answer = await ask("POST", "/account/session.json", {
      ...withHeaders({ json: { session } }, { cookie: `${planted}; __Host-session=${"b".repeat(43)}`, ...OWN }),
    });
    made(answer);
    const [cookie = "", ...flags] = (answer.headers.get("set-cookie") ?? "").split("; ");
    assert.match(cookie, /^session=[\w-]{43}$/);
    assert.notEqual(cookie, planted);
    assert.deepEqual(flags.filter((flag) => /^(HttpOnly|SameSite=Lax|Path=\/)$/.test(flag)).length, 3, flags.join());
    assert.ok(!flags.some((flag) => /^Domain=/i.test(flag)), "of this host alone");
    assert.equal(await isAlive(ask, planted), false, "the session that was planted is none");
    assert.equal(await isAlive(ask, `${planted}; ${cookie}`), false, "nor is it one beside the real one");
    assert.equal(await isAlive(ask, cookie), true);
    assert.ok(ELSEWHERE.length >= 50);
    await inTurn(ELSEWHERE, async (spelling) => {
      const path = `/sign_in?return_to=${encodeURIComponent(spelling.toWellFormed())}`;
      const { headers, status } = await ask("GET", path, withHeaders({}, { cookie, ...OPENED }));
      const location = headers.get("location") ?? "/";
      const { origin, pathname } = new URL(location, "http://atrium.test");
      assert.equal(origin, "http://atrium.test", JSON.stringify(spelling));
      assert.ok(!/^\/[/\\]/.test(pathname) && !/^[^/]/.test(location), JSON.stringify([spelling, status, location]));
    });
  },
  of_default,
);
