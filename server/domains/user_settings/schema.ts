import { z } from "zod";
import { ROLES } from "../../viewer.ts";

import { Email, Id, Ids, LockVersion, Name, page, text, Timestamp } from "../../input/shapes.ts";
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

/** A user in lists. */
export const ListedUser = UserSetting.extend({
  departments: z.array(z.object({ id: Id, name: z.string().meta({ examples: ["Sales"] }) })).describe(
    "The departments of `department_ids`, by name",
  ),
  last_seen_at: Timestamp.nullable().describe(
    "The last request with a session or token of the user, up to a minute late; null: never",
  ),
  last_sign_in_at: Timestamp.nullable().describe("The last sign-in; null: the user has never signed in"),
});
export type ListedUser = z.output<typeof ListedUser>;

const Assigned = Ids.meta({ examples: [[]] });
const assigned = { team_ids: Assigned, group_ids: Assigned, department_ids: Assigned };

const written = z.object({ ...fields, ...assigned, password: NewPassword }).partial();

export const UserSettingChanges = written.extend({ lock_version: LockVersion.optional() });
export type UserSettingChanges = z.output<typeof UserSettingChanges>;

/** `login` defaults to the e-mail address, `name` to the login, `role` to user. */
export const NewUserSetting = written.extend({ email: fields.email });
export type NewUserSetting = z.output<typeof NewUserSetting>;

const SORTS = ["id", "login", "email", "name", "created_at", "last_seen_at"] as const;

export const UserSettingPage = page([...SORTS, ...SORTS.map((field) => `-${field}` as const)])
  .extend({
    q: text(255).optional().describe("Part of the name, the e-mail address or the login").meta({ examples: ["ada"] }),
    id: Id.optional().describe("Only this user"),
    role: fields.role.optional(),
    active: fields.active.optional(),
    department_id: Id.nullable().optional().describe("Only users of this department; blank: without one"),
    team_id: Id.optional().describe("Only members of this team"),
    group_id: Id.optional().describe("Only members of this group"),
  });
export type UserSettingPage = z.output<typeof UserSettingPage>;
