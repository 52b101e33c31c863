/** What a host page vouches for with a JWT: a user of the account, perhaps with less than that user may do. */
import { type Role, weaker } from "../input/roles.ts";
import type { Restriction } from "../visibility.ts";

export interface Grant {
  /** The embedding key that signed the JWT. What the JWT opened ends with it. */
  key_id: number;
  /** The strongest role; null is the user's own. */
  role: Role | null;
  /**
   * Nothing of other departments; null is everything that the user sees. What has no department is seen by users with
   * `without_department`, as always.
   */
  department_ids: readonly number[] | null;
}

/**
 * A user within a grant, from the user as it is now. A grant of departments limits in open accounts, too, and an admin,
 * who sees all departments, then acts as a manager.
 */
export function narrowed<User extends Restriction & { role: Role }>(user: User, grant: Grant): User {
  const role = weaker(user.role, grant.role ?? user.role);
  const { department_ids } = grant;
  if (department_ids === null) return { ...user, role };
  return {
    ...user,
    role: weaker(role, "manager"),
    restricted: true,
    department_ids: user.department_ids.filter((id) => department_ids.includes(id)),
  };
}
