/** What an inviter may pass on: no role above its own. */
import { type Role, ROLES } from "../../viewer.ts";

const rankOf = (role: string) => ROLES.findIndex((each) => each === role);

/** Whether the inviter may invite with this role. Guests and users may not invite. */
export const isWithin = (role: string, inviter: { role: string }): boolean =>
  rankOf(inviter.role) >= rankOf("manager" satisfies Role) && rankOf(role) <= rankOf(inviter.role);
