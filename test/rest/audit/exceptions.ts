/** What writes no row of the audit log, and why. */

const RUN = "a run is kept as a flow process, with its caller";

/** Routes whose success changes nothing that is audited, and why. */
export const NO_CHANGES: Record<string, string> = {
  "apps.call_action": RUN,
  assist_app: "the assistant proposes changes, and stores nothing",
  "apps.preview": "a preview ends after ten minutes and changes no app",
  "flows.run": RUN,
  "flows.check": "reads",
  "flows.examples.check": "reads",
  "flow_processes.cancel": RUN,
  "flow_processes.retry": RUN,
  "crons.fire": RUN,
  "embeds.open": "reads",
  "embeds.renew": "signs a token, which is kept nowhere",
  open_embedded_app: "signs a token; a guest that it creates is a row of the server's",
  "apps.drafts.put": "a user's own typing; what is published is a change of the app",
  "apps.drafts.delete": "a user's own typing",
  "connectors.test": "a request to another service",
  "passkeys.options": "a challenge",
  "passkeys.sign_in_options": "a challenge",
  "records.public.list": "reads",
};

/** Tables without triggers of the audit log, and why. */
export const UNAUDITED_TABLES: Record<string, string> = {
  audit_entries: "the log itself",
  records: "the record store writes their rows, in the statement of the write",
  record_changes: "the feed of records",
  db_feeds: "the feed of records",
  db_tables: "follows the schema of its database",
  reindexings: "the progress of a change of a schema",
  public_writes: "counts",
  user_activity: "follows sessions and tokens",
  sign_in_attempts: "counts",
  sign_in_challenges: "last minutes",
  readiness: "a probe",
  kv_identity: "made by the server",
  migrations: "made by the server",
  logos: "files, which departments name",
  vendor_files: "files of runtimes",
  used_codes: "follows apps and flows",
  app_entry_codes: "codes of redirections, which end after half a minute",
  app_openings: "counts",
  connector_tokens: "tokens that the server requests by itself",
  connector_paces: "when a connector may be called next",
  app_previews: "compiled sources that nobody has saved, for ten minutes",
  app_drafts: "a user's own typing; what is published is a change of the app",
  app_versions: "the state before a change of an app, which is audited",
  flow_versions: "follows flows",
  flow_processes: RUN,
  flow_values: RUN,
  flow_effects: RUN,
  flow_claims: RUN,
  flow_waits: RUN,
  cron_runs: RUN,
};
