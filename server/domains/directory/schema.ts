import { z } from "zod";
import { Id, LockVersion, Name, OptionalEmail, page, text, Timestamp } from "../../input/shapes.ts";

const EntryName = Name.meta({ examples: ["Night shift"] });
const MailboxName = Name.meta({ examples: ["Support"] });
const MailboxEmail = OptionalEmail.meta({ examples: ["support@example.com"] });
const kept = { lock_version: LockVersion, created_at: Timestamp, updated_at: Timestamp };

/** A team or a group in answers. */
export const Entry = z.object({ id: Id, name: EntryName, ...kept });
export type Entry = z.output<typeof Entry>;
export const NewEntry = z.object({ name: EntryName });
export const EntryChanges = NewEntry.extend({ lock_version: LockVersion }).partial();

/** A mailbox in answers. */
export const Mailbox = z.object({ id: Id, name: MailboxName, email: MailboxEmail, ...kept });
export type Mailbox = z.output<typeof Mailbox>;
export const NewMailbox = z.object({ name: MailboxName, email: MailboxEmail.optional() });
export const MailboxChanges = NewMailbox.extend({ lock_version: LockVersion }).partial();

/** A team or a group in lists. */
export const ListedEntry = Entry.extend({ user_count: z.int().describe("Members").meta({ examples: [4] }) });
export type ListedEntry = z.output<typeof ListedEntry>;

/** A mailbox in lists. */
export const ListedMailbox = Mailbox.extend({
  departments: z.array(z.object({ id: Id, name: z.string().meta({ examples: ["Sales"] }) })).describe(
    "Those that it is assigned to, by name",
  ),
});
export type ListedMailbox = z.output<typeof ListedMailbox>;

export const EntryPage = page(["name", "-name", "id", "-id"]).extend({
  q: text(255).optional().describe("Part of the name or of a mailbox's address").meta({ examples: ["night"] }),
  id: Id.optional().describe("Only this one"),
});
export type EntryPage = z.output<typeof EntryPage>;
