/** The main department, its successor after a deletion, and the account's mode. Source: spec, section 3. */
import assert from "node:assert/strict";
import { addAccount, as, made } from "../../stage/people.ts";
import { type Ask, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const at = (id: number) => `/account/departments/${id}.json`;
const main = (id: number) => `/account/departments/${id}/set_as_main.json`;

const create = async (ask: Ask, name: string, token?: string, more: Record<string, unknown> = {}) =>
  made(await ask("POST", ALL, { json: { department: { name, ...more } }, token }));

const chooseMode = (ask: Ask, mode: string) =>
  ask("PATCH", "/account.json", { json: { account: { departments: { mode } } } });

async function stand(ask: Ask) {
  const { body } = await ask("GET", "/account.json");
  return { main: body.main_department_id, mode: body.departments.mode };
}

inAccount("departments: the first becomes main, and the main one has a successor", async ({ ask, play }) => {
  assert.deepEqual(await stand(ask), { main: null, mode: "open" }, "a fresh account");
  const first = await create(ask, "First");
  assert.equal(first.main, true);
  assert.equal((await stand(ask)).main, first.id, "the first department becomes the main one");
  const [second, third, fourth] = [await create(ask, "B"), await create(ask, "A"), await create(ask, "C")];
  assert.deepEqual([second.main, third.main, fourth.main], [false, false, false]);

  const moved = (name: string, id: number): Scenario => ({
    name,
    method: "GET",
    path: ALL,
    status: 200,
    then: async ({ body }) => {
      const mains = body.filter((department: { main: boolean }) => department.main);
      assert.deepEqual(mains.map((department: { id: number }) => department.id), [id]);
      assert.equal((await stand(ask)).main, id);
    },
  });
  await play([
    {
      name: "set_as_main: 200 with the department, without a body",
      method: "PATCH",
      path: main(fourth.id),
      status: 200,
      body: { id: fourth.id, name: "C", main: true },
    },
    moved("set_as_main: exactly that one is main", fourth.id),
    { name: "set_as_main: again", method: "PATCH", path: main(fourth.id), status: 200, body: { main: true } },
    {
      name: "set_as_main: with the content type that every request carries",
      method: "PATCH",
      path: main(third.id),
      sent: { headers: { "content-type": "application/json; charset=utf-8" } },
      status: 200,
      body: { main: true },
    },
    { name: "set_as_main: a missing one is 404", method: "PATCH", path: main(999_999), status: 404 },
    moved("set_as_main: and changes nothing", third.id),
    { name: "delete: another than the main one", method: "DELETE", path: at(second.id), status: 204 },
    moved("delete: leaves the main one as it is", third.id),
    { name: "delete: the main one", method: "DELETE", path: at(third.id), status: 204 },
    moved("delete: the oldest remaining department becomes main, whatever its name", first.id),
    { name: "delete: the main one again", method: "DELETE", path: at(first.id), status: 204 },
    moved("delete: the last one is main", fourth.id),
    { name: "delete: the last one", method: "DELETE", path: at(fourth.id), status: 204 },
  ]);
  assert.equal((await stand(ask)).main, null, "deleting the last department leaves no main one");
  assert.equal((await create(ask, "Again")).main, true, "and the next one becomes main");
});

inAccount("departments: succession goes by age, not by id", async ({ server, ask }) => {
  const [a, b, c] = [await create(ask, "A"), await create(ask, "B"), await create(ask, "C")];
  await server.sql`update departments set created_at = created_at - interval '1 day' where id = ${c.id}`;
  await ask("DELETE", at(a.id));
  assert.equal((await stand(ask)).main, c.id);
  await ask("DELETE", at(c.id));
  assert.equal((await stand(ask)).main, b.id);
});

inAccount("departments: another account's cannot be made main", async ({ server, ask }) => {
  const stranger = await addAccount(server);
  const mine = await create(ask, "Mine");
  const foreign = await create(ask, "Foreign", stranger.token);
  assert.equal(foreign.main, true, "each account has its own main department");
  assert.equal((await ask("PATCH", main(foreign.id))).status, 404);
  assert.equal((await ask("PATCH", main(mine.id), { token: stranger.token })).status, 404);
  assert.equal((await stand(ask)).main, mine.id);
});

inAccount("mode: the second department turns it to restricted, once", async ({ ask }) => {
  const first = await create(ask, "First");
  assert.equal((await stand(ask)).mode, "open", "one department does not turn it");
  await ask("DELETE", at(first.id));
  const again = await create(ask, "Again");
  assert.equal((await stand(ask)).mode, "open", "nor does one that takes the place of a deleted one");
  const second = await create(ask, "Second");
  assert.equal((await stand(ask)).mode, "restricted", "the second one does");
  await ask("DELETE", at(second.id));
  assert.equal((await stand(ask)).mode, "restricted", "deleting departments never turns it back");
  await ask("DELETE", at(again.id));
  assert.equal((await stand(ask)).mode, "restricted", "not even the last one");
});

inAccount("mode: whatever else a second department brings along", async ({ server, ask, admin }) => {
  const assigned = { user_setting_ids: [admin.id] };
  await create(ask, "First", undefined, assigned);
  assert.equal((await stand(ask)).mode, "open");
  await create(ask, "Second", undefined, assigned);
  assert.equal((await stand(ask)).mode, "restricted", "one with people turns it as one without");

  const other = as(ask, (await addAccount(server)).token);
  await create(other, "First");
  await chooseMode(other, "open");
  await create(other, "Second", undefined, { user_setting_ids: [] });
  assert.equal((await stand(other)).mode, "open", "and leaves an admin's choice alone as one without");
});

inAccount("mode: an admin's choice is not changed by the second department", async ({ ask }) => {
  await create(ask, "First");
  const { status, body } = await chooseMode(ask, "open");
  assert.equal(status, 200);
  assert.deepEqual(body.departments, { mode: "open" });
  const second = await create(ask, "Second");
  assert.equal((await stand(ask)).mode, "open", "the same value chosen by hand is a choice, too");
  await create(ask, "Third");
  await ask("DELETE", at(second.id));
  await create(ask, "Second");
  assert.equal((await stand(ask)).mode, "open");
  await chooseMode(ask, "restricted");
  assert.equal((await stand(ask)).mode, "restricted");
});

inAccount("mode: what an admin turns back stays back", async ({ ask }) => {
  const first = await create(ask, "First");
  await create(ask, "Second");
  await chooseMode(ask, "open");
  await ask("DELETE", at(first.id));
  await create(ask, "Second again");
  assert.equal((await stand(ask)).mode, "open");
});

inAccount("mode: a change of the account without the mode is no choice of it", async ({ ask }) => {
  await ask("PATCH", "/account.json", { json: { account: { name: "Renamed" } } });
  await ask("PATCH", "/account.json", { json: { account: { departments: {} } } });
  await create(ask, "First");
  await create(ask, "Second");
  assert.equal((await stand(ask)).mode, "restricted");
});

inAccount("mode: one account's departments do not turn another's", async ({ server, ask }) => {
  const stranger = await addAccount(server);
  await create(ask, "First");
  await create(ask, "Foreign", stranger.token);
  assert.equal((await stand(ask)).mode, "open");
});
