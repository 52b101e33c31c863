/**
 * Visibility of records in a restricted account, on every route, compared with an oracle in memory.
 */
import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { addDb, dbAt, type Listed, type TestDb } from "../../stage/db.ts";
import { addPerson, made, type Person, type Role } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const SEED = Number(Deno.env.get("FUZZ_SEED") ?? Date.now());
const ROUNDS = 8;

/** Indexes into the lists of departments and users; null is no department. */
interface Round {
  restricted: boolean;
  db_department: number | null;
  users: { departments: number[]; without_department: boolean }[];
  steps: Step[];
}

interface Step {
  user: number;
  act: "create" | "read" | "update" | "move" | "delete" | "batch" | "look";
  /** The index of a record, modulo the number of records. */
  record: number;
  department: number | null;
  n: number;
}

const ROLES: Role[] = ["user", "manager", "user", "admin"];
const DEPARTMENTS = 3;

const anyDepartment = fc.option(fc.nat(DEPARTMENTS - 1), { nil: null });
const anyRound: fc.Arbitrary<Round> = fc.record({
  restricted: fc.oneof({ arbitrary: fc.constant(true), weight: 4 }, fc.constant(false)),
  // Mostly null: in a hidden database no record is visible, and nothing else would be tested.
  db_department: fc.oneof({ arbitrary: fc.constant(null), weight: 2 }, fc.nat(DEPARTMENTS - 1)),
  users: fc.array(
    fc.record({ departments: fc.uniqueArray(fc.nat(DEPARTMENTS - 1)), without_department: fc.boolean() }),
    { minLength: ROLES.length, maxLength: ROLES.length },
  ),
  steps: fc.array(
    fc.record({
      user: fc.nat(ROLES.length - 1),
      act: fc.constantFrom("create", "create", "read", "update", "move", "delete", "batch", "look", "look"),
      record: fc.nat(1_000),
      department: anyDepartment,
      n: fc.nat(4),
    }),
    { minLength: 12, maxLength: 24 },
  ) as fc.Arbitrary<Step[]>,
});

interface Known {
  id: string;
  n: number;
  department: number | null;
}

/** The oracle: the account in memory. */
interface World {
  ask: Ask;
  db: TestDb;
  ids: number[];
  people: Person[];
  records: Known[];
  round: Round;
}

/** The visibility rule, as the specification words it. */
function sees({ round }: World, user: number, department: number | null): boolean {
  const { departments = [], without_department = false } = round.users[user] ?? {};
  if (!round.restricted || ROLES[user] === "admin") return true;
  return department === null ? without_department : departments.includes(department);
}

const idOf = ({ ids }: World, department: number | null) => department === null ? null : ids[department];

async function setUp(world: World): Promise<void> {
  const { ask, ids, people, round } = world;
  const mode = round.restricted ? "restricted" : "open";
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode } } } });
  const { code } = world.db;
  await ask("PATCH", dbAt(code), { json: { db: { department_id: idOf(world, round.db_department) } } });
  await inTurn(round.users, async ({ departments, without_department }, i) => {
    const user_setting = { department_ids: departments.map((i) => ids[i]), without_department };
    const { status } = await ask("PATCH", `/account/user_settings/${people[i]?.id}.json`, { json: { user_setting } });
    assert.equal(status, 200);
  });
}

/** The status that a write must have, and its effect on the oracle. */
async function perform(world: World, step: Step): Promise<void> {
  const { ask, db, records, people } = world;
  const { user, act, n, department } = step;
  const { token } = people[user] ?? assert.fail();
  const record = records[step.record % Math.max(1, records.length)];
  const opens = sees(world, user, world.round.db_department);
  const visible = opens && record !== undefined && sees(world, user, record.department);
  const department_id = idOf(world, department);
  const may_place = sees(world, user, department);
  const path = db.record(record?.id ?? "");
  const told = (status: number, expected: number) =>
    assert.equal(status, expected, `FUZZ_SEED=${SEED} ${JSON.stringify({ step, record, users: world.round.users })}`);

  if (act === "create") {
    const { status, body } = await ask("POST", db.records(), {
      token,
      json: { record: { data: { n, s: `text ${n}` }, department_id } },
    });
    told(status, !may_place ? 422 : opens ? 201 : 404);
    if (status === 201) records.push({ id: body.id, n, department });
    return;
  }
  if (act === "look" || !record) return await look(world, user, n);
  if (act === "read") return told((await ask("GET", path, { token })).status, visible ? 200 : 404);
  if (act === "delete") {
    told((await ask("DELETE", path, { token })).status, visible ? 204 : 404);
    if (visible) records.splice(records.indexOf(record), 1);
    return;
  }
  if (act === "batch") {
    const operations = [
      { action: "create", record: { data: { n: 99 }, department_id } },
      { action: "update", id: record.id, record: { data: { n, s: `text ${n}` } } },
      { action: "delete", id: record.id },
    ];
    const batch = db.records().replace(".json", "/batch.json");
    const { status, body } = await ask("POST", batch, { token, json: { operations } });
    told(status, !opens ? 404 : may_place && visible ? 200 : 422);
    // A batch is one transaction.
    if (status !== 200) return;
    records.splice(records.indexOf(record), 1);
    records.push({ id: body[0].id, n: 99, department });
    return;
  }
  const moves = act === "move";
  const json = { record: { data: { n, s: `text ${n}` }, ...moves && { department_id } } };
  told((await ask("PATCH", path, { token, json })).status, moves && !may_place ? 422 : visible ? 200 : 404);
  if (!visible || moves && !may_place) return;
  Object.assign(record, { n, ...moves && { department } });
}

/** Compares lists, searches, counts and pages. */
async function look(world: World, user: number, n: number): Promise<void> {
  const { ask, db, people, records, round } = world;
  const { token } = people[user] ?? assert.fail();
  const what = `FUZZ_SEED=${SEED} user ${user} of ${JSON.stringify(round.users)}, ${round.restricted}`;
  if (!sees(world, user, round.db_department)) {
    return assert.equal((await ask("GET", db.records(), { token })).status, 404, what);
  }
  const seen = records.filter(({ department }) => sees(world, user, department));
  const same = (body: Listed[], expected: Known[], way: string) =>
    assert.deepEqual(body.map(({ id }) => id), expected.map(({ id }) => id), `${what}: ${way}`);
  const by_id = seen.toSorted((a, b) => a.id < b.id ? -1 : 1);
  const all = await ask("GET", db.records({ sort: "id", count: "true" }), { token });
  same(all.body, by_id, "list");
  assert.equal(all.headers.get("x-total-count"), `${seen.length}`, what);
  const of_n = by_id.filter((record) => record.n === n);
  const found = await ask("GET", db.search({ q: `TEXT ${n}`, count: "true" }), { token });
  same(found.body, of_n.toReversed(), "search");
  assert.equal(found.headers.get("x-total-count"), `${of_n.length}`, what);
  same((await ask("GET", db.records({ "filter[n]": `${n}` }), { token })).body, of_n.toReversed(), "filter");
  const by_n = by_id.toSorted((a, b) => a.n - b.n);
  same(
    (await ask("GET", db.records({ sort: "n", per_page: "2", page: "2" }), { token })).body,
    by_n.slice(2, 4),
    "page",
  );
  const [anchor] = records;
  if (!anchor) return;
  const behind = await ask("GET", db.records({ sort: "n", after: anchor.id }), { token });
  // A list cannot start after a hidden record.
  if (seen.includes(anchor)) same(behind.body, by_n.slice(by_n.indexOf(anchor) + 1), "after");
  else assert.equal(behind.status, 400, what);
}

inAccount("records: every way to them shows and changes what the oracle says, and nothing else", async ({ ask }) => {
  const ids: number[] = [];
  await inTurn(Array(DEPARTMENTS).fill("Department"), async (name, i) => {
    ids.push(
      made(await ask("POST", "/account/departments.json", { json: { department: { name: `${name} ${i}` } } })).id,
    );
  });
  const people: Person[] = [];
  await inTurn(ROLES, async (role) => void people.push(await addPerson(ask, role)));
  await inTurn(fc.sample(anyRound, { numRuns: ROUNDS, seed: SEED }), async (round) => {
    const db = await addDb(ask, { fields: { n: "integer", s: "string" }, indexes: { idx_int_1: "n" } });
    const world: World = { ask, db, ids, people, records: [], round };
    await inTurn([null, 0, 1, 2, null, 0], async (department, i) => {
      const { id } = await db.create({ n: i % 5, s: `text ${i % 5}` }, { department_id: idOf(world, department) });
      world.records.push({ id, n: i % 5, department });
    });
    await setUp(world);
    await inTurn(round.steps, (step) => perform(world, step));
    await inTurn(ROLES, (_role, user) => look(world, user, 1));
    const everything = await ask("GET", db.records({ per_page: "500" }));
    assert.deepEqual(
      everything.body.map(({ id, data }: Listed) => [id, data.n]).toSorted(),
      world.records.map(({ id, n }) => [id, n]).toSorted(),
      `FUZZ_SEED=${SEED} what is refused changes nothing`,
    );
  });
});

inAccount(
  "records: of a deleted department none is left, and who sees none of those sees it no more",
  async ({ ask }) => {
    const department =
      made(await ask("POST", "/account/departments.json", { json: { department: { name: "Own" } } })).id;
    made(await ask("POST", "/account/departments.json", { json: { department: { name: "Other" } } }));
    const db = await addDb(ask, { fields: { s: "string" } }, { department_id: null });
    const { id } = await db.create({ s: "x" }, { department_id: department });
    const { token } = await addPerson(ask, "user", { department_ids: [department], without_department: true });
    assert.equal((await ask("GET", db.record(id), { token })).body.department_id, department);
    await ask("DELETE", `/account/departments/${department}.json`);
    const { body } = await ask("GET", db.record(id), { token });
    assert.deepEqual([body.department_id, body.data], [null, { s: "x" }]);
  },
);
