/** What pages say of triggers. */
import { equal } from "node:assert/strict";
import { nameOf, wordsOf } from "./triggers.ts";

const SENTENCE = "When a record of a is created";

Deno.test("triggers: their sentences name the database", () => {
  const record = { kind: "record", sentence: SENTENCE, timezone: "UTC", record: { db_code: "a", table_name: null } };
  equal(wordsOf(record, () => "Orders"), "When a record of Orders is created");
  equal(wordsOf(record), SENTENCE);
  equal(nameOf({ ...record, name: null }, () => "Orders"), "When a record of Orders is created");
  const scheduled = {
    kind: "flow",
    sentence: "At 09:00, Monday through Friday",
    timezone: "Europe/Warsaw",
    record: null,
  };
  equal(wordsOf(scheduled), "At 09:00, Monday to Friday, Warsaw");
});
