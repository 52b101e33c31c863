import { z } from "zod";
import { Id, Name, OptionalEmail, page, Timestamp } from "../../schema.ts";

const kept = { id: Id, name: Name };
const times = { created_at: Timestamp, updated_at: Timestamp };

/** A team or a group as sent. */
export const Entry = z.object({ ...kept, ...times });
export type Entry = z.output<typeof Entry>;
export const NewEntry = z.object({ name: Name });
export const EntryChanges = NewEntry.partial();

/** A mailbox as sent. */
export const Mailbox = z.object({ ...kept, email: OptionalEmail, ...times });
export type Mailbox = z.output<typeof Mailbox>;
export const NewMailbox = z.object({ name: Name, email: OptionalEmail.optional() });
export const MailboxChanges = NewMailbox.partial();

export const EntryPage = page(["name", "-name", "id", "-id"]);
export type EntryPage = z.output<typeof EntryPage>;
