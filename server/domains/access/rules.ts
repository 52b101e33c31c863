/** The sentences that say why an object is seen and changed. */
import type { Restriction } from "../../visibility.ts";
import { hasRole, type Reached, ROLES_OF } from "./reached.ts";
import type { Access, Type } from "./schema.ts";
import type { AccessUser } from "./queries.ts";

type Names = ReadonlyMap<number, string>;

/** Why the user sees an object of this department. It does see it. */
function ruleFor({ role, restricted }: Restriction, department: number | null, names: Names): string {
  if (role === "admin") return "admin";
  if (!restricted) return "visibility is not restricted in the account";
  if (department === null) return "has no department: needs without_department while the account is restricted";
  return `member of department ${names.get(department) ?? department}`;
}

function ruleOf(user: Restriction, type: Type, { departments }: Reached, names: Names): string {
  const [first = "", ...more] = [...new Set(departments.map((department) => ruleFor(user, department, names)))];
  if (more.length === 0) return first;
  return type === "record" ? `database: ${first}; record: ${more.join(", ")}` : [first, ...more].join("; ");
}

/** How an object is open to callers without a login. */
function openness(type: Type, { open }: Reached): Pick<Access, "sees" | "changes" | "rule"> | undefined {
  const ways = Object.entries(open).filter(([way]) => type !== "record" || way !== "create");
  if (ways.length === 0) return undefined;
  const is_page = type === "app" || type === "action";
  // A method with a scope does not show a given record to everyone.
  const given = ways.filter(([, scope_by]) => type !== "record" || scope_by === null).map(([way]) => way);
  const named = ways.map(([way, scope_by]) => scope_by === null ? way : `${way} (own records, by ${scope_by})`);
  return {
    sees: is_page || given.includes("list"),
    changes: !is_page && given.some((way) => way !== "list"),
    rule: `everyone, without login${is_page ? "" : `: public methods ${named.toSorted().join(", ")}`}`,
  };
}

/** The entry for everyone; undefined where the object is not public. */
export function accessOfEveryone(type: Type, object: Reached): Access | undefined {
  const open = openness(type, object);
  return open && { type, id: object.id, name: object.name, user: null, ...open };
}

/** The entry of a user who sees the object, by the department rule or as everyone does. */
export function accessOf(user: AccessUser, type: Type, object: Reached, names: Names): Access {
  const { user_id: id, login, name, role } = user;
  const entry = { type, id: object.id, name: object.name, user: { id, login, name, role } };
  if (!object.by_rule) return { ...entry, sees: false, changes: false, rule: "", ...openness(type, object) };
  const least = ROLES_OF[type].changes;
  const changes = hasRole(role, least);
  const rule = ruleOf(user, type, object, names);
  return {
    ...entry,
    sees: true,
    changes,
    rule: changes ? rule : `${rule}; changing it needs the role ${least}`,
  };
}
