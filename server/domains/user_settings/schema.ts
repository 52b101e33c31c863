import { z } from "zod";
import { ROLES } from "../../context.ts";
import { Email, Id, Ids, Name, page, text, Timestamp } from "../../schema.ts";

const fields = {
  login: Name,
  email: Email,
  name: Name,
  role: z.enum(ROLES),
  without_department: z.boolean()
    .describe("Sees what has no department; counts only while visibility is restricted by departments"),
  active: z.boolean(),
};

/** A user as sent. Source: spec, "User flag", and decisions, "Users". */
export const UserSetting = z.object({
  id: Id,
  ...fields,
  team_ids: z.array(Id),
  group_ids: z.array(Id),
  department_ids: z.array(Id),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type UserSetting = z.output<typeof UserSetting>;

const assigned = { team_ids: Ids, group_ids: Ids, department_ids: Ids };
const Password = text(1024).refine((value) => value.length >= 8, "is too short (minimum is 8 characters)")
  .describe("Kept only as its scrypt hash");

export const UserSettingChanges = z.object({ ...fields, ...assigned, password: Password }).partial();
export type UserSettingChanges = z.output<typeof UserSettingChanges>;

/** `login` is the e-mail where it is not sent, `name` the login, `role` user. */
export const NewUserSetting = UserSettingChanges.extend({ email: fields.email });
export type NewUserSetting = z.output<typeof NewUserSetting>;

export const UserSettingPage = page(["id", "-id", "login", "-login", "email", "-email", "created_at", "-created_at"])
  .extend({ role: fields.role.optional(), active: fields.active.optional() });
export type UserSettingPage = z.output<typeof UserSettingPage>;
