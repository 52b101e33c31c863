/** Public methods as sentences. */
import { joined } from "../../../format.ts";
import type { Db, Field } from "../tables.ts";

export type Methods = Db["public_methods"];
export type Variable = NonNullable<NonNullable<Methods["create"]>["auto_fields"]>[string];

export const VARIABLES: Record<Variable, string> = {
  "{cookie_key}": "their browser key",
  "{user_id}": "their user id",
  "{user_name}": "their name",
  "{ip}": "their IP address",
};

const isText = ({ type }: Field) => type === "string" || type === "text";

/** Fields that can hold the value. */
export const holds = (variable: Variable, field: Field): boolean =>
  isText(field) || variable === "{user_id}" && field.type === "integer";

/** Fields that can say whose a record is. */
export const namesOwner = (field: Field): boolean => isText(field) || field.type === "integer";

/** Names of the methods that callers without a login may use. */
export const openToVisitors = (methods: Methods): string[] =>
  Object.entries(methods).flatMap(([name, method]) => method && !method.members_only ? [name] : []);

const CLOSED = "Visitors may do nothing: the database is closed to everyone without a login.";

/** What visitors and members may do, in a sentence each. */
export function sentenceOf(methods: Methods): string {
  const members = sentenceFor("Members", methods);
  const visitors = sentenceFor("Visitors", methods);
  if (visitors) return members ? `${visitors} ${members}` : visitors;
  return members ? `${members} Visitors may do nothing.` : CLOSED;
}

/** Parts end with a semicolon. */
function sentenceFor(who: "Visitors" | "Members", methods: Methods): string {
  const of_members = who === "Members";
  const is_theirs = (method: { members_only?: boolean | undefined } | undefined) =>
    method !== undefined && Boolean(method.members_only) === of_members;
  const list = is_theirs(methods.list) ? methods.list : undefined;
  const create = is_theirs(methods.create) ? methods.create : undefined;
  const update = is_theirs(methods.update) ? methods.update : undefined;
  const remove = is_theirs(methods.delete) ? methods.delete : undefined;
  const every = of_members ? "every record of their departments" : "every record";
  const parts: string[] = [];
  if (create) {
    const fields = create.allowed_fields;
    parts.push(
      fields === undefined
        ? "add records with every field"
        : fields.length > 0
        ? `add ${joined(fields)}`
        : "add blank records",
    );
  }
  if (update) {
    const fields = update.allowed_fields === undefined ? "every field" : joined(update.allowed_fields) || "nothing";
    parts.push(`change ${fields} of ${update.scope_by ? "their own records" : every}`);
  }
  if (remove) parts.push(`delete ${remove.scope_by ? "their own records" : every}`);
  const may = parts.length > 0 ? [`${who} may ${joined(parts)}`] : [];
  const set = Object.entries(create?.auto_fields ?? {}).map(([field, variable]) =>
    `${field} is set to ${VARIABLES[variable]}`
  );
  const subject = may.length > 0 ? "they" : who;
  const see = list
    ? [`${subject} see ${list.scope_by ? "only their own records" : of_members ? every : "all records"}`]
    // Where members have a method of their own, they see what visitors see.
    : may.length > 0 && !of_members
    ? ["they see no records"]
    : [];
  const all = [...may, ...set, ...see];
  return all.length > 0 ? `${all.join("; ")}.` : "";
}
