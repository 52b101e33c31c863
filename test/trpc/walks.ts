/** Calls every procedure of the router through the typed client. */
import assert from "node:assert/strict";
import type { Client } from "../../client/mod.ts";
import { ADMIN_PASSWORD } from "../stage/harness.ts";
import { dataWalks } from "./data_walks.ts";
import { refusalOf } from "./refusal.ts";

/** The first bytes of a PNG, then every byte value, so that any conversion of the bytes to text and back shows. */
export const LOGO = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...Array(256).keys(), 13, 10, 45, 45]);
export const logoFile = (bytes = LOGO) => new File([bytes], 'zażółć "logo".png', { type: "image/png" });

export const SOURCE = "document.title = 'one';\n";

/** Calls every procedure, by domain. */
export const walks: Record<string, (client: Client) => Promise<void>> = {
  async departments({ departments }) {
    const first = await departments.create.mutate({ department: { name: "Sales", shortcut: "SAL" } });
    assert.deepEqual([first.name, first.main, first.logo_url, first.user_setting_ids], ["Sales", true, null, []]);
    const second = await departments.create.mutate({ department: { name: "Support", user_setting_ids: [1] } });
    assert.deepEqual(second.user_setting_ids, [1]);
    assert.deepEqual((await departments.list.query({ sort: "-name" })).map(({ id }) => id), [second.id, first.id]);
    assert.deepEqual((await departments.list.query({ per_page: 1, page: 2 })).map(({ id }) => id), [second.id]);
    assert.deepEqual(await departments.find.query({ id: second.id }), second);
    assert.equal((await departments.usage.query({ id: second.id })).users, second.user_setting_ids.length);
    const changed = await departments.update.mutate({ id: first.id, department: { phone: "1", lock_version: 0 } });
    assert.deepEqual([changed.phone, changed.name, changed.lock_version], ["1", "Sales", 1]);
    assert.equal((await departments.set_as_main.mutate({ id: second.id })).main, true);
    assert.equal(await departments.delete.mutate({ id: second.id }), undefined);
    assert.equal((await departments.find.query({ id: first.id })).main, true);
  },

  async account({ account }) {
    assert.equal((await account.limits.query()).rates.length, 8);
    assert.equal((await account.about.query()).release, (await account.me.query()).release);
    const { departments } = await account.find.query();
    assert.equal(departments.mode, "restricted");
    const changed = await account.update.mutate({ account: { name: "Acme", departments: { mode: "open" } } });
    assert.deepEqual([changed.name, changed.departments.mode], ["Acme", "open"]);
  },

  async access({ access, dbs }) {
    const { code } = await dbs.create.mutate({ db: { name: "Seen", schema: { fields: { title: "string" } } } });
    const [seen] = await access.list.query({ type: "db", id: code });
    assert.deepEqual([seen?.user?.login, seen?.sees, seen?.changes, seen?.rule], ["admin", true, true, "admin"]);
    const [, counted] = await access.counts.query({});
    assert.deepEqual([counted?.type, counted?.visible], ["db", 1]);
    await dbs.delete.mutate({ db_code: code });
  },

  async audit({ audit, departments }) {
    const { id } = await departments.create.mutate({ department: { name: "Noted" } });
    const [entry] = await audit.list.query({ object: "department" });
    assert.deepEqual([entry?.action, entry?.object_id, entry?.via], ["create", `${id}`, "token"]);
    await departments.delete.mutate({ id });
  },

  async archive({ archive, departments }) {
    const value = { name: "Pushed" };
    const { changes } = await archive.push.mutate({
      archive: { things: [{ kind: "department", key: "pushed", value }] },
    });
    assert.deepEqual(changes.map(({ action, key }) => [action, key]), [["create", "pushed"]]);
    const pushed = (await archive.list.query({ kind: "department" })).find(({ key }) => key === "pushed");
    assert.deepEqual(pushed?.value, value);
    const { id } = (await departments.list.query({ q: "Pushed" }))[0] ?? assert.fail();
    await departments.delete.mutate({ id });
  },

  async operations({ operations }) {
    const { processes, database } = await operations.find.query({});
    assert.ok(processes.length > 0 && database && database.bytes > 0);
    assert.equal((await operations.find.query({ database: false })).database, null);
  },

  async overview({ overview }) {
    assert.deepEqual(await overview.problems.query({}), []);
    assert.equal((await overview.activity.query()).started.length, 96);
    assert.ok(((await overview.counts.query()).user_settings ?? 0) > 0);
  },

  async directory({ teams, groups, mailboxes }) {
    for (const [directory, key] of [[teams, "team"], [groups, "group"]] as const) {
      await walkEntries(directory, key);
    }
    const box = await mailboxes.create.mutate({ mailbox: { name: "Info", email: "info@example.com" } });
    const renamed = await mailboxes.update.mutate({ id: box.id, mailbox: { email: null } });
    assert.deepEqual([renamed.name, renamed.email], ["Info", null]);
    assert.deepEqual((await mailboxes.list.query({})).map(({ id }) => id), [box.id]);
    await mailboxes.delete.mutate({ id: box.id });
    assert.deepEqual(await mailboxes.list.query({}), []);
  },

  async user_settings({ user_settings }) {
    const ada = await user_settings.create.mutate({ user_setting: { email: "ada@example.com", role: "manager" } });
    assert.deepEqual([ada.login, ada.without_department, ada.active], ["ada@example.com", true, true]);
    const changed = await user_settings.update.mutate({ id: ada.id, user_setting: { without_department: false } });
    assert.deepEqual(await user_settings.find.query({ id: ada.id }), changed);
    assert.deepEqual((await user_settings.list.query({ role: "manager" })).map(({ id }) => id), [ada.id]);
    assert.deepEqual(await user_settings.list.query({ active: false }), []);
    await user_settings.delete.mutate({ id: ada.id });
  },

  async passwords({ passwords }) {
    const change = { current: ADMIN_PASSWORD, new: "a new password of the tests" };
    const refusal = await refusalOf(passwords.change.mutate({ password: change }));
    assert.equal(refusal.httpStatus, 403, "a token may not");
  },

  async invitations({ invitations, user_settings }) {
    const invitation = await invitations.create.mutate({ invitation: { email: "invited@example.com" } });
    assert.deepEqual([invitation.name, invitation.role, invitation.mail], ["invited@example.com", "user", "off"]);
    assert.deepEqual((await invitations.list.query({})).map(({ id }) => id), [invitation.id]);
    const renewed = await invitations.renew.mutate({ id: invitation.id });
    assert.notEqual(renewed.url, invitation.url);
    assert.equal(await invitations.delete.mutate({ id: renewed.id }), undefined);
    assert.match((await user_settings.reset_password.mutate({ id: 1 })).url ?? "", /password_reset/);
  },

  async sessions({ sessions, account }) {
    const me = await account.me.query();
    assert.deepEqual([me.user.login, me.user.role, me.session_id, me.account.id], ["admin", "admin", null, 1]);
    const first = await sessions.create.mutate({ session: { login: "admin", password: ADMIN_PASSWORD } });
    assert.deepEqual(first.user, me.user);
    const second = await sessions.create.mutate({ session: { login: "admin@localhost", password: ADMIN_PASSWORD } });
    const listed = await sessions.list.query({});
    assert.deepEqual(listed.map(({ id, current }) => [id, current]), [[second.session_id, false], [
      first.session_id,
      false,
    ]]);
    await sessions.delete.mutate({ id: first.session_id ?? 0 });
    await sessions.delete_others.mutate();
    assert.deepEqual(await sessions.list.query({}), []);
    // Without a cookie there is nothing to end.
    assert.equal(await sessions.end.mutate(), undefined);
  },

  async passkeys({ passkeys }) {
    assert.deepEqual(await passkeys.list.query({}), []);
    const { challenge, rpId } = await passkeys.sign_in_options.mutate();
    assert.deepEqual([challenge.length, rpId], [43, "atrium.test"]);
    const needs_session = { base: ["A passkey can only be added in a session, not with a token"] };
    assert.deepEqual((await refusalOf(passkeys.options.mutate())).body, needs_session);
    const credential = { id: "AA", rawId: "AA", type: "public-key" as const };
    const created = { ...credential, response: { clientDataJSON: "AA", attestationObject: "AA" } };
    assert.deepEqual((await refusalOf(passkeys.create.mutate({ passkey: { response: created } }))).body, needs_session);
    const signed = { ...credential, response: { clientDataJSON: "AA", authenticatorData: "AA", signature: "AA" } };
    assert.equal((await refusalOf(passkeys.sign_in.mutate({ passkey: { response: signed } }))).httpStatus, 401);
    assert.equal((await refusalOf(passkeys.update.mutate({ id: 1, passkey: { name: "x" } }))).httpStatus, 404);
    assert.equal((await refusalOf(passkeys.delete.mutate({ id: 1 }))).httpStatus, 404);
  },

  async identities({ identities }) {
    assert.deepEqual(await identities.list.query({}), []);
    assert.equal((await refusalOf(identities.delete.mutate({ id: 1 }))).httpStatus, 404);
  },

  async tokens({ tokens }) {
    const made = await tokens.create.mutate({ token: { name: "Reader", scopes: ["apps:read"] } });
    assert.match(made.token, /^atr_[0-9A-Za-z]{43}$/);
    const listed = (await tokens.list.query({})).find(({ id }) => id === made.id);
    assert.deepEqual([listed?.name, listed?.scopes, Object.keys(listed ?? {}).includes("token")], [
      "Reader",
      ["apps:read"],
      false,
    ]);
    await tokens.delete.mutate({ id: made.id });
  },

  async embeds({ apps, embeds, dashboards, embedding }) {
    const app = {
      name: "Tile",
      app_engine: "js",
      source_code: SOURCE,
      show_in_module: "crm",
      dashboard_widget: true,
    } as const;
    const { id } = await apps.create.mutate({ app });
    assert.deepEqual(await embeds.targets.query({}), [{ target: "crm", apps: 1 }]);
    assert.deepEqual((await embeds.list.query({ target: "crm" })).map(({ title }) => title), ["Tile"]);
    assert.deepEqual((await embeds.open.mutate({ app: id })).apps, await embeds.list.query({ target: "crm" }));
    assert.equal((await refusalOf(embeds.renew.mutate({ app: id, viewer: "x" }))).httpStatus, 401);

    const dashboard = { tiles: [{ app_id: id, x: 0, y: 0, w: 6, h: 4 }] };
    assert.equal((await dashboards.put_default.mutate({ dashboard })).tiles[0]?.title, "Tile");
    assert.equal((await dashboards.find.query()).is_default, true);
    assert.equal((await dashboards.put.mutate({ dashboard })).is_default, false);
    await dashboards.delete.mutate();
    assert.deepEqual(await dashboards.find_default.query(), await dashboards.find.query());

    assert.match((await apps.preview.mutate({ app: { id, source_code: SOURCE } })).url, /^\/previews\//);
    const draft = { source_code: "1", base_lock_version: 0, revision: 1 };
    assert.equal((await apps.drafts.put.mutate({ id, draft })).app_id, id);
    assert.equal((await apps.drafts.find.query({ id })).source_code, "1");
    assert.deepEqual((await apps.drafts.list.query({})).map(({ name }) => name), ["Tile"]);
    await apps.drafts.delete.mutate({ id, revision: 1 });
    assert.deepEqual(await apps.openings.list.query({ ids: id }), [await apps.openings.find.query({ id })]);

    const hosts = ["https://crm.example.com"];
    assert.deepEqual((await embedding.update.mutate({ embedding: { hosts } })).hosts, hosts);
    assert.equal((await embedding.find.query()).unknown_users, "refuse");
    const key = await embedding.create.mutate({ key: { name: "CRM" } });
    assert.deepEqual((await embedding.list_keys.query({})).map(({ kid }) => kid), [key.kid]);
    await embedding.delete.mutate({ id: key.id });
    await apps.delete.mutate({ id });
  },

  async apps({ apps, flows }) {
    const app = await apps.create.mutate({
      app: {
        name: "Counter",
        url_code: "Mój Licznik",
        app_engine: "js",
        source_code: SOURCE,
        fields: { deep: [1, null] },
      },
    });
    assert.deepEqual([app.url_code, app.css_engine, app.fields], ["moj-licznik", "tailwind_all", { deep: [1, null] }]);
    const [listed] = await apps.list.query({ q: "count", app_engine: "js", public: false, active: true });
    assert.deepEqual([listed?.id, Object.keys(listed ?? {}).includes("source_code")], [app.id, false]);
    assert.deepEqual(await apps.find.query({ id: app.id }), app);
    const named = await apps.update.mutate({ id: app.id, app: { name: "Clicker", lock_version: app.lock_version } });
    assert.deepEqual([named.name, named.source_code], ["Clicker", SOURCE]);
    const edited = await apps.replace.mutate({ id: app.id, field: "source_code", old: "one", new: "two" });
    assert.equal(edited.source_code, SOURCE.replace("one", "two"));
    const [{ version } = { version: 0 }] = await apps.versions.query({ id: app.id });
    assert.equal((await apps.version.query({ id: app.id, version })).source_code, SOURCE);
    assert.equal((await apps.restore.mutate({ id: app.id, version })).source_code, SOURCE);
    const { code } = await flows.create.mutate({ flow: { name: "Acted" } });
    const actions = [{ action: "go", flow_code: code }];
    await apps.update.mutate({ id: app.id, app: { actions } });
    const called = await apps.call_action.mutate({ id: app.id, action_name: "go", params: { n: 1 } });
    assert.deepEqual([called.status, called.data], ["finished", null]);
    const { flow_process_id } = called;
    assert.deepEqual(await apps.action_status.query({ id: app.id, action_name: "go", flow_process_id }), called);
    assert.equal(await apps.delete.mutate({ id: app.id }), undefined);
  },

  async connectors({ connectors }) {
    const methods = { latest: { method: "GET" as const, path: "/rates/{base}", query: { n: "{n}" }, public: true } };
    const { id, ...made } = await connectors.create.mutate({
      connector: { name: "Fx rates", url: "http://127.0.0.1:1/v1", secret_token: "sk_live_1", fields: { methods } },
    });
    assert.deepEqual([made.code, made.has_secret_token, made.fields], ["fx_rates", true, { methods }]);
    const tried = await connectors.test.mutate({ id, method: "latest", params: { base: "EUR", n: 1 } });
    assert.deepEqual([tried.ok, tried.status, tried.error?.kind], [false, null, "refused"]);
    const health = await connectors.health.find.query({ id, hours: 2 });
    assert.deepEqual([health.connector_id, health.calls.length], [id, 2]);
    assert.equal((await connectors.health.list.query({ ids: `${id}` }))[0]?.calls.length, 24);
    const changed = await connectors.update.mutate({ id, connector: { secret_token: null, lock_version: 0 } });
    assert.deepEqual([changed.has_secret_token, changed.lock_version], [false, 1]);
    assert.deepEqual(await connectors.find.query({ id }), changed);
    const { used_by, ...listed } = changed;
    assert.deepEqual([await connectors.list.query({ q: "RATES" }), used_by], [[listed], []]);
    assert.equal(await connectors.delete.mutate({ id }), undefined);
  },

  async flows({ flows }) {
    const program = [{ type: "mutation", set: { a: "{input.a}" } }, { type: "return", data: { got: "{a}" } }];
    const { id, ...made } = await flows.create.mutate({ flow: { name: "Give back", fields: { program } } });
    assert.deepEqual([made.code, made.version, made.fields, made.warnings], ["give_back", 1, { program }, {}]);
    const ran = await flows.run.mutate({ id, input: { a: [1] } });
    assert.deepEqual([ran.status, ran.data, ran.error], ["finished", { got: [1] }, undefined]);
    const changed = await flows.update.mutate({
      id,
      flow: { fields: { program: [] }, active: false, lock_version: 0 },
    });
    assert.deepEqual([changed.version, changed.active, changed.lock_version], [2, false, 1]);
    assert.deepEqual(await flows.find.query({ id }), changed);
    const {
      fields: _fields,
      warnings: _warnings,
      used_by: _used_by,
      input: _input,
      output: _output,
      has_draft: _draft,
      ...listed
    } = changed;
    assert.deepEqual(await flows.list.query({ q: "GIVE", active: false }), [listed]);
    const [seen] = await flows.activity.query({ ids: `${id}` });
    assert.deepEqual([seen?.flow_id, seen?.runs.map(({ status }) => status), seen?.used_by], [id, ["finished"], []]);
    assert.ok((await flows.step_types.query()).some(({ type }) => type === "mutation"));
    const draft = { program_text: "[", base_lock_version: 1, revision: 1 };
    assert.equal((await flows.drafts.put.mutate({ id, draft })).flow_id, id);
    assert.equal((await flows.drafts.find.query({ id })).program_text, "[");
    await flows.drafts.delete.mutate({ id, revision: 1 });
    assert.equal(await flows.delete.mutate({ id }), undefined);
  },

  async flow_versions({ flows }) {
    const program = [{ type: "return", id: "end", data: { got: "{input.a}" } }];
    const { id } = await flows.create.mutate({ flow: { name: "Kept", fields: { program } } });
    await flows.update.mutate({ id, flow: { fields: { program: [] } } });
    assert.deepEqual((await flows.versions.query({ id })).map(({ version }) => version), [1]);
    assert.deepEqual((await flows.version.query({ id, version: 1 })).program, program);
    const { before, after } = await flows.version_diff.query({ id, version: 1 });
    assert.deepEqual([before.program, after.program], [program, []]);
    const restored = await flows.restore.mutate({ id, version: 1 });
    assert.deepEqual([restored.fields, restored.version], [{ program }, 3]);

    assert.deepEqual((await flows.check.mutate({ id })).errors, {});
    const tested = await flows.test_step.mutate({ id, step: "end", values: { input: { a: 1 } } });
    assert.equal(tested.status, "finished");
    const { flow_process_id: run_id } = await flows.run.mutate({ id, input: { a: 1 } });
    const example = await flows.examples.create.mutate({ id, run_id });
    const named = await flows.examples.update.mutate({ id, example_id: example.id, name: "One" });
    assert.deepEqual(await flows.examples.list.query({ id }), [named]);
    assert.equal((await flows.examples.check.mutate({ id })).ok, true);
    assert.equal((await flows.examples.check.mutate({ id, program: [] })).ok, false);
    assert.equal(await flows.examples.delete.mutate({ id, example_id: example.id }), undefined);
    await flows.delete.mutate({ id });
  },

  async approvals({ approvals }) {
    assert.deepEqual(await approvals.list.query({}), []);
    const id = "01a20412-da8d-7088-b6a7-cc06ba45f1df";
    assert.deepEqual(await approvals.asked.query({ flow_process_id: id }), []);
    assert.equal((await refusalOf(approvals.answer.mutate({ id, choice: "approve" }))).httpStatus, 404);
  },

  async agents({ agents }) {
    assert.deepEqual([await agents.list.query({}), await agents.confirmations.list.query({})], [[], []]);
    const id = "01a20412-da8d-7088-b6a7-cc06ba45f1df";
    assert.equal((await refusalOf(agents.changes.query({ id }))).httpStatus, 404);
    assert.equal((await refusalOf(agents.undo.mutate({ id }))).httpStatus, 404);
    assert.equal((await refusalOf(agents.confirmations.answer.mutate({ id, accept: true }))).httpStatus, 404);
  },

  async flow_processes({ flow_processes, flows }) {
    const flow = await flows.create.mutate({ flow: { name: "Inspected" } });
    const { flow_process_id: id } = await flows.run.mutate({ id: flow.id });
    const run = await flow_processes.find.query({ id });
    assert.deepEqual([run.status, run.trigger, run.steps, run.data], ["finished", "manual", [], null]);
    assert.deepEqual((await flow_processes.program.query({ id })).program, []);
    const again = await flow_processes.retry.mutate({ id });
    assert.deepEqual([again.retry_of, again.status], [id, "finished"]);
    const days = await flow_processes.outcomes.query({ flow_code: flow.code });
    assert.deepEqual([days.length, days.at(-1)?.finished], [31, 2]);
    const listed = await flow_processes.list.query({ flow_code: flow.code });
    assert.deepEqual(listed.map(({ id }) => id), [again.id, id]);
    assert.equal((await refusalOf(flow_processes.cancel.mutate({ id }))).code, "CONFLICT");
    const many = await flow_processes.retries.create.mutate({ retry: { flow_code: flow.code } });
    assert.equal((await flow_processes.retries.find.query({ id: many.id })).total, 0);
    assert.equal((await flow_processes.retries.cancel.mutate({ id: many.id })).id, many.id);
  },

  async crons({ flows, crons }) {
    await flows.create.mutate({ flow: { name: "Woken" } });
    const cron = await crons.create.mutate({ cron: { target_code: "woken", schedule: "0 9 * * MON-FRI" } });
    assert.deepEqual([cron.sentence, cron.timezone, cron.next_times.length], [
      "At 09:00, Monday through Friday",
      "UTC",
      5,
    ]);
    const changed = await crons.update.mutate({ id: cron.id, cron: { active: false, lock_version: 0 } });
    assert.deepEqual([changed.active, changed.next_run_at, changed.next_times], [false, null, []]);
    assert.deepEqual((await crons.list.query({ active: false })).map(({ id }) => id), [cron.id]);
    assert.equal((await crons.resume.mutate({ id: cron.id })).next_run_at, cron.next_run_at);
    const { flow_process_id } = await crons.fire.mutate({ id: cron.id });
    const [run] = await crons.runs.query({ id: cron.id });
    assert.deepEqual([run?.flow_process_id, run?.by_hand, run?.state], [flow_process_id, true, "ran"]);
    assert.equal((await crons.find.query({ id: cron.id })).lock_version, 2);
    assert.deepEqual((await crons.days.query({ id: cron.id })).length, 91);
    const [latest] = await crons.slots.query({ ids: String(cron.id) });
    assert.deepEqual([latest?.cron_id, latest?.slots.length, latest?.next_times.length], [cron.id, 0, 5]);
    const read = await crons.read_schedule.query({ schedule: "0 9 * * *", timezone: "Europe/Warsaw" });
    assert.deepEqual([read.sentence, read.next_times.length], ["At 09:00", 10]);
    assert.equal(await crons.delete.mutate({ id: cron.id }), undefined);
    const hook = await crons.create.mutate({ cron: { target_code: "woken", kind: "webhook" } });
    assert.notEqual((await crons.rotate_address.mutate({ id: hook.id })).webhook_url, hook.webhook_url);
    await crons.delete.mutate({ id: hook.id });
  },

  ...dataWalks,
};

async function walkEntries(directory: Client["teams"] | Client["groups"], key: "team" | "group"): Promise<void> {
  // The two routers differ only in the name of the wrapping key. TypeScript cannot express that as a union.
  const { create, update, list, delete: remove } = directory as Client["teams"];
  const wrapped = (name: string) => ({ [key]: { name } }) as { team: { name: string } };
  const entry = await create.mutate(wrapped("Early"));
  assert.equal((await update.mutate({ id: entry.id, ...wrapped("Late") })).name, "Late");
  assert.deepEqual((await list.query({ sort: "name" })).map(({ name }) => name), ["Late"]);
  await remove.mutate({ id: entry.id });
  assert.deepEqual(await list.query({}), []);
}
