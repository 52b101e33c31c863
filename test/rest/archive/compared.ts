/** Compares two accounts by every GET route of the API. A new route is compared without a line here. */
import assert from "node:assert/strict";
import { routesOf } from "../../../server/http/rest/routes.ts";
import { loadRouter } from "../../../server/router.ts";
import type { Ask } from "../../stage/people.ts";

/** Routes that are not compared, by the names of their procedures, and why. */
const NOT_COMPARED: Record<string, string> = {
  "account.about": "describes the server",
  "account.limits": "counts what the caller has used within the minute",
  "agents.list": "sessions of agents end with the tokens that began them",
  "agents.changes": "sessions of agents end with the tokens that began them",
  "agents.confirmations.list": "last minutes",
  "audit.list": "the log of a server tells what happened there: test/rest/audit",
  "apps.action_status": "needs a run in progress",
  "approvals.list": "runs that wait stay behind",
  "approvals.asked": "runs that wait stay behind",
  "embedding.list_keys": "keys are secrets",
  "identities.list": "ways to sign in stay behind",
  "invitations.list": "their links are secrets",
  "operations.find": "describes the server",
  "passkeys.list": "ways to sign in stay behind",
  "records.history": "is a part of the audit log",
  "sessions.list": "ways to sign in stay behind",
  "tokens.list": "tokens are secrets",
  "flow_processes.retries.find": "needs a retry in progress",
};

/** Keys that differ, by the names of their procedures or for all, and why. */
const NOT_COMPARED_KEYS: Record<string, Record<string, string>> = {
  all: {
    has_secret_token: "secrets stay behind",
    has_secret: "a trigger with signatures has a random key until its own is set",
    last_seen_at: "follows sessions and tokens",
    last_sign_in_at: "follows sessions and tokens",
  },
  "archive.list": { etag: "a flow that asks users for an approval has their ids" },
};

/** Of the admin who imports, who was there before. */
const OF_ADMIN = { created_at: "", updated_at: "" };

/** What a route needs beside its path. */
const QUERIES: Record<string, (path: string) => string[]> = {
  "crons.read_schedule": () => ["schedule=0+9+*+*+*&timezone=UTC&from=2026-11-24T00:00:00Z"],
  "apps.openings.list": () => ["ids={app}"],
  "connectors.health.list": () => ["ids={connector}"],
  "flows.activity": () => ["ids={flow}"],
  "crons.slots": () => ["ids={trigger}"],
  "access.list": () => ["type=app&id={app:Board}", "type=db&id=orders", "user_id={user:ada}"],
  "access.counts": () => ["user_id={user:ada}", "role=guest"],
  "records.list": tables,
  "records.marks": tables,
  "records.search": (path) => tables(path).map((table) => `q=a&${table}`),
  "embeds.list": () => ["target=organize"],
};

function tables(path: string): string[] {
  return path.includes("/library/") ? ["table_name=books", "table_name=people"] : [""];
}

const USER = "user";
/** What a number under a key is the id of. */
const KINDS: [keys: RegExp, kind: string][] = [
  [/^(main_)?department_ids?$/, "department"],
  [/^(user|created_by|updated_by|author|owner|user_setting|viewed_by)_ids?$/, USER],
  [/^team_ids?$/, "team"],
  [/^group_ids?$/, "group"],
  [/^mailbox_ids?$/, "mailbox"],
  [/^flow_id$/, "flow"],
  [/^(cron|trigger)_id$/, "trigger"],
  [/^db_id$/, "db"],
  [/^connector_id$/, "connector"],
  // Of a step that asks for an approval.
  [/^users$/, USER],
  [/^departments$/, "department"],
];
const LISTS: Record<string, { path: string; label: string }> = {
  department: { path: "/account/departments.json", label: "name" },
  [USER]: { path: "/account/user_settings.json", label: "login" },
  team: { path: "/account/teams.json", label: "name" },
  group: { path: "/account/groups.json", label: "name" },
  mailbox: { path: "/account/mailboxes.json", label: "name" },
  flow: { path: "/connect/flows.json", label: "code" },
  trigger: { path: "/account/crons.json", label: "name" },
  db: { path: "/platform/dbs.json", label: "code" },
  connector: { path: "/connect/connectors.json", label: "code" },
  app: { path: "/platform/apps.json", label: "name" },
};

type Labels = Map<string, string>;

async function labelsOf(ask: Ask): Promise<Labels> {
  const labels: Labels = new Map();
  for (const [kind, { path, label }] of Object.entries(LISTS)) {
    const { body } = await ask("GET", `${path}?per_page=500`);
    for (const item of body) labels.set(`${kind} ${item.id}`, `${kind} ${item[label]}`);
  }
  return labels;
}

/** `{flow}` becomes the ids of all flows, `{flow:greet}` that of one. */
const withIds = (query: string, labels: Labels): string =>
  query.replace(
    /\{(\w+)(?::(\w+))?\}/g,
    (_, kind, name) =>
      [...labels].filter(([id, label]) => id.startsWith(`${kind} `) && (!name || label === `${kind} ${name}`))
        .toSorted(([, a], [, b]) => a < b ? -1 : 1).map(([id]) => id.slice(kind.length + 1)).join(),
  );

/** The same for both accounts, if they are the same: with names instead of numbers. */
function named(value: unknown, labels: Labels, left_out: Record<string, string>, kind?: string): unknown {
  if (typeof value === "number" && kind !== undefined) return labels.get(`${kind} ${value}`) ?? `a deleted ${kind}`;
  if (Array.isArray(value)) return value.map((item) => named(item, labels, left_out, kind));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object(value).login === "admin" ? { ...left_out, ...OF_ADMIN } : left_out;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !Object.hasOwn(kept, key)).map(([key, item]) => {
      if (key === "id" && /^\d+$/.test(String(item))) return [key, "a number"];
      // A number of departments is a count.
      const is_id = Array.isArray(item) || /_ids?$/.test(key);
      return [key, named(item, labels, left_out, is_id ? KINDS.find(([keys]) => keys.test(key))?.[1] : undefined)];
    }),
  );
}

type Pair<T> = readonly [T, T];

/** @returns the compared paths of the first account */
export async function compareAccounts(asks: Pair<Ask>): Promise<string[]> {
  const labels: Pair<Labels> = [await labelsOf(asks[0]), await labelsOf(asks[1])];
  const routes = routesOf(await loadRouter()).filter(({ method }) => method === "GET");
  assert.deepEqual(Object.keys(NOT_COMPARED).filter((name) => !routes.some((route) => route.name === name)), []);

  const differences: string[] = [];
  const read = async (side: 0 | 1, path: string) => {
    const { status, body } = await asks[side]("GET", path);
    return status === 200 ? body : { status, body };
  };
  const read_lists = new Map<string, Promise<Pair<unknown[]>>>();
  const listsOf = (paths: Pair<string>) => {
    const found = read_lists.get(paths[0]) ?? Promise.all([read(0, paths[0]), read(1, paths[1])]);
    read_lists.set(paths[0], found);
    return found;
  };
  /** Of a path with an id in the first account: the same in the other one. */
  const counterpart = new Map<string, string>();
  const mapped = (path: string): string => {
    const known =
      [...counterpart.keys()].filter((one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}.`))
        .toSorted((a, b) => b.length - a.length)[0];
    return known === undefined ? path : `${counterpart.get(known)}${path.slice(known.length)}`;
  };
  /** Fills the parameters of a path with those of all objects of the list above it. */
  const filled = async (path: string): Promise<Pair<string>[]> => {
    const [before = "", param = "", behind = ""] = /^(.*?)\/:(\w+)(.*)$/.exec(path)?.slice(1) ?? [];
    if (param === "") return [[path, path]];
    const key = param === "db_code" ? "code" : param === "version" ? "version" : "id";
    const list = routes.find((route) => route.path === `${templateOf(before)}.json`);
    const found: Pair<string>[] = [];
    for (const query of QUERIES[list?.name ?? ""]?.(before) ?? [""]) {
      const lists: Pair<unknown[]> = await listsOf([`${before}.json?${query}`, `${mapped(before)}.json?${query}`]);
      assert.equal(lists[0].length, lists[1].length, before);
      for (const [index, item] of lists[0].entries()) {
        const [one, other] = [item, lists[1][index]].map((item) => String(Object(item)[key]));
        counterpart.set(`${before}/${one}`, `${mapped(before)}/${other}`);
        found.push(...await filled(`${before}/${one}${behind}`));
      }
    }
    return found.map(([one]) => [one, mapped(one)] as const);
  };
  const compared: string[] = [];
  for (const { name, path } of routes) {
    if (Object.hasOwn(NOT_COMPARED, name)) continue;
    let answered = false;
    const left_out = { ...NOT_COMPARED_KEYS.all, ...NOT_COMPARED_KEYS[name] };
    for (const [one, other] of await filled(path)) {
      for (const query of QUERIES[name]?.(one) ?? [""]) {
        const was = await read(0, `${one}?${withIds(query, labels[0])}`);
        const is = await read(1, `${other}?${withIds(query, labels[1])}`);
        compared.push(one);
        answered ||= Array.isArray(was) ? was.length > 0 : typeof was.status !== "number";
        try {
          assert.deepEqual(named(is, labels[1], left_out), named(was, labels[0], left_out));
        } catch (error) {
          differences.push(`${name} ${one}?${query}: ${String(error)}`);
        }
      }
    }
    // A user has no draft of most apps, but of one. Marks begin with more records than these databases have.
    if (!answered && name !== "records.marks") {
      differences.push(`${name} has answered nothing to compare: add it in moved_world.ts`);
    }
  }
  assert.deepEqual(differences, [], differences.join("\n"));
  return compared;
}

/** The declared path of a list: `/platform/dbs/orders/records` is of `/platform/dbs/:db_code/records`. */
const templateOf = (before: string): string =>
  before.replace(/^\/platform\/dbs\/[^/]+\//, "/platform/dbs/:db_code/")
    .replace(/^(\/(?:connect|account|platform)\/(?:flows|apps|crons))\/[^/]+\//, "$1/:id/");
