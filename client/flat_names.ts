/** Objects as pairs of names and texts, as the server reads them from queries and forms. */

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

export const carriesFile = (value: unknown): boolean =>
  value instanceof Blob || isObject(value) && Object.values(value).some(carriesFile);

/** Names the fields of `{ department: { name, logo } }` `department[name]` and `department[logo]`. */
export function flatNames(value: unknown, name = ""): [name: string, value: string | Blob][] {
  if (value === undefined) return [];
  if (value instanceof Blob) return [[name, value]];
  if (Array.isArray(value)) {
    return (value.length === 0 ? [""] : value).map((item) => [`${name}[]`, String(item)]);
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => flatNames(item, name ? `${name}[${key}]` : key));
  }
  return [[name, value === null ? "" : String(value)]];
}
