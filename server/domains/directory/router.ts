/** Teams, groups and mailboxes: three resources of the same shape, to which users and departments are assigned. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { adminProcedure, managerProcedure, router } from "../../trpc.ts";
import { listEntries } from "./queries.ts";
import {
  Entry,
  EntryChanges,
  EntryPage,
  ListedEntry,
  ListedMailbox,
  Mailbox,
  MailboxChanges,
  NewEntry,
  NewMailbox,
} from "./schema.ts";
import { changeEntry, createEntry, removeEntry } from "./write.ts";

export const teams = router({
  list: managerProcedure
    .meta({ rest: "GET /account/teams.json", summary: "List teams" })
    .input(EntryPage).output(sent(z.array(ListedEntry)))
    .query(({ ctx, input }) => listEntries<ListedEntry>(ctx.sql, "teams", ctx.viewer.account_id, input)),

  create: adminProcedure
    .meta({ rest: "POST /account/teams.json", status: 201, wrapper: "team", summary: "Create a team" })
    .input(z.object({ team: NewEntry })).output(sent(Entry))
    .mutation(({ ctx, input }) => createEntry<Entry>(ctx, "teams", input.team)),

  update: adminProcedure
    .meta({ rest: "PATCH /account/teams/:id.json", refuses: [409], wrapper: "team", summary: "Update a team" })
    .input(z.object({ id: Id, team: EntryChanges })).output(sent(Entry))
    .mutation(({ ctx, input }) => changeEntry<Entry>(ctx, "teams", input.id, input.team)),

  delete: adminProcedure
    .meta({ rest: "DELETE /account/teams/:id.json", status: 204, summary: "Delete a team" })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeEntry(ctx, "teams", input.id)),
});

export const groups = router({
  list: managerProcedure
    .meta({ rest: "GET /account/groups.json", summary: "List groups" })
    .input(EntryPage).output(sent(z.array(ListedEntry)))
    .query(({ ctx, input }) => listEntries<ListedEntry>(ctx.sql, "groups", ctx.viewer.account_id, input)),

  create: adminProcedure
    .meta({ rest: "POST /account/groups.json", status: 201, wrapper: "group", summary: "Create a group" })
    .input(z.object({ group: NewEntry })).output(sent(Entry))
    .mutation(({ ctx, input }) => createEntry<Entry>(ctx, "groups", input.group)),

  update: adminProcedure
    .meta({ rest: "PATCH /account/groups/:id.json", refuses: [409], wrapper: "group", summary: "Update a group" })
    .input(z.object({ id: Id, group: EntryChanges })).output(sent(Entry))
    .mutation(({ ctx, input }) => changeEntry<Entry>(ctx, "groups", input.id, input.group)),

  delete: adminProcedure
    .meta({ rest: "DELETE /account/groups/:id.json", status: 204, summary: "Delete a group" })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeEntry(ctx, "groups", input.id)),
});

export const mailboxes = router({
  list: managerProcedure
    .meta({ rest: "GET /account/mailboxes.json", summary: "List mailboxes" })
    .input(EntryPage).output(sent(z.array(ListedMailbox)))
    .query(({ ctx, input }) => listEntries<ListedMailbox>(ctx.sql, "mailboxes", ctx.viewer.account_id, input)),

  create: adminProcedure
    .meta({ rest: "POST /account/mailboxes.json", status: 201, wrapper: "mailbox", summary: "Create a mailbox" })
    .input(z.object({ mailbox: NewMailbox })).output(sent(Mailbox))
    .mutation(({ ctx, input }) => createEntry<Mailbox>(ctx, "mailboxes", input.mailbox)),

  update: adminProcedure
    .meta({
      rest: "PATCH /account/mailboxes/:id.json",
      refuses: [409],
      wrapper: "mailbox",
      summary: "Update a mailbox",
    })
    .input(z.object({ id: Id, mailbox: MailboxChanges })).output(sent(Mailbox))
    .mutation(({ ctx, input }) => changeEntry<Mailbox>(ctx, "mailboxes", input.id, input.mailbox)),

  delete: adminProcedure
    .meta({ rest: "DELETE /account/mailboxes/:id.json", status: 204, summary: "Delete a mailbox" })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeEntry(ctx, "mailboxes", input.id)),
});
