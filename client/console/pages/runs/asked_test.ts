import assert from "node:assert/strict";
import { audienceOf } from "./asked.ts";

Deno.test("asked: roles, people and departments by name", () => {
  const nobody = { roles: [], users: [], departments: [], link: false, place: "ok", expires_at: "", answerable: true };
  assert.equal(
    audienceOf({
      ...nobody,
      roles: ["user", "manager"],
      users: [{ id: 1, name: "Ann", active: true }, { id: 2, name: "Bob", active: false }],
      departments: [{ id: 3, name: "Sales" }],
    }),
    "Users, Managers, Ann, Bob (inactive), members of Sales",
  );
  assert.equal(audienceOf({ ...nobody, link: true }), "Everyone with the link");
});
