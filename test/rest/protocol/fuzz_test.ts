/**
 * Sends generated requests to every route, by tokens and by sessions: no 5xx, every answer of its declared shape.
 * `FUZZ_REQUESTS=10000` makes the long run, in which no answer may take long; `FUZZ_SEED` repeats one.
 */
import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { type Route, routesOf } from "../../../server/http/rest/routes.ts";
import { loadRouter } from "../../../server/router.ts";
import { ROUTES } from "../../stage/addresses.ts";
import type { Answer } from "../../stage/harness.ts";
import { z } from "zod";
import { anyKey, anyText, arbitraryOf, FIELDS, NAUGHTY, textPaths, withText } from "../../stage/random/arbitrary.ts";
import { PNG } from "../../stage/images.ts";
import { addPerson, addSession, made } from "../../stage/people.ts";
import { type Ask, inTurn, type Method, onOwnServer } from "../../stage/scenario.ts";

const inAccount = onOwnServer();

/** The requests of both tests together; two thirds are generated. */
const REQUESTS = Number(Deno.env.get("FUZZ_REQUESTS") ?? 1_500);
const GENERATED = Math.ceil(REQUESTS * 2 / 3);
const CHOSEN = REQUESTS - GENERATED;
const SEED = Deno.env.get("FUZZ_SEED");
const AT_ONCE = 5;
/** In the long run, which a quiet machine makes. */
const LONGEST_MS = Deno.env.has("FUZZ_REQUESTS") ? 30_000 : Infinity;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Routes for callers without a login, such as the one that signs in. */
const OPEN = routesOf(await loadRouter()).filter(({ meta }) => meta.open);

interface Generated {
  route: Route;
  /** The index of a known id, or a text in its place. */
  id: number | string;
  /** The index of a known database code, or a text in its place. */
  db: number | string;
  version: string;
  input: Record<string, unknown>;
  query: [string, string][];
  form: boolean;
  /** Sent with the cookie of a session instead of a token. */
  by_session: boolean;
}

/** `page`, `filter[name]`, `filter[n][gte]`. */
const anyParameter = (route: Route): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...Object.keys(route.input?.shape ?? {}), "x"), fc.array(anyKey, { maxLength: 2 }))
    .map(([key, inner]) => key === "filter" ? [key, ...inner.map((name) => `[${name}]`)].join("") : key);

const requestFor = (route: Route): fc.Arbitrary<Generated> =>
  fc.record({
    route: fc.constant(route),
    id: fc.oneof({ arbitrary: fc.nat(11), weight: 4 }, anyText),
    db: fc.oneof({ arbitrary: fc.nat(11), weight: 9 }, anyText),
    version: fc.oneof(fc.constantFrom("1", "2", "0"), anyText),
    input: (route.input ? arbitraryOf(route.input) : fc.constant({})) as fc.Arbitrary<Record<string, unknown>>,
    query: fc.array(fc.tuple(anyParameter(route), anyText), { maxLength: 3 }),
    form: fc.boolean(),
    by_session: fc.boolean(),
  });

/** Deletes are rarer than other requests, so that objects remain. */
const anyRequest = fc.oneof(
  ...ROUTES.map((route) => ({ arbitrary: requestFor(route), weight: route.method === "DELETE" ? 1 : 3 })),
  ...OPEN.map((route) => ({ arbitrary: requestFor(route), weight: 1 })),
);

/** Random code units may form lone surrogates, which an address cannot encode. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed()).replace(/^(\.+)$/, "%2e$1");

/** Other spellings of 1 could delete the test's own admin or its token. */
const isAdmins = ({ name }: Route, id: string) => /^(tokens|user_settings)\./.test(name) && Number(id) === 1;

async function timed(ask: Ask, method: Method, path: string, sent: Parameters<Ask>[2]): Promise<Answer> {
  const started = performance.now();
  const answer = await ask(method, path, sent);
  const took = performance.now() - started;
  const what = `${method} ${path} ${JSON.stringify(sent)?.slice(0, 2_000)}`;
  // A write during a change of the schema may be answered with 503, and so is a page of the console before its build.
  const is_locked = answer.status === 503 && /schema/.test(answer.body.error);
  const is_built = answer.status !== 503 || !/^text\/html/.test(answer.headers.get("content-type") ?? "");
  assert.ok(
    answer.status < 500 || is_locked || !is_built,
    `${answer.status} for ${what}: ${JSON.stringify(answer.body)}`,
  );
  if (sent?.token !== null) assert.notEqual(answer.status, 401, `the admin's token is gone after ${what}`);
  assert.ok(took < LONGEST_MS, `${Math.round(took)} ms for ${what}`);
  return answer;
}

/** Works on several items at once, where they do not disturb each other. */
async function batches<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(work));
  }
}

/** One field of each type, indexed and not. */
const SCHEMA = {
  fields: {
    name: "string",
    story: "text",
    n: "integer",
    price: "number",
    ok: "boolean",
    at: "datetime",
    day: "date",
    clock: "time",
  } satisfies Record<(typeof FIELDS)[number], string>,
  indexes: { idx_str_1: "story", idx_int_1: "n", idx_time_1: "at", idx_time_2: "day" },
};

interface Some {
  apps: string[];
  /** Codes of databases. */
  dbs: string[];
  records: string[];
}

/** Creates objects of every kind. */
async function makeSome(ask: Ask): Promise<Some> {
  const some: Some = { apps: [], dbs: [], records: [] };
  await inTurn([1, 2, 3, 4], async () => {
    const salt = crypto.randomUUID().slice(0, 8);
    await addPerson(ask, "manager");
    made(await ask("POST", "/account/departments.json", { json: { department: { name: `Department ${salt}` } } }));
    await inTurn(["team", "group", "mailbox"], async (wrapper) => {
      const path = `/account/${wrapper}${wrapper === "mailbox" ? "es" : "s"}.json`;
      made(await ask("POST", path, { json: { [wrapper]: { name: `${wrapper} ${salt}` } } }));
    });
    const app = { name: `App ${salt}`, app_engine: "html", source_code: "Sales 1", url_code: `app-${salt}` };
    some.apps.push(made(await ask("POST", "/platform/apps.json", { json: { app } })).id);
    const { code } = made(
      await ask("POST", "/platform/dbs.json", { json: { db: { name: `Db ${salt}`, schema: SCHEMA } } }),
    );
    some.dbs.push(code);
    const record = { data: { name: "Ada", story: "Once", n: 1, ok: true } };
    some.records.push(made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record } })).id);
  });
  return some;
}

/** The object as a browser would send it in a form. */
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

/** Valid bodies, in which the test replaces one field by a naughty string. */
const BASES: Record<string, () => Record<string, unknown>> = {
  departments: () => ({ name: crypto.randomUUID() }),
  user_settings: () => ({ email: `${crypto.randomUUID()}@example.com` }),
  tokens: () => ({ name: "Token", expires_at: null }),
  apps: () => ({ name: "App", app_engine: "html", source_code: "1" }),
  crons: () => ({ target_code: "nothing", schedule: "0 9 * * *" }),
  connectors: () => ({ name: "Api", code: crypto.randomUUID(), url: "https://example.com" }),
  dbs: () => ({ name: "Db", code: crypto.randomUUID() }),
  records: () => ({ data: {} }),
};

inAccount("fuzz: naughty strings in every text field", async ({ ask }) => {
  const { apps: [app = ""], dbs: [db = ""], records: [record = ""] } = await makeSome(ask);
  const fields = ROUTES.filter(({ body }) => body.length > 0).flatMap((route) => {
    const wrapper = route.meta.wrapper ? route.input?.shape[route.meta.wrapper] : route.input;
    return textPaths(wrapper ?? z.never()).filter(([key]) => !route.params.includes(`${key}`)).map((path) => ({
      route,
      path,
    }));
  });
  assert.ok(fields.length > 80, `${fields.length} fields`);
  const all = fields.length * NAUGHTY.length;
  // A stride without a common divisor covers every field and every string with far fewer requests than all pairs.
  const stride = Math.max(1, Math.floor(all / CHOSEN)) | 1;
  const chosen = Array.from({ length: Math.min(all, CHOSEN) }, (_, index) => {
    const pair = (index * stride) % all;
    return { ...(fields[pair % fields.length] ?? fields[0]), text: NAUGHTY[(pair + index) % NAUGHTY.length] ?? "" };
  });
  await batches(chosen, async ({ route, path, text }) => {
    if (!route || !path) return;
    const domain = route.name.split(".")[0] ?? "";
    const base = route.method === "POST" ? BASES[domain]?.() ?? { name: crypto.randomUUID() } : {};
    const body = withText(route.meta.wrapper ? base : { field: "source_code", old: "1", new: "1" }, path, text);
    // The second user, because the first one is the admin.
    const id = domain === "apps" ? app : domain === "records" ? record : "2";
    const address = route.path.replace(":id", id).replace(":db_code", db);
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
  const { dbs: [db = ""] } = await makeSome(ask);
  const records = `/platform/dbs/${db}/records.json`;
  await inTurn(NAUGHTY, async (story) => {
    const record = made(await timed(ask, "POST", records, { json: { record: { data: { story } } } }));
    assert.equal(record.data.story, story);
    const query = new URLSearchParams({ "filter[story]": story });
    const { body } = await timed(ask, "GET", `${records}?${query}`, {});
    assert.equal(body[0]?.id, story === "" ? body[0]?.id : record.id, story);
  });
  await batches(NAUGHTY, async (text) => {
    await timed(ask, "GET", `/a/${segment(text)}`, { token: null });
    await timed(ask, "GET", `/sign_in?return_to=${segment(text)}`, { token: null });
    const form = new URLSearchParams({ login: text.toWellFormed(), password: "", return_to: text.toWellFormed() });
    await timed(ask, "POST", "/sign_in", {
      token: null,
      raw: form.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    await timed(ask, "GET", `/platform/apps.json?q=${segment(text)}`, {});
    await timed(ask, "GET", `${records}?filter[story][contains]=${segment(text)}`, {});
    await timed(ask, "GET", `${records}?filter[${segment(text)}]=1`, {});
    await timed(ask, "GET", `/logos/${segment(text)}`, {});
  });
}, { of_default: true });

/** The smallest source that each engine compiles. */
const SAMPLES = [
  ["svelte", "<p></p>"],
  ["vue", "<template><p></p></template>"],
  ["react", "export default () => <p></p>;"],
  ["kaboom", "kaboom();"],
  ["phaser", "new Phaser.Game({});"],
] as const;

const warm = (ask: Ask) =>
  inTurn(SAMPLES, ([app_engine, source_code]) =>
    inTurn(["tailwind_all", "tailwind"], async (css_engine) => {
      const app = { name: "Warm", app_engine, css_engine, source_code };
      made(await ask("POST", "/platform/apps.json", { json: { app } }));
    }));

/** Runs last, because it creates and deletes objects of every kind. */
inAccount("fuzz: generated requests", async ({ ask, server }) => {
  const { apps, dbs, records } = await makeSome(ask);
  // The first compile may take longer. It is not measured.
  if (LONGEST_MS < Infinity) await warm(ask);
  const session = await addSession(server, 1);
  const by_session = { sent: 0, refused: 0 };
  const idOf = ({ route, id }: Generated): string => {
    if (typeof id === "string") return isAdmins(route, id) ? "x" : segment(id);
    // Keeps the first user and token, which are the admin's.
    const known = route.name.startsWith("apps.") ? apps : route.name.startsWith("records.") ? records : undefined;
    return known ? known[id % known.length] ?? "" : `${id + 2}`;
  };
  const perform = async (generated: Generated): Promise<void> => {
    const { route, version, query, input, form } = generated;
    const db = typeof generated.db === "number" ? dbs[generated.db % dbs.length] ?? "" : segment(generated.db);
    const path = route.path.replace(":id", () => idOf(generated)).replace(":version", () => segment(version))
      .replace(":db_code", db);
    const search = query.length > 0 && route.method === "GET"
      ? `?${new URLSearchParams(query.map(([key, value]) => [key, value.toWellFormed()]))}`
      : "";
    const body = Object.fromEntries(route.body.map((key) => [key, input[key]]));
    // Limits of the account's own would refuse the requests that follow.
    if (route.name === "account.update" && isObject(body.account)) delete body.account.rate_limits;
    const sent = route.body.length === 0
      ? {}
      : form && route.meta.multipart_only
      ? { form: formOf(body) }
      : { json: body };
    const headers = { cookie: session.cookie, "sec-fetch-site": "same-origin" };
    const credential = generated.by_session ? { token: null, headers } : route.meta.open ? { token: null } : {};
    const answer = await timed(ask, route.method, path + search, { ...sent, ...credential });
    if (generated.by_session && !route.meta.open) {
      by_session.sent++;
      // A request may have ended the session.
      if (answer.status === 401) {
        by_session.refused++;
        Object.assign(session, await addSession(server, 1));
      }
    }
    if (route.name === "apps.create" && answer.status === 201) apps.push(answer.body.id);
    if (route.name === "dbs.create" && answer.status === 201) dbs.push(answer.body.code);
    if (route.name === "records.create" && answer.status === 201) records.push(answer.body.id);
  };
  const all = fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const { failed, seed, errorInstance } = await fc.check(
    fc.asyncProperty(all, async (requests) => void await Promise.all(requests.map(perform))),
    // No shrinking: a failure may depend on the objects that earlier requests left.
    { numRuns: Math.ceil(GENERATED / AT_ONCE), endOnFailure: true, ...(SEED && { seed: Number(SEED) }) },
  );
  assert.ok(!failed, `FUZZ_SEED=${seed}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`);
  assert.ok(by_session.refused < by_session.sent / 4, JSON.stringify(by_session));
  assert.equal((await ask("GET", "/account.json")).status, 200, "and the server is well");
}, { of_default: true });
