/** Roles of users. */

/** Weakest first. Each role includes the roles before it. docs/api.md says what each may do. */
export const ROLES = ["guest", "user", "manager", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const weaker = (one: Role, other: Role): Role => ROLES.indexOf(one) < ROLES.indexOf(other) ? one : other;
