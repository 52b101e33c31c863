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
 * A user within a grant, from the user as it is now. A grant of departments limits in open accounts, too.
 */
export function narrowed<User extends Restriction & { role: Role }>(user: User, grant: Grant): User {
  const role = roleWithin(user.role, grant);
  const { department_ids } = grant;
  if (department_ids === null) return { ...user, role };
  return {
    ...user,
    role,
    restricted: true,
    department_ids: user.department_ids.filter((id) => department_ids.includes(id)),
  };
}

/** The role within a grant. A grant of departments makes an admin, who sees all departments, a manager. */
export function roleWithin(role: Role, { role: strongest, department_ids }: Grant): Role {
  const weakest = weaker(role, strongest ?? role);
  return department_ids === null ? weakest : weaker(weakest, "manager");
}

export const isSameGrant = (one: Grant, other: Grant): boolean =>
  one.key_id === other.key_id && one.role === other.role &&
  one.department_ids?.join() === other.department_ids?.join();
