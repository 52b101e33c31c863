/**
 * Generated requests to every route: no 5xx, none over 5 s, every answer of its declared shape. Source:
 * design/security.md, "Figures". `FUZZ_REQUESTS=10000` for the long run; `FUZZ_SEED` repeats one.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Route, routesOf } from "../../server/http/routes.ts";
import { appRouter } from "../../server/router.ts";
import type { Answer } from "../harness.ts";
import { z } from "zod";
import { anyText, arbitraryOf, NAUGHTY, textPaths, withText } from "./arbitrary.ts";
import { PNG } from "./images.ts";
import { addPerson, made } from "./people.ts";
import { type Ask, inTurn, type Method, onSharedServer } from "./scenario.ts";

const inAccount = onSharedServer();

/** Of both tests: two thirds are generated. */
const REQUESTS = Number(Deno.env.get("FUZZ_REQUESTS") ?? 1_500);
const GENERATED = Math.ceil(REQUESTS * 2 / 3);
const CHOSEN = REQUESTS - GENERATED;
const SEED = Deno.env.get("FUZZ_SEED");
const AT_ONCE = 5;
const LONGEST_MS = 5_000;

const ROUTES = routesOf(appRouter);

interface Generated {
  route: Route;
  /** Which of the known ids, or text that may be none. */
  id: number | string;
  version: string;
  input: Record<string, unknown>;
  query: [string, string][];
  form: boolean;
}

const requestFor = (route: Route): fc.Arbitrary<Generated> =>
  fc.record({
    route: fc.constant(route),
    id: fc.oneof({ arbitrary: fc.nat(11), weight: 4 }, anyText),
    version: fc.oneof(fc.constantFrom("1", "2", "0"), anyText),
    input: (route.input ? arbitraryOf(route.input) : fc.constant({})) as fc.Arbitrary<Record<string, unknown>>,
    query: fc.array(fc.tuple(fc.constantFrom(...Object.keys(route.input?.shape ?? {}), "x"), anyText), {
      maxLength: 3,
    }),
    form: fc.boolean(),
  });

/** Deletes are rarer than the rest, so that something is left to work on. */
const anyRequest = fc.oneof(
  ...ROUTES.map((route) => ({ arbitrary: requestFor(route), weight: route.method === "DELETE" ? 1 : 3 })),
);

/** Made of code units at random, a text may have no UTF-8 form; in an address it must have one. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed()).replace(/^(\.+)$/, "%2e$1");

/** Other spellings of 1 in an address would end the test's own admin or its token. */
const isAdmins = ({ name }: Route, id: string) => /^(tokens|user_settings)\./.test(name) && Number(id) === 1;

async function timed(ask: Ask, method: Method, path: string, sent: Parameters<Ask>[2]): Promise<Answer> {
  const started = performance.now();
  const answer = await ask(method, path, sent);
  const took = performance.now() - started;
  const what = `${method} ${path} ${JSON.stringify(sent)?.slice(0, 2_000)}`;
  assert.ok(answer.status < 500, `${answer.status} for ${what}: ${JSON.stringify(answer.body)}`);
  if (sent?.token !== null) assert.notEqual(answer.status, 401, `the admin's token is gone after ${what}`);
  assert.ok(took < LONGEST_MS, `${Math.round(took)} ms for ${what}`);
  return answer;
}

/** Some of everything to work on. Returns the apps' ids. */
async function makeSome(ask: Ask): Promise<string[]> {
  const apps: string[] = [];
  await inTurn([1, 2, 3, 4], async () => {
    const salt = crypto.randomUUID().slice(0, 8);
    await addPerson(ask, "manager");
    made(await ask("POST", "/account/departments.json", { json: { department: { name: `Department ${salt}` } } }));
    await inTurn(["team", "group", "mailbox"], async (wrapper) => {
      const path = `/account/${wrapper}${wrapper === "mailbox" ? "es" : "s"}.json`;
      made(await ask("POST", path, { json: { [wrapper]: { name: `${wrapper} ${salt}` } } }));
    });
    const app = { name: `App ${salt}`, app_engine: "js", source_code: "Sales 1", url_code: `app-${salt}` };
    apps.push(made(await ask("POST", "/platform/apps.json", { json: { app } })).id);
  });
  return apps;
}

/** As a browser would send the object. */
function formOf(body: Record<string, unknown>): FormData {
  const form = new FormData();
  const append = (name: string, value: unknown): void => {
    if (Array.isArray(value)) value.forEach((item) => append(`${name}[]`, item));
    else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) append(`${name}[${key}]`, item);
    } else if (name.endsWith("[logo]") && String(value).length % 2) form.append(name, new Blob([PNG, String(value)]));
    else if (value !== undefined && value !== null) form.append(name, String(value));
  };
  for (const [key, value] of Object.entries(body)) append(key, value);
  return form;
}

/** Bodies that are right, for one naughty field to be put on top. */
const BASES: Record<string, () => Record<string, unknown>> = {
  departments: () => ({ name: crypto.randomUUID() }),
  user_settings: () => ({ email: `${crypto.randomUUID()}@example.com` }),
  tokens: () => ({ name: "Token", expires_at: null }),
  apps: () => ({ name: "App", app_engine: "js", source_code: "1" }),
};

inAccount("fuzz: naughty strings in every text field", async ({ ask }) => {
  const [app = ""] = await makeSome(ask);
  const fields = ROUTES.filter(({ body }) => body.length > 0).flatMap((route) => {
    const wrapper = route.meta.wrapper ? route.input?.shape[route.meta.wrapper] : route.input;
    return textPaths(wrapper ?? z.never()).filter(([key]) => !route.params.includes(`${key}`)).map((path) => ({
      route,
      path,
    }));
  });
  assert.ok(fields.length > 80, `${fields.length} fields`);
  const all = fields.length * NAUGHTY.length;
  // A stride without a common divisor reaches every field and every string long before it reaches every pair.
  const stride = Math.max(1, Math.floor(all / CHOSEN)) | 1;
  const chosen = Array.from({ length: Math.min(all, CHOSEN) }, (_, index) => {
    const pair = (index * stride) % all;
    return { ...(fields[pair % fields.length] ?? fields[0]), text: NAUGHTY[(pair + index) % NAUGHTY.length] ?? "" };
  });
  await inTurn(chosen, async ({ route, path, text }) => {
    if (!route || !path) return;
    const domain = route.name.split(".")[0] ?? "";
    const base = route.method === "POST" ? BASES[domain]?.() ?? { name: crypto.randomUUID() } : {};
    const body = withText(route.meta.wrapper ? base : { field: "source_code", old: "1", new: "1" }, path, text);
    // The second of its kind: the first user is the admin.
    const address = route.path.replace(":id", domain === "apps" ? app : "2");
    await timed(ask, route.method, address, { json: route.meta.wrapper ? { [route.meta.wrapper]: body } : body });
  });
}, { of_default: true });

inAccount("fuzz: a naughty string comes back as it was sent", async ({ ask }) => {
  const { id } = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Naughty" } } }));
  const path = `/account/departments/${id}.json`;
  await inTurn(NAUGHTY, async (description) => {
    const answer = await timed(ask, "PATCH", path, { json: { department: { description } } });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.description, description);
  });
  await inTurn(NAUGHTY, async (text) => {
    await timed(ask, "GET", `/a/${segment(text)}`, { token: null });
    await timed(ask, "GET", `/platform/apps.json?q=${segment(text)}`, {});
    await timed(ask, "GET", `/logos/${segment(text)}`, {});
  });
}, { of_default: true });

/** The last one: whatever is made or ended here, the tests before have done their work. */
inAccount("fuzz: generated requests", async ({ ask }) => {
  const apps = await makeSome(ask);
  // The compiler's first work on a fresh database, making the runtimes, is not what is measured here.
  await inTurn(["tailwind_all", "tailwind"], async (css_engine) => {
    made(
      await ask("POST", "/platform/apps.json", { json: { app: { name: "Warm", css_engine, source_code: "<p></p>" } } }),
    );
  });
  const idOf = ({ route, id }: Generated): string => {
    if (typeof id === "string") return isAdmins(route, id) ? "x" : segment(id);
    // The admin and its token, which are the first of their kind, are needed to the end.
    return route.name.startsWith("apps.") ? apps[id % apps.length] ?? "" : `${id + 2}`;
  };
  const perform = async (generated: Generated): Promise<void> => {
    const { route, version, query, input, form } = generated;
    const path = route.path.replace(":id", () => idOf(generated)).replace(":version", () => segment(version));
    const search = query.length > 0 && route.method === "GET"
      ? `?${new URLSearchParams(query.map(([key, value]) => [key, value.toWellFormed()]))}`
      : "";
    const body = Object.fromEntries(route.body.map((key) => [key, input[key]]));
    const sent = route.body.length === 0
      ? {}
      : form && route.meta.multipart_only
      ? { form: formOf(body) }
      : { json: body };
    const answer = await timed(ask, route.method, path + search, sent);
    if (route.name === "apps.create" && answer.status === 201) apps.push(answer.body.id);
  };
  const all = fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const { failed, seed, errorInstance } = await fc.check(
    fc.asyncProperty(all, async (requests) => void await Promise.all(requests.map(perform))),
    // What the requests before have left behind counts, so a smaller example would not be the same one.
    { numRuns: Math.ceil(GENERATED / AT_ONCE), endOnFailure: true, ...(SEED && { seed: Number(SEED) }) },
  );
  assert.ok(!failed, `FUZZ_SEED=${seed}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`);
  assert.equal((await ask("GET", "/account.json")).status, 200, "and the server is well");
}, { of_default: true });
