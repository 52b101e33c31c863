/** Assigning users and mailboxes to a department (`user_setting_ids`, `mailbox_ids`). */
import { addAccount, addPerson, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const at = (id: number | string) => `/account/departments/${id}.json`;
const json = (department: Record<string, unknown>) => ({ json: { department } });

inAccount("departments: assignments", async ({ server, ask, play }) => {
  const [ada, bob] = [await addPerson(ask, "user"), await addPerson(ask, "manager")];
  const mailboxes: number[] = [];
  await inTurn(["Info", "Office"], async (name) => {
    mailboxes.push(made(await ask("POST", "/account/mailboxes.json", { json: { mailbox: { name } } })).id);
  });
  const stranger = await addAccount(server);
  const foreign_box = made(
    await ask("POST", "/account/mailboxes.json", { json: { mailbox: { name: "Foreign" } }, token: stranger.token }),
  );
  const { id } = made(
    await ask("POST", ALL, json({ name: "Assigned", user_setting_ids: [ada.id, bob.id], mailbox_ids: mailboxes })),
  );
  const [info = 0, office = 0] = mailboxes;
  const update = (name: string, department: Record<string, unknown>, rest: Partial<Scenario>): Scenario => ({
    name,
    method: "PATCH",
    path: at(id),
    sent: json(department),
    status: 200,
    ...rest,
  });
  const kept = { user_setting_ids: [bob.id], mailbox_ids: [info, office], name: "Assigned" };
  await play([
    {
      name: "create: assigned",
      method: "GET",
      path: at(id),
      status: 200,
      body: { user_setting_ids: [ada.id, bob.id], mailbox_ids: mailboxes },
    },
    {
      name: "a user shows its departments",
      method: "GET",
      path: `/account/user_settings/${ada.id}.json`,
      status: 200,
      body: { department_ids: [id] },
    },
    update("users: sending them replaces the whole assignment", { user_setting_ids: [bob.id] }, { body: kept }),
    update("what is not sent stays assigned", { phone: "1" }, { body: kept }),
    update("an id that is sent twice counts once", { user_setting_ids: [bob.id, bob.id] }, { body: kept }),
    update("users: an unknown id", { name: "Changed", user_setting_ids: [ada.id, 999_999] }, {
      status: 422,
      body: { user_setting_ids: /999999/ },
    }),
    update("users: another account's", { user_setting_ids: [stranger.id] }, {
      status: 422,
      body: { user_setting_ids: /./ },
    }),
    update("mailboxes: an unknown id", { mailbox_ids: [999_999] }, { status: 422, body: { mailbox_ids: /./ } }),
    update("mailboxes: another account's", { user_setting_ids: [], mailbox_ids: [foreign_box.id] }, {
      status: 422,
      body: { mailbox_ids: /./ },
    }),
    update("an id as text is not coerced in JSON", { user_setting_ids: [`${ada.id}`] }, {
      status: 422,
      body: { "user_setting_ids.0": /./ },
    }),
    update("an id beyond the range of ids", { mailbox_ids: [info, 2 ** 31] }, {
      status: 422,
      body: { "mailbox_ids.1": /./ },
    }),
    update("no list", { user_setting_ids: 7 }, { status: 422, body: { user_setting_ids: /./ } }),
    { name: "a refusal changes nothing", method: "GET", path: at(id), status: 200, body: kept },
    update("an empty list clears", { user_setting_ids: [], mailbox_ids: [] }, {
      body: { user_setting_ids: [], mailbox_ids: [] },
    }),
    update("and back", { user_setting_ids: [ada.id, bob.id], mailbox_ids: [info] }, {}),
    { name: "a user is deleted", method: "DELETE", path: `/account/user_settings/${ada.id}.json`, status: 204 },
    { name: "a mailbox is deleted", method: "DELETE", path: `/account/mailboxes/${info}.json`, status: 204 },
    {
      name: "a deleted department leaves the assignment",
      method: "GET",
      path: at(id),
      status: 200,
      body: { user_setting_ids: [bob.id], mailbox_ids: [] },
    },
    {
      name: "create: an unknown id makes no department",
      method: "POST",
      path: ALL,
      sent: json({ name: "Never", user_setting_ids: [999_999], mailbox_ids: [999_999] }),
      status: 422,
      body: { user_setting_ids: /./, mailbox_ids: /./ },
    },
    { name: "only the one is there", method: "GET", path: ALL, status: 200, headers: { "x-total-count": "1" } },
  ]);
});
