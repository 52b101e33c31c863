import { z } from "zod";
import { ROLES } from "../../viewer.ts";

import { Email, Id, Ids, LockVersion, Name, page, Timestamp } from "../../input/shapes.ts";
import { NewPassword } from "../passwords/schema.ts";

const fields = {
  login: Name.meta({ examples: ["ada"] }),
  email: Email.meta({ examples: ["ada@example.com"] }),
  name: Name.meta({ examples: ["Ada Example"] }),
  role: z.enum(ROLES).meta({ examples: ["user"] }),
  without_department: z.boolean()
    .describe("Whether the user sees objects without a department. It has an effect only in a restricted account")
    .meta({ examples: [true] }),
  active: z.boolean().meta({ examples: [true] }),
};

/** A user in answers. Source: spec, "User flag". */
export const UserSetting = z.object({
  id: Id,
  ...fields,
  team_ids: z.array(Id),
  group_ids: z.array(Id),
  department_ids: z.array(Id),
  lock_version: LockVersion,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type UserSetting = z.output<typeof UserSetting>;

const Assigned = Ids.meta({ examples: [[]] });
const assigned = { team_ids: Assigned, group_ids: Assigned, department_ids: Assigned };

const written = z.object({ ...fields, ...assigned, password: NewPassword }).partial();

export const UserSettingChanges = written.extend({ lock_version: LockVersion.optional() });
export type UserSettingChanges = z.output<typeof UserSettingChanges>;

/** `login` defaults to the e-mail address, `name` to the login, `role` to user. */
export const NewUserSetting = written.extend({ email: fields.email });
export type NewUserSetting = z.output<typeof NewUserSetting>;

export const UserSettingPage = page(["id", "-id", "login", "-login", "email", "-email", "created_at", "-created_at"])
  .extend({ role: fields.role.optional(), active: fields.active.optional() });
export type UserSettingPage = z.output<typeof UserSettingPage>;
