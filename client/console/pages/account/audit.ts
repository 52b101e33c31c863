/** Words of the audit log. */
import type { api } from "../../api.ts";

export type Entry = Awaited<ReturnType<typeof api.audit.list.query>>[number];

export const OBJECTS: Record<string, string> = {
  account: "account",
  agent_confirmation: "agent's question",
  app: "app",
  connector: "connector",
  cron: "trigger",
  dashboard: "board",
  db: "database",
  department: "department",
  embedding_key: "embedding key",
  flow: "flow",
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
};

export const ACTIONS: Record<string, string> = {
  create: "created",
  update: "changed",
  delete: "deleted",
  batch: "changed several of",
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

/** How the object is called in what was stored. */
export const nameOf = ({ before, after }: Entry): string | undefined =>
  textOf(after?.name) ?? textOf(before?.name) ?? textOf(after?.email) ?? textOf(before?.email) ?? textOf(after?.login);

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
