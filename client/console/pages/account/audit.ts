/** Words of the audit log. */
import type { api } from "../../api.ts";

export type Entry = Awaited<ReturnType<typeof api.audit.list.query>>[number];

export const OBJECTS: Record<string, string> = {
  account: "account",
  agent_confirmation: "agent's question",
  app: "app",
  approval: "answer to a question",
  connector: "connector",
  cron: "trigger",
  dashboard: "board",
  db: "database",
  db_view: "view of a database",
  department: "department",
  embedding_key: "embedding key",
  flow: "flow",
  flow_example: "example of a flow",
  group: "group",
  identity: "identity",
  invitation: "invitation",
  mailbox: "mailbox",
  passkey: "passkey",
  password_reset: "password reset",
  record: "record",
  session: "session",
  team: "team",
  token: "API token",
  user_setting: "user",
  webhook: "webhook",
};

export const ACTIONS: Record<string, string> = {
  create: "created",
  update: "changed",
  delete: "deleted",
  batch: "changed records of",
  sign_in: "signed in",
  sign_in_failed: "failed to sign in",
  sign_out: "signed out",
  view_as: "viewed the console as",
};

export const VIA: Record<Entry["via"], string> = {
  session: "in a browser",
  token: "with a token",
  page: "from an app",
  anonymous: "without a login",
  run: "in a run",
  command: "on the server",
  server: "by the server itself",
};

const textOf = (value: unknown): string | undefined => typeof value === "string" && value ? value : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How the object is called in what was stored. */
function nameOf({ before, after }: Entry): string | undefined {
  const either = (name: string) => textOf(after?.[name]) ?? textOf(before?.[name]);
  const plan = after?.plan ?? before?.plan;
  return either("name") ?? either("email") ?? textOf(after?.login) ?? either("target_code") ??
    (isObject(plan) ? textOf(plan.title) : undefined);
}

const keyOf = (object: string, id: unknown) => `${object} ${id}`;

/** The names of the objects of these entries, which are sorted from the newest to the oldest. */
export function namesIn(entries: readonly Entry[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const entry of entries.toReversed()) {
    const name = nameOf(entry);
    if (name !== undefined && entry.object_id !== null) names.set(keyOf(entry.object, entry.object_id), name);
  }
  return names;
}

/** An id is cut to its end: those of one day begin alike. */
const idOf = ({ object_id }: Entry): string =>
  object_id === null ? "" : object_id.length > 12 ? object_id.slice(-8) : object_id;

/** What an entry is about: an entry without a name is called as in the other entries, or by its id. */
export function subjectOf(entry: Entry, names: ReadonlyMap<string, string>): string {
  const { object, object_id, db_id } = entry;
  const name = nameOf(entry) ?? names.get(keyOf(object, object_id)) ?? idOf(entry);
  return object === "record" && db_id !== null
    ? `${name} of ${names.get(keyOf("db", db_id)) ?? `database ${db_id}`}`
    : name;
}

/** A stored value on one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "string") return value === "" ? "empty" : value;
  return JSON.stringify(value);
}

/** The fields that an entry has, in the order of their names. */
export const fieldsOf = ({ before, after }: Entry): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();

const ADDRESSES: Record<string, (id: string) => string> = {
  app: (id) => `/apps/${id}`,
  user_setting: (id) => `/people?person=${id}`,
  department: (id) => `/departments/${id}`,
  team: (id) => `/people?tab=teams&entry=${id}`,
  group: (id) => `/people?tab=groups&entry=${id}`,
  mailbox: (id) => `/people?tab=mailboxes&entry=${id}`,
};

/** Where the object is shown, if it still exists. */
export const addressOf = ({ object, object_id, action }: Entry): string | undefined =>
  object_id === null || action === "delete" ? undefined : ADDRESSES[object]?.(object_id);
