/** An object as the rules of access see it, and the conditions that select objects. */
import type { Sql } from "../../database/pool.ts";
import type { KnownUser } from "../../reach.ts";
import { type Role, ROLES, type Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import type { Type } from "./schema.ts";

type Fragment = ReturnType<Sql>;

/** An object of any type. */
export interface Reached {
  id: string;
  /** Where a list continues after the object. */
  key: string;
  name: string | null;
  /** Each must be visible: a record's own department and that of its database. */
  departments: (number | null)[];
  /** The department rule lets the listed user see it. */
  by_rule: boolean;
  /** The weakest role that sees the object, if it is not the one of its type. */
  seen_from: Role | null;
  /**
   * What callers without a login do: `app`, `action`, or public methods. The value is the field that limits a method to
   * records of its caller. Empty: the object is not public.
   */
  open: Record<string, string | null>;
}

/** Which objects: one, or a page of those that a user reaches. */
export interface Wanted {
  viewer: Viewer;
  /** Undefined: each object that the viewer sees. */
  user: KnownUser | undefined;
  /** Selects one object. */
  id: string | undefined;
  /** The key of the object before the page. */
  after: string | undefined;
  limit: number;
}

/** The weakest roles that see and change objects of each type, within what is visible to them. */
export const ROLES_OF: Record<Type, { sees: Role; changes: Role }> = {
  app: { sees: "guest", changes: "manager" },
  action: { sees: "guest", changes: "manager" },
  db: { sees: "user", changes: "manager" },
  connector: { sees: "user", changes: "manager" },
  flow: { sees: "user", changes: "manager" },
  cron: { sees: "user", changes: "manager" },
  run: { sees: "user", changes: "user" },
  record: { sees: "user", changes: "user" },
};

export const hasRole = (role: string, least: Role): boolean =>
  ROLES.findIndex((known) => known === role) >= ROLES.indexOf(least);

/** @param least the weakest role that sees the object; null is the role of its type */
export const seenFrom = (type: Type, least: Role | null): Role => least ?? ROLES_OF[type].sees;

/** Whether the department rule and the role let the wanted user see the row: a condition on its `department_id`. */
export function byRule(sql: Sql, { user }: Wanted, type: Type): Fragment {
  if (user === undefined) return sql`true`;
  return hasRole(user.role, ROLES_OF[type].sees) ? visible(sql, user) : sql`false`;
}

/** What the viewer may be told of: a condition on the row's `department_id`. */
export const told = (sql: Sql, { viewer }: Wanted): Fragment => visible(sql, viewer);

/** The public methods of a row of `dbs` with their scopes. Those for members follow the department rule. */
export const methods = (sql: Sql): Fragment =>
  sql`(
    select coalesce(json_object_agg(m.key, m.value ->> 'scope_by'), '{}')
    from jsonb_each(public_methods) m
    where ${forEveryone(sql)}
  )`;

/** The method `m` of `jsonb_each` is not for members only. */
export const forEveryone = (sql: Sql): Fragment => sql`coalesce(m.value ->> 'members_only', 'false') = 'false'`;
