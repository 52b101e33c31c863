/** Hosted: what the platform's CDN and other shared caches may keep, for every route and kind of caller. */
import assert from "node:assert/strict";
import { PLAIN_ROUTES } from "../../server/http/catalog.ts";
import { openApiRoute } from "../../server/http/openapi/openapi.ts";
import type { PlainRoute } from "../../server/http/plain_route.ts";
import { ADMIN_TOKEN, on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { addSession, made } from "../stage/people.ts";

/** By the name of the route: what shared caches may keep of its answers with the status 200. All others keep nothing. */
const PUBLIC: Record<string, string> = {
  read_logo: "public, max-age=31536000, immutable, no-transform",
  read_vendor_file: "public, max-age=31536000, immutable, no-transform",
  read_app_file: "public, max-age=31536000, immutable, no-transform",
  read_console_file: "public, max-age=31536000, immutable, no-transform",
  read_embed_script: "public, max-age=300, no-transform",
  read_platform_types: "public, no-cache, no-transform",
  read_passkey_script: "public, no-cache, no-transform",
  read_flow_schema: "public, no-cache, no-transform",
  read_openapi: "public, no-cache, no-transform",
};

/** Their 200 is proven by logos_test.ts and console_files_test.ts. */
const ELSEWHERE = new Set(["read_logo", "read_console_file"]);

const FOR_CDN = {
  cdn: "public, s-maxage=10",
  cache: "private, no-cache, no-transform",
  vary: "accept-encoding, authorization, cookie",
};

const pathOf = ({ path, parameters = [] }: PlainRoute, known: Record<string, string>): string =>
  path.replace(
    /:(\w+)/g,
    (_, name) => known[name] ?? String(parameters.find((one) => one.name === name)?.example ?? 1),
  );

const cachingOf = ({ headers }: Response) => ({
  cdn: headers.get("deno-cdn-cache-control"),
  cache: headers.get("cache-control"),
  vary: headers.get("vary"),
});

/** The headers of each kind of caller. */
async function callersOf(server: TestServer): Promise<[name: string, headers: Record<string, string>][]> {
  const { body } = await server.request("GET", "/account/user_settings.json");
  const { cookie } = await addSession(server, body[0].id);
  return [
    ["a visitor", {}],
    ["a token", { authorization: `Bearer ${ADMIN_TOKEN}` }],
    ["a session", { cookie, "sec-fetch-site": "same-origin" }],
  ];
}

Deno.test({
  name: "hosted: shared caches keep public pages without a token, files, and nothing else",
  ignore: !on_postgres,
}, async () => {
  const server = await startServer({ DENO_DEPLOYMENT_ID: "1", KV_URL: ":memory:" });
  try {
    const addApp = async (app: Record<string, unknown>): Promise<string> =>
      made(
        await server.request("POST", "/platform/apps.json", {
          json: { app: { name: "Page", css_engine: "none", ...app } },
        }),
      ).id;
    const html = { app_engine: "html", source_code: "<h1>Hello</h1>" };
    const plain = await addApp({ ...html, public: true });
    const asking = await addApp({ ...html, source_code: "<script>fetch('/platform/db/x/y')</script>", public: true });
    const own = await addApp(html);
    const compiled = await addApp({ app_engine: "svelte", source_code: "<p>Hello</p>" });
    const get = async (path: string, headers: Record<string, string>) => {
      const response = await server.handler(new Request(`${server.base_url}${path}`, { headers, redirect: "manual" }));
      const answer = {
        status: response.status,
        caching: cachingOf(response),
        cookie: response.headers.get("set-cookie"),
      };
      const is_stream = response.headers.get("content-type")?.startsWith("text/event-stream");
      const text = is_stream ? "" : await response.text();
      await response.body?.cancel().catch(() => {});
      return { ...answer, text };
    };
    const callers = await callersOf(server);
    const proveKept = (answer: Awaited<ReturnType<typeof get>>, kept: string | undefined, what: string) => {
      const { status, caching: { cdn, cache }, cookie } = answer;
      assert.equal(cdn, null, what);
      if (kept && (status === 200 || status === 304)) assert.equal(cache, kept, what);
      else assert.match(cache ?? "none", /^(no-store|private\b)/, `${what}: ${status}`);
      if (cookie !== null) assert.equal(cache, "no-store", what);
    };

    for (const [caller, headers] of callers) {
      const is_visitor = caller === "a visitor";
      const page = await get(`/a/${plain}`, headers);
      assert.deepEqual([page.status, page.caching], [200, is_visitor ? FOR_CDN : page.caching]);
      if (!is_visitor) proveKept(page, undefined, `public page, ${caller}`);
      const other = await get(`/a/${plain}`, { cookie: "other=1" });
      assert.deepEqual([other.status, other.caching], [200, { ...FOR_CDN, cdn: null, vary: "accept-encoding" }]);
      for (const id of [asking, own, compiled]) proveKept(await get(`/a/${id}`, headers), undefined, `page, ${caller}`);
      for (const id of [plain, asking, own]) {
        const frame = { ...headers, "sec-fetch-dest": "iframe" };
        proveKept(await get(`/a/${id}/frame`, frame), undefined, `frame, ${caller}`);
      }
      for (
        const path of [
          "/account.json",
          "/platform/apps.json",
          `/platform/apps/${plain}.json`,
          "/trpc/account.show",
          "/none",
        ]
      ) {
        proveKept(await get(path, headers), undefined, `${path}, ${caller}`);
      }
    }

    const { text } = await get(`/a/${compiled}`, { authorization: `Bearer ${ADMIN_TOKEN}` });
    const file = /\/a\/[^/"]+\/(\w+\.js)"/.exec(text)?.[1] ?? "";
    const vendor = /\/vendor\/([\w.-]+\.js)"/.exec(text)?.[1] ?? "";
    const known: Record<string, Record<string, string>> = {
      read_app_file: { id: compiled, file },
      read_vendor_file: { file: vendor },
    };
    const answered = new Set<string>();
    const routes = [...PLAIN_ROUTES, openApiRoute(PLAIN_ROUTES)];
    for (const route of routes.filter(({ method, path }) => method === "GET" && !/health|ready/.test(path))) {
      for (const [caller, headers] of callers) {
        const path = pathOf(route, known[route.name] ?? {});
        const answer = await get(path, headers);
        proveKept(answer, PUBLIC[route.name], `${route.name} ${path}, ${caller}`);
        if (answer.status === 200 && PUBLIC[route.name]) answered.add(route.name);
      }
    }
    assert.deepEqual(
      Object.keys(PUBLIC).filter((name) => !answered.has(name) && !ELSEWHERE.has(name)),
      [],
      "each was answered with 200",
    );
  } finally {
    await server.close();
  }
});
