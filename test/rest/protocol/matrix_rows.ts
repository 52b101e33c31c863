/**
 * What each route that names an object does to it, for `matrix_test.ts`: the object's kind, the weakest role that may call
 * the route, and its scope.
 */
import { NO_UUID } from "../../stage/addresses.ts";
import type { Sent } from "../../stage/harness.ts";
import type { Role } from "../../stage/people.ts";

export type Kind = "app" | "db" | "connector" | "flow" | "run" | "cron" | "record";

/** What a route does to the object that its path names. */
export interface Expected {
  kind: Kind;
  /** The weakest role that may call it. */
  role: Role;
  scope: string;
  sent?: Sent;
  /** The call deletes the object, so each call has an object of its own. */
  deletes?: boolean;
  /** A stream without end is asked for its headers. */
  as_head?: boolean;
  /** The pages of apps may call it. */
  by_page?: boolean;
}

const json = (json: unknown): Sent => ({ json });
const row = (kind: Kind, role: Role, scope: string, more: Partial<Expected> = {}): Expected => ({
  kind,
  role,
  scope,
  ...more,
});
const changed = (wrapper: string) => ({ sent: json({ [wrapper]: {} }) });
const file = (type: string, raw: string) => ({ sent: { raw, headers: { "content-type": type } } });

/** Routes on objects with a department. */
export const ON_OBJECTS: Record<string, Expected> = {
  "apps.find": row("app", "user", "apps:read"),
  "apps.update": row("app", "manager", "apps:write", changed("app")),
  "apps.delete": row("app", "manager", "apps:write", { deletes: true }),
  "apps.replace": row("app", "manager", "apps:write", {
    sent: json({ field: "source_code", old: "<p>", new: "<p>" }),
  }),
  "apps.versions": row("app", "user", "apps:read"),
  "apps.version": row("app", "user", "apps:read"),
  "apps.restore": row("app", "manager", "apps:write"),
  "dbs.find": row("db", "user", "dbs:read"),
  "dbs.update": row("db", "manager", "dbs:write", changed("db")),
  "dbs.delete": row("db", "manager", "dbs:write", { deletes: true }),
  "dbs.mentions": row("db", "user", "dbs:read"),
  "dbs.uses": row("db", "user", "dbs:read"),
  "dbs.views.list": row("db", "user", "dbs:read"),
  "dbs.views.find": row("db", "user", "dbs:read"),
  "dbs.views.create": row("db", "user", "dbs:write", { sent: json({ view: { name: "Open", sort: "none" } }) }),
  "dbs.views.update": row("db", "user", "dbs:write", changed("view")),
  "dbs.views.delete": row("db", "user", "dbs:write", { deletes: true }),
  "records.list": row("db", "user", "records:read"),
  "records.search": row("db", "user", "records:read"),
  "records.marks": row("db", "user", "records:read"),
  "records.create": row("db", "user", "records:write", { sent: json({ record: { data: { n: "wrong" } } }) }),
  "records.batch": row("db", "user", "records:write", {
    sent: json({ operations: [{ action: "delete", id: NO_UUID }] }),
  }),
  "records.try_public": row("db", "user", "records:write", {
    sent: json({ visitor: NO_UUID, method: "list" }),
  }),
  "records.find": row("record", "user", "records:read"),
  "records.history": row("record", "user", "records:read"),
  "records.update": row("record", "user", "records:write", { sent: json({ record: { data: {} } }) }),
  "records.delete": row("record", "user", "records:write", { deletes: true }),
  "apps.openings.find": row("app", "user", "apps:read"),
  assist_app: row("app", "manager", "apps:write", { sent: json({}) }),
  "apps.drafts.find": row("app", "manager", "apps:read"),
  "apps.drafts.put": row("app", "manager", "apps:write", {
    sent: json({ draft: { source_code: "", base_lock_version: 0, revision: 0 } }),
  }),
  "apps.drafts.delete": row("app", "manager", "apps:write"),
  "connectors.find": row("connector", "user", "connectors:read"),
  "connectors.update": row("connector", "manager", "connectors:write", changed("connector")),
  "connectors.delete": row("connector", "manager", "connectors:write", { deletes: true }),
  "connectors.test": row("connector", "manager", "connectors:write", { sent: json({ method: "none" }) }),
  "connectors.health.find": row("connector", "user", "connectors:read"),
  "flows.find": row("flow", "user", "flows:read"),
  "flows.update": row("flow", "manager", "flows:write", changed("flow")),
  "flows.delete": row("flow", "manager", "flows:write", { deletes: true }),
  "flows.run": row("flow", "user", "flows:write", { sent: json({}) }),
  "flows.drafts.find": row("flow", "manager", "flows:read"),
  "flows.drafts.put": row("flow", "manager", "flows:write", {
    sent: json({ draft: { program_text: "", base_lock_version: 0, revision: 0 } }),
  }),
  "flows.drafts.delete": row("flow", "manager", "flows:write"),
  "flows.check": row("flow", "manager", "flows:write", { sent: json({}) }),
  "flows.test_step": row("flow", "manager", "flows:write", { sent: json({ step: "none" }) }),
  "flows.examples.list": row("flow", "user", "flows:read"),
  "flows.examples.create": row("flow", "manager", "flows:write", { sent: json({ run_id: NO_UUID }) }),
  "flows.examples.check": row("flow", "manager", "flows:write", { sent: json({}) }),
  "flows.examples.update": row("flow", "manager", "flows:write", { sent: json({ name: "Renamed" }) }),
  "flows.examples.delete": row("flow", "manager", "flows:write", { deletes: true }),
  "flows.versions": row("flow", "user", "flows:read"),
  "flows.version": row("flow", "user", "flows:read"),
  "flows.version_diff": row("flow", "user", "flows:read"),
  "flows.restore": row("flow", "manager", "flows:write"),
  "flow_processes.find": row("run", "user", "flow_processes:read"),
  "flow_processes.program": row("run", "user", "flow_processes:read"),
  "flow_processes.cancel": row("run", "user", "flow_processes:write"),
  "flow_processes.retry": row("run", "user", "flow_processes:write", { sent: json({ from: "failed_step" }) }),
  "crons.find": row("cron", "user", "crons:read"),
  "crons.update": row("cron", "manager", "crons:write", changed("cron")),
  "crons.delete": row("cron", "manager", "crons:write", { deletes: true }),
  "crons.fire": row("cron", "manager", "crons:write"),
  "crons.resume": row("cron", "manager", "crons:write"),
  "crons.runs": row("cron", "user", "crons:read"),
  "crons.days": row("cron", "user", "crons:read"),
  record_changes: row("db", "user", "records:read", { as_head: true }),
  read_db_types: row("db", "user", "dbs:read"),
  export_csv: row("db", "user", "records:read"),
  export_ndjson: row("db", "user", "records:read"),
  import_csv: row("db", "user", "records:write", file("text/csv", "n\n")),
  import_ndjson: row("db", "user", "records:write", file("application/x-ndjson", "")),
};

/** Routes that also take callers without a login. The objects of this test are not public. */
export const FOR_CALLERS: Record<string, Expected> = {
  "apps.call_action": row("app", "guest", "apps:write", { sent: json({}) }),
  "apps.action_status": row("app", "guest", "apps:read"),
  "records.public.list": row("db", "guest", "records:read", { by_page: true, sent: json({}) }),
  "records.public.create": row("db", "guest", "records:write", { by_page: true, sent: json({ data: {} }) }),
  "records.public.update": row("db", "guest", "records:write", {
    by_page: true,
    sent: json({ id: NO_UUID, data: {} }),
  }),
  "records.public.delete": row("db", "guest", "records:write", { by_page: true, sent: json({ id: NO_UUID }) }),
  public_changes: row("db", "guest", "records:read", { as_head: true, by_page: true }),
  open_app: row("app", "guest", "apps:read"),
};

/** Routes on objects without a department, or that an address opens. Tests of their own compare them with missing ones. */
export const ELSEWHERE = new Set([
  ...["crons.rotate_address", "deliver_webhook"],
  ...["flow_processes.retries.find", "flow_processes.retries.cancel"],
  ...["find", "usage", "update", "set_as_main", "delete"].map((name) => `departments.${name}`),
  ...["read_department_footer", "read_department_text_footer"],
  ...[
    "user_settings.find",
    "user_settings.update",
    "user_settings.delete",
    "user_settings.reset_password",
    "tokens.delete",
    "invitations.renew",
    "invitations.delete",
    "sessions.delete",
  ],
  ...["passkeys.update", "passkeys.delete", "identities.delete", "approvals.answer"],
  // Of the caller's own agents: test/rest/agents/
  ...["agents.changes", "agents.undo", "agents.confirmations.answer"],
  ...["teams", "groups", "mailboxes"].flatMap((name) => [`${name}.update`, `${name}.delete`]),
  ...["embedding.delete", "open_embedded_app", "open_app_frame", "read_app_file", "read_logo", "read_vendor_file"],
  // One page for all addresses, whatever they name.
  ...[
    "app",
    "flow",
    "database",
    "database_part",
    "run",
    "trigger",
    "module",
    "department",
    "connector",
    "person",
    "docs_page",
  ]
    .map((page) => `open_console_${page}`),
  "read_console_file",
  // Opened by a key and for its maker: test/rest/apps/apps_preview_test.ts
  ...["open_preview", "read_preview_file"],
]);
