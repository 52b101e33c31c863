/** What an empty list says to a person who may see a part of the account only. */
import { equal } from "node:assert/strict";
import { emptyWords } from "./empty_words.ts";

const GENERAL = "A flow is a list of steps.";

Deno.test("empty lists: a restricted person reads that others may have entries, and who can show them", () => {
  const said = (mode: string, role: string, names: string[], without_department = false) =>
    emptyWords(GENERAL, "flows", {
      user: { role, without_department },
      departments: names.map((name) => ({ name })),
      account: { departments: { mode } },
    });
  equal(said("open", "user", []), GENERAL);
  equal(said("restricted", "admin", []), GENERAL);
  equal(
    said("restricted", "manager", []),
    "No flows are visible to you. You belong to no department. An admin can change your departments.",
  );
  equal(
    said("restricted", "user", ["Sales", "Support"], true),
    "No flows are visible to you. You see what belongs to Sales and Support, and what has no department. " +
      "An admin can change your departments.",
  );
  equal(emptyWords(GENERAL, "flows", undefined), GENERAL);
});
