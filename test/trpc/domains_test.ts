/** Domains that are loaded on demand: which path needs which, and what answers until all are loaded. */
import assert from "node:assert/strict";
import type { AnyTRPCRouter } from "@trpc/server";
import { createTable } from "../../server/http/front_door.ts";
import type { HttpContext } from "../../server/http/http_context.ts";
import { loadOnDemand } from "../../server/http/on_demand.ts";
import { routesOf } from "../../server/http/rest/routes.ts";
import { createLog } from "../../server/log.ts";
import { until } from "../stage/until.ts";
import { DOMAIN_NAMES, type DomainName, domainsAt, joined, loadDomain, loadRouter } from "../../server/router.ts";

const all = await loadRouter();
const ROUTES = routesOf(all);
const domains = new Map(await Promise.all(DOMAIN_NAMES.map(async (name) => [name, await loadDomain(name)] as const)));

const joinedOf = (names: readonly DomainName[]) =>
  joined(new Map([...domains].filter(([name]) => names.includes(name))));
const domainsOf = (router: AnyTRPCRouter) =>
  new Set(Object.keys(router._def.procedures).map((name) => name.split(".", 1)[0]));

Deno.test("domains: a path of a route, and the name of a procedure, need few domains and its own", () => {
  for (const { name, path } of ROUTES) {
    const domain = name.slice(0, name.indexOf(".")) as DomainName;
    assert.ok(domainsAt(path).includes(domain), `the list in server/router.ts does not lead from ${path} to ${domain}`);
    assert.ok(domainsAt(path).length <= 2, `${path} needs ${domainsAt(path)}`);
    assert.deepEqual(domainsAt(`/trpc/${name}`), [domain]);
  }
  assert.deepEqual(domainsAt("/trpc/teams.list,account.me,nothing.here"), ["account", "teams"]);
  assert.deepEqual(domainsAt("/trpc/teams%2Elist"), DOMAIN_NAMES, "what an encoded path means is decided elsewhere");
  for (const path of ["/", "/trpc", "/a/app", "/healthz", "/mcp"]) assert.deepEqual(domainsAt(path), [], path);
});

Deno.test("domains: with those that a path needs, it has the route and the methods that it has with all", async () => {
  const whole = createTable(all);
  const paths = ROUTES.map(({ path }) => path.replace(/:\w+/g, "1"));
  const strange = ["/account/departments", "/account/departments/1/nothing.json", "/account/departments%2Ejson"];
  for (const path of [...paths, ...paths.map((path) => `${path}/`), ...strange, "/platform/db/guests/nothing"]) {
    const part = createTable(joinedOf(domainsAt(path)));
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const request = new Request(`http://atrium.test${path}`, { method });
      const [found, expected] = [part, whole].map((table) => table.find(request, path));
      assert.deepEqual([found?.path, found?.params], [expected?.path, expected?.params], `${method} ${path}`);
      if (method !== "OPTIONS") continue;
      const allows = [found, expected].map(async (target) =>
        (await target?.answer({} as HttpContext, {}))?.headers.get("allow")
      );
      assert.equal(await allows[0], await allows[1], path);
    }
  }
});

/** Answers with the domains that are in use, and `onAll` settles `is_complete`. */
function createStage(loadOne?: typeof loadDomain) {
  let used = new Set<string | undefined>();
  const complete = Promise.withResolvers<void>();
  const lines: string[] = [];
  const broken: string[] = [];
  const log = createLog((line) => void lines.push(line));
  const answer = loadOnDemand({
    answer: () => Response.json([...used]),
    use: (router) => used = domainsOf(router),
    onAll: complete.resolve,
    onBroken: (reason) => void broken.push(reason),
    log,
    loadOne,
  });
  return {
    ask: async (path: string) => await answer({ log, call: { path, request_id: "1" } } as HttpContext),
    is_complete: complete.promise,
    used: () => used,
    broken,
    logged() {
      log.flush();
      return lines.join("");
    },
  };
}

Deno.test("on demand: a request is answered with its domains, and the others are loaded after it", async () => {
  const { ask, is_complete, used } = createStage();
  const answers = await Promise.all(["/account/teams.json", "/trpc/account.me", "/a/app"].map(ask));
  const [teams, , app] = await Promise.all(answers.map((answer) => answer.json()));
  assert.ok(teams.includes("teams") && teams.length <= 2, teams);
  assert.ok(app.length <= 2);
  await is_complete;
  assert.deepEqual([...used()].sort(), DOMAIN_NAMES.toSorted());
});

Deno.test("on demand: a domain that cannot be loaded is 503, in the log, and a reason to end the instance", async () => {
  let is_broken = true;
  const { ask, is_complete, logged, broken } = createStage((name) => {
    if (name === "teams" && is_broken) throw new Error("the file is missing");
    return loadDomain(name);
  });
  const refused = await ask("/account/teams.json");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assert.match(logged(), /"level":"error","event":"request failed".*the file is missing/);
  assert.deepEqual(broken, ["a domain was not loaded"]);
  assert.equal((await ask("/account/groups.json")).status, 200);
  await until(() => logged().includes("domains were not loaded"), "the others have failed");
  assert.deepEqual(broken, ["a domain was not loaded", "domains were not loaded"]);
  is_broken = false;
  assert.equal((await ask("/account/teams.json")).status, 200);
  await is_complete;
});
