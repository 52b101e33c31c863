import { z } from "zod";
import {
  Id,
  Ids,
  Line,
  LockVersion,
  Name,
  OptionalEmail,
  OptionalUrl,
  page,
  text,
  Timestamp,
} from "../../input/shapes.ts";

/** The fields that a client may write. Source: spec, "Department"; it does not state the maximum lengths. */
const written = {
  name: Name.meta({ examples: ["Sales"] }),
  shortcut: Line.meta({ examples: ["SAL"] }),
  description: text(65_535).nullable().meta({ examples: ["Offers, orders and invoices"] }),
  phone: Line.meta({ examples: ["+48 22 000 00 10"] }),
  email: OptionalEmail.meta({ examples: ["sales@example.com"] }),
  company_name: Line.meta({ examples: ["Example Ltd"] }),
  company_tax_no: Line.meta({ examples: ["PL0000000000"] }),
  company_street: Line.meta({ examples: ["Long Street"] }),
  company_street_number: Line.meta({ examples: ["12A"] }),
  company_post_code: Line.meta({ examples: ["00-001"] }),
  company_city: Line.meta({ examples: ["Warsaw"] }),
  company_country: Line.meta({ examples: ["Poland"] }),
  company_email: OptionalEmail.meta({ examples: ["office@example.com"] }),
  company_phone: Line.meta({ examples: ["+48 22 000 00 00"] }),
  company_website: OptionalUrl.meta({ examples: ["https://example.com"] }),
  company_bank: Line.meta({ examples: ["Example Bank"] }),
  company_bank_account: Line.meta({ examples: ["PL61 0000 0000 0000 0000 0000 0000"] }),
  company_logo: OptionalUrl.describe("The address of a logo elsewhere, for departments without an uploaded logo")
    .meta({ examples: ["https://example.com/logo.png"] }),
};

const assigned = {
  user_setting_ids: Ids.describe("Ids of the assigned users. They replace all previous ones")
    .meta({ examples: [[1]] }),
  mailbox_ids: Ids.describe("Ids of the assigned mailboxes. They replace all previous ones")
    .meta({ examples: [[]] }),
};

const logo = {
  logo: z.file().describe("PNG, JPEG, GIF or WebP of at most 5 MiB, stored byte for byte"),
  logo_remove: z.literal("1").describe("Removes the uploaded logo"),
};

/** A department in answers. */
export const Department = z.object({
  id: Id,
  ...written,
  user_setting_ids: z.array(Id),
  mailbox_ids: z.array(Id).meta({ examples: [[]] }),
  logo_url: z.string().nullable().describe("The permanent public address of the uploaded logo")
    .meta({ examples: [`https://atrium.example.com/logos/${"0123456789abcdef".repeat(4)}.png`] }),
  main: z.boolean().meta({ examples: [true] }),
  lock_version: LockVersion,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Department = z.output<typeof Department>;

const optional = z.object({ ...written, ...assigned, ...logo, lock_version: LockVersion }).partial();

export const NewDepartment = optional.extend({ name: written.name }).omit({ lock_version: true });
export type NewDepartment = z.output<typeof NewDepartment>;

export const DepartmentChanges = optional;
export type DepartmentChanges = z.output<typeof DepartmentChanges>;

export const DepartmentPage = page([
  "name",
  "-name",
  "id",
  "-id",
  "created_at",
  "-created_at",
]).extend({
  q: text(255).optional().describe("Part of the name, the shortcut or the e-mail address").meta({ examples: ["sal"] }),
});
export type DepartmentPage = z.output<typeof DepartmentPage>;

const count = (of: string) => z.int().describe(of).meta({ examples: [2] });

/** What a department holds, and so what its deletion touches. */
export const DepartmentUsage = z.object({
  users: count("Users assigned to it"),
  users_of_no_other: count("Those of them who have no other department"),
  mailboxes: count("Mailboxes assigned to it"),
  invitations: count("Open invitations to it"),
  apps: count("As far as the caller sees them, like all that follow"),
  dbs: count("Databases"),
  records: count("Records; at most 10,000 are counted"),
  connectors: count("Connectors"),
  flows: count("Flows"),
  flow_processes: count("Ended runs of flows; at most 10,000 are counted"),
  crons: count("Triggers"),
  next_main: z.object({ id: Id, name: Name }).nullable().describe(
    "For the main department: the one that its deletion makes the main one",
  ).meta({ examples: [null] }),
});
export type DepartmentUsage = z.output<typeof DepartmentUsage>;

/** The columns that store a field unchanged. */
export const COLUMNS = Object.keys(written) as (keyof typeof written)[];
