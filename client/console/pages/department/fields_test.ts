import { deepEqual } from "node:assert/strict";
import { changesOf, formOf, rebased } from "./fields.ts";

Deno.test("department form: a newer state keeps what was typed and names what both have changed", () => {
  const base = { ...formOf(), name: "Sales", phone: "1", email: "a@b.c" };
  const form = { ...base, phone: "2", email: "mine@b.c", shortcut: "S" };
  const newer = { ...base, name: "Sales 2", email: "theirs@b.c", shortcut: "S" };
  const { form: merged, disputed } = rebased(form, base, newer);
  deepEqual(merged, { ...newer, phone: "2", email: "mine@b.c" });
  deepEqual(disputed, ["email"]);
});

Deno.test("department form: a save sends changed fields, and null for an emptied one", () => {
  const form = { ...formOf(), name: "", phone: "", email: "a@b.c" };
  deepEqual(changesOf(form, ["phone", "email"]), { phone: null, email: "a@b.c" });
  deepEqual(changesOf(form, ["name"]), { name: "" });
});
