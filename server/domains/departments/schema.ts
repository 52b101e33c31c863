import { z } from "zod";
import { Id, Ids, Line, LockVersion, Name, OptionalEmail, OptionalUrl, page, text, Timestamp } from "../../schema.ts";

/** What a client may write. Source: spec, "Department"; lengths: ours. */
const written = {
  name: Name.meta({ examples: ["Sales"] }),
  shortcut: Line,
  description: text(65_535).nullable(),
  phone: Line,
  email: OptionalEmail,
  company_name: Line,
  company_tax_no: Line,
  company_street: Line,
  company_street_number: Line,
  company_post_code: Line,
  company_city: Line,
  company_country: Line,
  company_email: OptionalEmail,
  company_phone: Line,
  company_website: OptionalUrl,
  company_bank: Line,
  company_bank_account: Line,
  company_logo: OptionalUrl.describe("Used where no logo was uploaded"),
};

const assigned = {
  user_setting_ids: Ids.describe("Users assigned to the department; sending it replaces the whole assignment"),
  mailbox_ids: Ids.describe("Mailboxes assigned to the department; sending it replaces the whole assignment"),
};

const logo = {
  logo: z.file().describe("PNG, JPEG, GIF or WebP of at most 5 MiB, kept byte for byte"),
  logo_remove: z.literal("1").describe("Removes the uploaded logo"),
};

/** A department as sent. */
export const Department = z.object({
  id: Id,
  ...written,
  user_setting_ids: z.array(Id),
  mailbox_ids: z.array(Id),
  logo_url: z.string().nullable().describe("The uploaded logo's permanent public address"),
  main: z.boolean(),
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
]);
export type DepartmentPage = z.output<typeof DepartmentPage>;

/** The columns that are written as they come. */
export const COLUMNS = Object.keys(written) as (keyof typeof written)[];
