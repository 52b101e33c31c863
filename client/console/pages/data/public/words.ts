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

/** What visitors may do, in one sentence; each part ends with a semicolon. */
export function sentenceOf({ list, create, update, delete: remove }: Methods): string {
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
    parts.push(`change ${fields}${update.scope_by ? " of their own records" : " of every record"}`);
  }
  if (remove) parts.push(remove.scope_by ? "delete their own records" : "delete every record");
  const may = parts.length > 0 ? [`Visitors may ${joined(parts)}`] : [];
  const set = Object.entries(create?.auto_fields ?? {}).map(([field, variable]) =>
    `${field} is set to ${VARIABLES[variable]}`
  );
  const see = list
    ? list.scope_by ? "they see only their own records" : "they see all records"
    : may.length > 0
    ? "they see no records"
    : "";
  const all = [...may, ...set, ...see ? [see] : []];
  if (all.length === 0) return "Visitors may do nothing: the database is closed to everyone without a login.";
  const text = all.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`.replace("They see", "Visitors see");
}
