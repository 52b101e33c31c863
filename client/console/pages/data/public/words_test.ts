/** What the editor of public methods says of them. */
import { deepEqual, equal } from "node:assert/strict";
import { openToVisitors, sentenceOf } from "./words.ts";

Deno.test("public methods are one sentence", () => {
  equal(
    sentenceOf({
      list: { scope_by: "owner" },
      create: { allowed_fields: ["message", "stars"], auto_fields: { owner: "{cookie_key}" } },
    }),
    "Visitors may add message and stars; owner is set to their browser key; they see only their own records.",
  );
  equal(sentenceOf({ list: {} }), "Visitors see all records.");
  equal(sentenceOf({}), "Visitors may do nothing: the database is closed to everyone without a login.");
  equal(
    sentenceOf({ list: { members_only: true }, create: { members_only: true, allowed_fields: ["title"] } }),
    "Members may add title; they see every record of their departments. Visitors may do nothing.",
  );
  equal(
    sentenceOf({ list: {}, update: { members_only: true } }),
    "Visitors see all records. Members may change every field of every record of their departments.",
  );
  equal(
    sentenceOf({ update: { scope_by: "owner" }, delete: {} }),
    "Visitors may change every field of their own records and delete every record; they see no records.",
  );
});

Deno.test("public methods: visitors may use those that are not for members only", () => {
  deepEqual(openToVisitors({ list: {}, create: { members_only: true } }), ["list"]);
  deepEqual(openToVisitors({ list: { members_only: true } }), []);
});
