/** What a flow reaches, and who may wire it: it acts in the account's name. */
import assert from "node:assert/strict";
import { addPerson, made } from "../../stage/people.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const FLOWS = "/connect/flows.json";
const at = (id: number, rest = "") => `/connect/flows/${id}${rest}.json`;
const create = async (ask: Ask, flow: Record<string, unknown>) => made(await ask("POST", FLOWS, { json: { flow } }));

inAccount(
  "flows: a program, an action and a repetition reach what their author sees, and no more",
  async ({ ask, play }) => {
    const department = async (name: string): Promise<number> =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
    const [own, other] = [await department("Ours"), await department("Theirs")];
    const theirs = { department_id: other };
    await ask("POST", "/platform/dbs.json", {
      json: { db: { name: "Pay", code: "pay", schema: { fields: { n: "integer" } }, ...theirs } },
    });
    await ask("POST", "/connect/connectors.json", {
      json: { connector: { name: "Bank", code: "bank", url: "https://api.example.com", ...theirs } },
    });
    const secret = await create(ask, { name: "Secret", code: "secret", ...theirs });
    const manager = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
    const user = await addPerson(ask, "user", { department_ids: [own], without_department: false });
    const prying = [
      { type: "if", condition: "{input.x} == 1", then: [{ type: "record", action: "list", db_code: "pay" }] },
      { type: "connector", connector_code: "bank", method: "x" },
      { type: "connector", connector_code: "not_there", method: "x" },
    ];
    const wired = await create(ask, { name: "Wired", department_id: own, fields: { program: prying } });
    const app = { name: "Caller", app_engine: "js", source_code: "1", department_id: own };
    const action = (flow_code: string) => ({ action: flow_code, flow_code });
    await play([
      {
        name: "a new program",
        method: "POST",
        path: FLOWS,
        sent: {
          token: manager.token,
          json: { flow: { name: "Prying", department_id: own, fields: { program: prying } } },
        },
        status: 422,
        body: {
          "fields.program.0.then.0.db_code": /^must exist$/,
          "fields.program.1.connector_code": /^must exist$/,
          "fields.program.2.connector_code": /^must exist$/,
        },
      },
      {
        name: "a changed program, wired by another user",
        method: "PATCH",
        path: at(wired.id),
        sent: {
          token: manager.token,
          json: { flow: { fields: { program: [...prying, { type: "return", data: 1 }] } } },
        },
        status: 422,
        body: {
          "fields.program.0.then.0.db_code": /^must exist$/,
          "fields.program.1.connector_code": /^must exist$/,
          "fields.program.2.connector_code": /^must exist$/,
        },
      },
      {
        name: "the same as it was, with another name",
        method: "PATCH",
        path: at(wired.id),
        sent: { token: manager.token, json: { flow: { name: "Wired by others", fields: { program: prying } } } },
        status: 200,
        body: {
          // What is hidden is not there.
          warnings: {
            "fields.program.0.then.0.db_code": /which is not there$/,
            "fields.program.1.connector_code": /which is not there$/,
            "fields.program.2.connector_code": /which is not there$/,
          },
        },
      },
      {
        name: "an action",
        method: "POST",
        path: "/platform/apps.json",
        sent: { token: manager.token, json: { app: { ...app, actions: [action("later"), action("secret")] } } },
        status: 422,
        body: { "actions.0.flow_code": /^must exist$/, "actions.1.flow_code": /^must exist$/ },
      },
      {
        name: "an action whose flow is not there yet, of an author who sees everything",
        method: "POST",
        path: "/platform/apps.json",
        sent: { json: { app: { ...app, actions: [action("later")] } } },
        status: 201,
      },
      {
        name: "a program beside its fields",
        method: "POST",
        path: FLOWS,
        sent: { json: { flow: { name: "Misplaced", program: [] } } },
        status: 422,
        body: { program: /^belongs into fields$/ },
      },
    ]);
    const built = made(
      await ask("POST", "/platform/apps.json", {
        json: { app: { ...app, name: "Built", actions: [{ ...action("secret"), public: true }, action("wired")] } },
      }),
    );
    const change = async (app: Record<string, unknown>, sent: { token?: string } = { token: manager.token }) => {
      const { status, body } = await ask("PATCH", `/platform/apps/${built.id}.json`, { ...sent, json: { app } });
      return status === 200 ? 200 : body;
    };
    const [first_action, ...others] = built.actions;
    const refused = { "actions.0.flow_code": ["must exist"] };
    assert.equal(await change({ actions: built.actions, name: "Rebuilt" }), 200, "as they are");
    assert.equal(await change({ actions: [first_action, { ...others[0], description: "Seen" }] }), 200);
    assert.deepEqual(await change({ actions: [{ ...first_action, action: "renamed" }] }), refused);
    assert.deepEqual(await change({ actions: [{ ...first_action, public: false }] }), refused);
    assert.deepEqual(await change({ public: true }), refused, "an app that opens opens its public actions");
    assert.equal(await change({ public: true, actions: others }), 200);
    assert.equal(await change({ public: true, actions: built.actions }, {}), 200, "an admin sees all");
    const who = await create(ask, {
      name: "Who",
      department_id: own,
      fields: { program: [{ type: "return", data: "{user.role}" }] },
    });
    const first = await ask("POST", at(who.id, "/run"), { json: {} });
    assert.equal(first.body.data, "admin");
    const retry = `/connect/flow_processes/${first.body.flow_process_id}/retry.json`;
    const again = made(await ask("POST", retry, { token: user.token }));
    assert.deepEqual([again.data, again.user_id], ["user", user.id], "it is theirs now");
    await ask("PATCH", at(who.id), { json: { flow: theirs } });
    const hidden = await ask("POST", retry, { token: user.token });
    assert.deepEqual([hidden.status, hidden.body], [422, { flow_code: ["does not exist"] }]);
    assert.equal((await ask("GET", "/connect/flow_processes.json?flow_code=who")).body.length, 2);
    assert.equal((await ask("GET", at(secret.id), { token: manager.token })).status, 404);
  },
);
