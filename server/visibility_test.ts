import assert from "node:assert/strict";
import { commonReach, departmentOfRecord, type Restriction, seesAll, visibleTo } from "./visibility.ts";

const restricted = (department_ids: number[], without_department = false, role = "manager"): Restriction => ({
  role,
  restricted: true,
  department_ids,
  without_department,
});
const ALL: Restriction = { ...restricted([]), restricted: false };

Deno.test("visibility: only an admin, and everyone in an account without restriction, sees everything", () => {
  const roles = ["guest", "user", "manager", "admin"];
  assert.deepEqual(roles.map((role) => seesAll(restricted([1], true, role))), [false, false, false, true]);
  assert.deepEqual(roles.map((role) => seesAll({ ...ALL, role })), [true, true, true, true]);
});

Deno.test("visibility: what has a department is for its members, what has none for those who see that", () => {
  const values = [null, 1, 2];
  const seen = (viewer: Restriction) => values.filter((department) => visibleTo(viewer, department));
  assert.deepEqual(seen(restricted([1])), [1]);
  assert.deepEqual(seen(restricted([], true)), [null]);
  assert.deepEqual(seen(restricted([2], true)), [null, 2]);
  assert.deepEqual(seen(ALL), values);
});

Deno.test("visibility: the common reach is what both see, in either order", () => {
  for (const [a, b] of [[[1, 2], [2, 3]], [[2, 3], [1, 2]]] as const) {
    assert.deepEqual(commonReach(restricted([...a]), restricted([...b])).department_ids, [2]);
  }
  for (const [a, b, both] of [[true, true, true], [true, false, false], [false, true, false]] as const) {
    assert.equal(commonReach(restricted([1], a), restricted([1], b)).without_department, both);
  }
  assert.deepEqual(commonReach(ALL, restricted([1])), restricted([1]));
  assert.deepEqual(commonReach(restricted([1]), ALL), restricted([1]));
});

Deno.test("visibility: a new record gets the only department of a restricted user, and else none", () => {
  assert.equal(departmentOfRecord(restricted([4])), 4);
  assert.equal(departmentOfRecord(restricted([4, 5])), null);
  assert.equal(departmentOfRecord(restricted([])), null);
  assert.equal(departmentOfRecord({ ...ALL, department_ids: [4] }), null);
});
