/** Departments, teams, groups and mailboxes. */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { fold, Id, LockVersion } from "../../../../input/shapes.ts";
import { NewDepartment } from "../../../departments/schema.ts";
import { NewEntry, NewMailbox } from "../../../directory/schema.ts";
import { byId, Moment, type MovedTable, type Row } from "../moved.ts";

const kept = { id: Id, lock_version: LockVersion, created_at: Moment, updated_at: Moment };
const folded = ({ name }: Row): Row => ({ name_folded: fold(String(name)) });

export const departments: MovedTable = {
  name: "departments",
  with: "account",
  table: part`departments`,
  columns: part`
    id, name, shortcut, description, phone, email, company_name, company_tax_no, company_street,
    company_street_number, company_post_code, company_city, company_country, company_email, company_phone,
    company_website, company_bank, company_bank_account, company_logo, logo_file, lock_version, created_at, updated_at
  `,
  made: part`name_folded`,
  ...byId,
  at_once: 500,
  numbered: "department",
  references: {},
  shape: NewDepartment.omit({ user_setting_ids: true, mailbox_ids: true, logo: true, logo_remove: true })
    .extend({ ...kept, logo_file: z.string().nullable() }),
  settle: folded,
};

const entries = (table: "teams" | "groups"): MovedTable => ({
  name: table,
  with: "account",
  table: table === "teams" ? part`teams` : part`groups`,
  columns: part`id, name, lock_version, created_at, updated_at`,
  made: part`name_folded`,
  ...byId,
  at_once: 500,
  numbered: table === "teams" ? "team" : "group",
  references: {},
  shape: NewEntry.extend(kept),
  settle: folded,
});

export const teams = entries("teams");
export const groups = entries("groups");

const Numbers = z.array(Id).max(10_000);

/** Its line names the departments that it is assigned to. */
export const mailboxes: MovedTable = {
  name: "mailboxes",
  with: "account",
  table: part`mailboxes`,
  columns: part`id, name, email, lock_version, created_at, updated_at`,
  made: part`name_folded`,
  selected: part`
    id, name, email, lock_version, created_at, updated_at,
    array(
      select department_id from department_mailboxes d where d.mailbox_id = mailboxes.id order by 1
    ) as department_ids
  `,
  ...byId,
  at_once: 500,
  numbered: "mailbox",
  references: {},
  shape: NewMailbox.extend({ ...kept, email: z.string().nullable(), department_ids: Numbers }),
  settle: folded,
  async follow(rows, { ctx: { sql }, ids }) {
    const assigned = rows.flatMap(({ id, department_ids }) =>
      Numbers.parse(department_ids).flatMap((old) => {
        const department_id = ids.find("department", old);
        return department_id === undefined ? [] : [{ mailbox_id: id, department_id }];
      })
    );
    await sql`
      insert into department_mailboxes (department_id, mailbox_id)
      select department_id, mailbox_id
      from json_to_recordset(${JSON.stringify(assigned)}::text::json) as a (department_id int, mailbox_id int)
    `;
  },
};
