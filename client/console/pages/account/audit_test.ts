import { deepEqual, equal } from "node:assert/strict";
import { type Entry, namesIn, subjectOf } from "./audit.ts";

const BARE: Entry = {
  id: "1",
  at: "2026-11-24T12:00:00Z",
  action: "update",
  object: "db",
  object_id: "7",
  db_id: null,
  user_id: 1,
  user_name: "Ada",
  via: "session",
  via_id: null,
  agent: null,
  agent_session_id: null,
  undone_session_id: null,
  app_id: null,
  address: null,
  request_id: null,
  before: null,
  after: null,
};
const entry = (fields: Partial<Entry>): Entry => ({ ...BARE, ...fields });

Deno.test("audit: an entry without a name is called as in the newest entry that has one", () => {
  const entries = [
    entry({ after: { schema: {} } }),
    entry({ after: { name: "Repairs" }, before: { name: "Bikes" } }),
    entry({ action: "create", after: { name: "Bikes" } }),
  ];
  const names = namesIn(entries);
  deepEqual([...names], [["db 7", "Repairs"]]);
  equal(subjectOf(entry({ after: { schema: {} } }), names), "Repairs");
  equal(subjectOf(entry({ object: "connector" }), names), "7");
});

Deno.test("audit: a record is called by the end of its id and by its database", () => {
  const record = entry({ object: "record", object_id: "01a20f06-468f-775c-a531-cecd1d6c3083", db_id: 7 });
  equal(subjectOf(record, new Map([["db 7", "Repairs"]])), "1d6c3083 of Repairs");
  equal(subjectOf(record, new Map()), "1d6c3083 of database 7");
});
