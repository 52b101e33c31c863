/** Procedures of records: the private ones, and the public methods, which need no login. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { Uuid } from "../../input/shapes.ts";
import { pageProcedure, router, userProcedure } from "../../trpc.ts";
import { ChangesInput, trackedChanges } from "./changes.ts";
import { createPublic, deletePublic, listPublic, updatePublic } from "./public/public.ts";
import { type Method, proveMethod } from "./public/public_access.ts";
import {
  DeletedRecord,
  PublicChanges,
  PublicDelete,
  PublicPage,
  PublicRecord,
  Trial,
  TrialAnswer,
} from "./public/public_schema.ts";
import { Batch, BatchResult, runOperations } from "./batch.ts";
import { HistoryInput, listHistory, RecordChange } from "../audit/record_history.ts";
import { listPrivate, marks, readRecord, search } from "./queries.ts";
import {
  ByRecord,
  FlatRecord,
  MarksInput,
  NewRecordInput,
  Record,
  RecordChanges,
  RecordPage,
  RecordToDelete,
} from "./schema.ts";
import { tryPublic } from "./public/trial.ts";
import { changeRecord, createRecord, removeRecord } from "./write.ts";

/** The database's `public_methods` decide which callers may do what. */
const publicProcedure = (name: Method) =>
  pageProcedure
    .meta({ tag: "public", names: { db_code: "Database", id: "Record" }, lenient_body: true })
    .use(async ({ ctx, next }) => {
      await proveMethod(ctx, name);
      return await next();
    });

const NOT_ENABLED = "403 where the database's `public_methods` do not enable it.";
const OWN_RECORDS = `With \`scope_by\` another caller's record is 404. ${NOT_ENABLED}`;

const public_methods = router({
  list: publicProcedure("list")
    .meta({
      rest: "POST /platform/db/:db_code/list",
      summary: "List records without login",
      description:
        "The newest 100 first by default. With `scope_by` only the caller's own; none for a caller without a " +
        `user or browser key. The body may be left out. ${NOT_ENABLED}`,
    })
    .input(PublicPage).output(sent(z.array(FlatRecord)))
    .query(({ ctx, input }) => listPublic(ctx, input)),

  create: publicProcedure("create")
    .meta({
      rest: "POST /platform/db/:db_code/create",
      status: 201,
      refuses: [422, 429],
      summary: "Create a record without login",
      description: `Fields outside \`allowed_fields\` are dropped; \`auto_fields\` always win. ${NOT_ENABLED}`,
    })
    .input(PublicRecord).output(sent(FlatRecord))
    .mutation(({ ctx, input }) => createPublic(ctx, input)),

  update: publicProcedure("update")
    .meta({
      rest: "POST /platform/db/:db_code/update",
      refuses: [422, 429],
      summary: "Update a record without login",
      description: `Only the fields that are sent change. ${OWN_RECORDS}`,
    })
    .input(PublicChanges).output(sent(FlatRecord))
    .mutation(({ ctx, input }) => updatePublic(ctx, input)),

  delete: publicProcedure("delete")
    .meta({
      rest: "POST /platform/db/:db_code/delete",
      refuses: [429],
      summary: "Delete a record without login",
      description: OWN_RECORDS,
    })
    .input(PublicDelete).output(DeletedRecord)
    .mutation(({ ctx, input }) => deletePublic(ctx, input)),
});

export const records = router({
  list: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/records.json",
      summary: "List records",
      description: "Newest first by default. `X-Total-Count` and `Link` are sent with `count=true`. " +
        "Indexed fields are filtered and sorted by their index.",
    })
    .input(RecordPage).output(sent(z.array(Record)))
    .query(({ ctx, input }) => listPrivate(ctx, input)),

  search: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/search.json",
      summary: "Search records",
      description:
        "Flat records. A database with several tables requires `table_name`; without it the answer is 400 `table_name_required`.",
    })
    .input(RecordPage).output(sent(z.array(FlatRecord)))
    .query(({ ctx, input }) => search(ctx, input)),

  marks: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/record_marks.json",
      summary: "List the ids of every so many records",
      description:
        "In the order of the list. From each of them, a page in the middle of a long list is read by `after`, " +
        "which takes less time than by its number. One answer covers up to 20,000 records; the next one begins after " +
        "its last id. An answer with fewer ids is the last one.",
    })
    .input(MarksInput).output(sent(z.array(Uuid)))
    .query(({ ctx, input }) => marks(ctx, input)),

  find: userProcedure
    .meta({ rest: "GET /platform/dbs/:db_code/records/:id.json", summary: "Read a record" })
    .input(ByRecord).output(sent(Record))
    .query(({ ctx, input }) => readRecord(ctx, input)),

  history: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/records/:id/history.json",
      summary: "List a record's changes",
      description:
        "Newest first, from the audit log, for everyone who sees the record, back to its move out of a department that " +
        "the caller does not see. The creation by a batch, by an import or by a visitor has no entry. The next page " +
        "begins after the last change's id: `after`.",
    })
    .input(HistoryInput).output(sent(z.array(RecordChange)))
    .query(({ ctx, input }) => listHistory(ctx, input)),

  create: userProcedure
    .meta({
      rest: "POST /platform/dbs/:db_code/records.json",
      status: 201,
      wrapper: "record",
      summary: "Create a record",
    })
    .input(NewRecordInput).output(sent(Record))
    .mutation(({ ctx, input }) => createRecord(ctx, input)),

  batch: userProcedure
    .meta({
      rest: "POST /platform/dbs/:db_code/records/batch.json",
      summary: "Create, update and delete many records",
      description:
        "All or nothing. A refusal is keyed by the operation's index: `operations.3.message`. The answer has " +
        "one entry for each operation: the record, or the id of a deleted one. In a database with several tables a " +
        "create requires `table_name`; updates and deletes find the table by the id.",
    })
    .input(Batch).output(sent(z.array(BatchResult)))
    .mutation(({ ctx, input }) => runOperations(ctx, input)),

  update: userProcedure
    .meta({
      rest: "PATCH /platform/dbs/:db_code/records/:id.json",
      wrapper: "record",
      summary: "Update a record",
      description: "Changes only the fields that are sent; null clears a field.",
    })
    .input(RecordChanges).output(sent(Record))
    .mutation(({ ctx, input }) => changeRecord(ctx, input)),

  /** The same events as the stream `GET /platform/dbs/:db_code/changes`. */
  changes: userProcedure
    .input(ChangesInput.extend({ lastEventId: z.string().regex(/^\d{1,15}$/).nullish() }))
    .subscription(({ ctx, input, signal }) => trackedChanges(ctx, input, signal)),

  delete: userProcedure
    .meta({ rest: "DELETE /platform/dbs/:db_code/records/:id.json", status: 204, summary: "Delete a record" })
    .input(RecordToDelete).output(z.void())
    .mutation(({ ctx, input }) => removeRecord(ctx, input)),

  try_public: userProcedure
    .meta({
      rest: "POST /platform/dbs/:db_code/try.json",
      summary: "Try a public method as a visitor",
      description:
        "Answers the status and the body that a visitor without login gets. What it writes is real. Calls with the " +
        "same `visitor` are those of the same visitor, who sees the records that are its own.",
    })
    .input(Trial).output(TrialAnswer)
    .mutation(({ ctx, input }) => tryPublic(ctx, input)),

  public: public_methods,
});
