/** Invariants that must hold when several callers do the same thing at once. */
import assert from "node:assert/strict";
import type { Answer } from "../../stage/harness.ts";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const APPS = "/platform/apps.json";
const at = (id: number) => `/account/departments/${id}.json`;

const create = (ask: Ask, name: string, more: Record<string, unknown> = {}) =>
  ask("POST", ALL, { json: { department: { name, ...more } } });

const update = (ask: Ask, id: number, department: Record<string, unknown>) =>
  ask("PATCH", at(id), { json: { department } });

const atOnce = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const rounds = (count: number) => Array.from({ length: count }, (_, index) => index);

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

interface Department {
  id: number;
  main: boolean;
}

/** Proves that exactly one department is the main one, if there are any, and that the account refers to it. */
async function hasOneMain(ask: Ask): Promise<void> {
  const { body: departments } = await ask("GET", `${ALL}?per_page=500`);
  const mains = departments.filter(({ main }: Department) => main).map(({ id }: Department) => id);
  const { body: account } = await ask("GET", "/account.json");
  if (departments.length === 0) assert.equal(account.main_department_id, null);
  else assert.deepEqual(mains, [account.main_department_id]);
}

inAccount("concurrency: 20 creates of one name give one 201 and nineteen 422", async ({ ask, admin }) => {
  const variants = [
    (index: number) => create(ask, index % 2 ? "Łódź" : "ŁÓDŹ"),
    (index: number) => create(ask, index % 2 ? "Assigned" : "ASSIGNED", { user_setting_ids: [admin.id] }),
    (index: number) => create(ask, `${" ".repeat(index)}Third`),
  ];
  await inTurn(variants, async (variant) => {
    const answers = await atOnce(20, variant);
    assert.deepEqual(statuses(answers), [201, ...Array(19).fill(422)]);
    for (const { status, body } of answers) {
      if (status === 422) assert.deepEqual(body, { name: ["has already been taken"] });
    }
  });
  assert.equal((await ask("GET", ALL)).headers.get("x-total-count"), "3");
  await hasOneMain(ask);
});

inAccount("concurrency: 20 renames to one name give one 200 and nineteen 422", async ({ ask }) => {
  const ids = await atOnce(20, async (index) => made(await create(ask, `Department ${index}`)).id);
  const answers = await atOnce(20, (index) => update(ask, ids[index], { name: "The one" }));
  assert.deepEqual(statuses(answers), [200, ...Array(19).fill(422)]);
});

inAccount("concurrency: an account's first departments leave one main, and the mode right", async ({ server, ask }) => {
  await inTurn(rounds(16), async (round) => {
    const { id, token } = await addAccount(server);
    const theirs = as(ask, token);
    const count = round % 2 ? 2 : 1 + round / 2;
    const more = round % 4 === 1 ? { user_setting_ids: [id] } : {};
    const answers = await atOnce(count, (index) => create(theirs, `Department ${index}`, more));
    assert.deepEqual(statuses(answers), Array(count).fill(201));
    const { body: account } = await theirs("GET", "/account.json");
    assert.equal(account.departments.mode, count === 1 ? "open" : "restricted", `${count} at once`);
    await hasOneMain(theirs);
  });
});

inAccount("concurrency: an admin's choice of the mode holds against the second department", async ({ server, ask }) => {
  await inTurn(rounds(8), async () => {
    const theirs = as(ask, (await addAccount(server)).token);
    made(await create(theirs, "First"));
    const [, chosen] = await Promise.all([
      create(theirs, "Second"),
      theirs("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } }),
    ]);
    assert.equal(chosen.status, 200);
    const { body: account } = await theirs("GET", "/account.json");
    assert.equal(account.departments.mode, "open");
  });
});

inAccount("concurrency: the main one is deleted while others are made, deleted and chosen", async ({ server, ask }) => {
  await inTurn(rounds(8), async (round) => {
    const theirs = as(ask, (await addAccount(server)).token);
    const main = made(await create(theirs, "Main"));
    const others = await atOnce(round % 4, async (index) => made(await create(theirs, `Other ${index}`)));
    const answers = await Promise.all([
      theirs("DELETE", at(main.id)),
      create(theirs, "New"),
      create(theirs, "Newer"),
      ...others.slice(0, 2).map(({ id }, index) =>
        index ? theirs("DELETE", at(id)) : theirs("PATCH", `/account/departments/${id}/set_as_main.json`)
      ),
      theirs("DELETE", at(main.id)),
    ]);
    for (const { status, body } of answers) {
      assert.ok([200, 201, 204, 404].includes(status), `${status} ${JSON.stringify(body)}`);
    }
    assert.equal(statuses(answers).filter((status) => status === 404).length, 1, "deleted once, missing once");
    await hasOneMain(theirs);
  });
});

inAccount("concurrency: all departments are deleted at once", async ({ ask }) => {
  const ids = await atOnce(12, async (index) => made(await create(ask, `Department ${index}`)).id);
  assert.deepEqual(statuses(await atOnce(12, (index) => ask("DELETE", at(ids[index])))), Array(12).fill(204));
  await hasOneMain(ask);
});

inAccount("concurrency: of two updates with one lock_version one is 200 and one 409", async ({ ask, admin }) => {
  const { id } = made(await create(ask, "Edited"));
  await inTurn(rounds(10), async (round) => {
    const { body: { lock_version } } = await ask("GET", at(id));
    const more = round % 2 ? { user_setting_ids: [admin.id] } : {};
    const answers = await atOnce(2, (index) => update(ask, id, { phone: `${round}/${index}`, lock_version, ...more }));
    assert.deepEqual(statuses(answers), [200, 409]);
    const { body: now } = await ask("GET", at(id));
    assert.equal(now.lock_version, lock_version + 1);
    assert.deepEqual(answers.find(({ status }) => status === 409)?.body.current, now);
  });
  assert.deepEqual(statuses(await atOnce(10, (index) => update(ask, id, { phone: `${index}` }))), Array(10).fill(200));
  assert.equal((await ask("GET", at(id))).body.lock_version, 20, "updates without one all count");
});

inAccount("concurrency: assignments from both sides at once, in any order, all hold", async ({ ask }) => {
  const ids = (await atOnce(8, () => addPerson(ask, "user"))).map(({ id }) => id).sort((a, b) => a - b);
  const made_ids = await atOnce(8, async (index) => made(await create(ask, `Department ${index}`)).id);
  const departments: number[] = made_ids.sort((a, b) => a - b);
  const turned = (list: number[], index: number) => index % 2 ? list.toReversed() : list;
  await inTurn(rounds(6), async (round) => {
    // Every second round removes all assignments.
    const [users, of] = round % 2 ? [[], []] : [ids, departments];
    const answers = await Promise.all([
      ...departments.map((id, index) => update(ask, id, { user_setting_ids: turned(users, index) })),
      ...ids.map((id, index) =>
        ask("PATCH", `/account/user_settings/${id}.json`, {
          json: { user_setting: { department_ids: turned(of, index) } },
        })
      ),
    ]);
    assert.deepEqual(statuses(answers), Array(16).fill(200));
    assert.deepEqual((await ask("GET", at(departments[0] ?? 0))).body.user_setting_ids, users);
  });
});

inAccount("concurrency: an account keeps one of two admins who remove each other", async ({ ask, admin }) => {
  await inTurn(rounds(4), async () => {
    const [ada, bob] = [await addPerson(ask, "admin"), await addPerson(ask, "admin")];
    const demote = (id: number, token: string) =>
      ask("PATCH", `/account/user_settings/${id}.json`, { json: { user_setting: { role: "user" } }, token });
    assert.equal((await demote(admin.id, ada.token)).status, 200, "the first admin goes");
    const answers = await Promise.all([demote(ada.id, bob.token), demote(bob.id, ada.token)]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers));
    const [stays, goes] = answers[0].status === 200 ? [bob, ada] : [ada, bob];
    const restore = { json: { user_setting: { role: "admin" } }, token: stays.token };
    assert.equal((await ask("PATCH", `/account/user_settings/${admin.id}.json`, restore)).status, 200);
    assert.equal((await ask("DELETE", `/account/user_settings/${goes.id}.json`)).status, 204);
    assert.equal((await ask("DELETE", `/account/user_settings/${stays.id}.json`)).status, 204);
  });
});

const makeApp = async (ask: Ask, app: Record<string, unknown>) =>
  made(await ask("POST", APPS, { json: { app: { name: "App", app_engine: "js", ...app } } }));

inAccount("concurrency: replacements of different fragments all survive", async ({ ask }) => {
  const parts = rounds(8).map((index) => `part${index};`);
  const { id } = await makeApp(ask, { source_code: parts.join("\n") });
  const answers = await atOnce(8, (index) =>
    ask("PATCH", `/platform/apps/${id}/replace.json`, {
      json: { field: "source_code", old: parts[index], new: `changed${index};` },
    }));
  assert.deepEqual(statuses(answers), Array(8).fill(200));
  const { body: app } = await ask("GET", `/platform/apps/${id}.json`);
  assert.equal(app.source_code, rounds(8).map((index) => `changed${index};`).join("\n"));
  assert.equal((await ask("GET", `/platform/apps/${id}/versions.json`)).body.length, 8, "each kept the one before it");
});

inAccount("concurrency: of 20 replacements of one fragment one is 200 and nineteen 422", async ({ ask }) => {
  const { id } = await makeApp(ask, { source_code: "once" });
  const answers = await atOnce(20, (index) =>
    ask("PATCH", `/platform/apps/${id}/replace.json`, {
      json: { field: "source_code", old: "once", new: `by_${index}` },
    }));
  assert.deepEqual(statuses(answers), [200, ...Array(19).fill(422)]);
});

inAccount("concurrency: 20 apps with one url_code give one 201 and nineteen 422", async ({ ask }) => {
  const app = { name: "App", app_engine: "js", source_code: "1", url_code: "taken" };
  const answers = await atOnce(20, () => ask("POST", APPS, { json: { app } }));
  assert.deepEqual(statuses(answers), [201, ...Array(19).fill(422)]);
});

inAccount("concurrency: of two app updates with one lock_version one is 200 and one 409", async ({ ask }) => {
  const { id } = await makeApp(ask, { source_code: "1" });
  await inTurn(rounds(6), async (round) => {
    const answers = await atOnce(2, (index) =>
      ask("PATCH", `/platform/apps/${id}.json`, {
        json: { app: { source_code: `${round}/${index}`, lock_version: round } },
      }));
    assert.deepEqual(statuses(answers), [200, 409]);
  });
});
