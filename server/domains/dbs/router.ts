import { z } from "zod";
import { sent } from "../../database/json.ts";
import { managerProcedure, router, userProcedure } from "../../trpc.ts";
import { listDbs, readDb } from "./queries.ts";
import { DbCode } from "./db_code.ts";
import { ByCode, ByMention, Db, DbChanges, DbPage, DbToDelete, ListedDb, NewDb } from "./schema.ts";
import { readMentions } from "./mentions.ts";
import { FieldUses, readUses } from "./field_uses.ts";
import { IN_USE, UsedBy } from "../uses/uses.ts";
import { views } from "./views/router.ts";
import { changeDb, createDb, removeDb } from "./write.ts";

export const dbs = router({
  list: userProcedure
    .meta({ rest: "GET /platform/dbs.json", summary: "List databases" })
    .input(DbPage).output(sent(z.array(ListedDb)))
    .query(({ ctx, input }) => listDbs(ctx.sql, ctx.viewer, input)),

  find: userProcedure
    .meta({ rest: "GET /platform/dbs/:db_code.json", summary: "Read a database" })
    .input(ByCode).output(sent(Db))
    .query(({ ctx, input }) => readDb(ctx, input.db_code)),

  mentions: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/mentions.json",
      summary: "List what mentions a field",
      description:
        "The apps, flows and triggers that use the database and have the name as a word in their source, program or " +
        "settings, as far as the caller may see them; at most 100. Without `name`: all that use it.",
    })
    .input(ByMention).output(sent(UsedBy))
    .query(({ ctx, input }) => readMentions(ctx, input)),

  uses: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/uses.json",
      summary: "List what uses a database, with the fields that it names",
      description:
        "The apps, flows and triggers that use the database, as far as the caller may see them, at most 100; each with " +
        "the names of the database's fields and tables that are words of its source, program or settings, in its first " +
        "100,000 characters.",
    })
    .input(ByCode).output(sent(FieldUses))
    .query(({ ctx, input }) => readUses(ctx, input.db_code)),

  create: managerProcedure
    .meta({
      rest: "POST /platform/dbs.json",
      status: 201,
      wrapper: "db",
      unique_keys: true,
      summary: "Create a database",
      description:
        "`code` defaults to the name. Unknown keys of `schema` and `public_methods` are refused, because a typo would " +
        "change their meaning.",
    })
    .input(z.object({ db: NewDb })).output(sent(Db))
    .mutation(({ ctx, input }) => createDb(ctx, input.db)),

  update: managerProcedure
    .meta({
      rest: "PATCH /platform/dbs/:db_code.json",
      refuses: [409],
      wrapper: "db",
      unique_keys: true,
      summary: "Update a database",
      description:
        "A change of the schema is applied to all records. Values of removed fields are dropped. If records do not fit, " +
        "the change is refused by field (`schema.fields.price`), with the reason, their number and first ids. Meanwhile " +
        "reads continue, and writes of records are answered with 503. If a table with records is left out, the change is refused unless `drop_tables` names the " +
        'table. This includes the table without a name (`""`) when one table becomes several. `rename_tables` and ' +
        "`rename_fields` keep records and values under new names.",
    })
    .input(z.object({ db_code: DbCode, db: DbChanges })).output(sent(Db))
    .mutation(({ ctx, input }) => changeDb(ctx, input.db_code, input.db)),

  delete: managerProcedure
    .meta({
      rest: "DELETE /platform/dbs/:db_code.json",
      status: 204,
      refuses: [409],
      summary: "Delete a database with its records",
      description: IN_USE,
    })
    .input(DbToDelete).output(z.void())
    .mutation(({ ctx, input }) => removeDb(ctx, input)),

  views,
});
