/** JSON values, and parts of them by path. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}
/** Keys and indexes from the program on. */
export type Path = readonly (string | number)[];

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textOf = (path: Path): string => path.join(".");

export function valueAt(root: Json, path: Path): Json | undefined {
  let value: Json | undefined = root;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** A copy with another value at the path; undefined removes the key. A missing object on the way is made. */
export function withValue(root: Json, [key, ...rest]: Path, value: Json | undefined): Json {
  if (key === undefined) return value ?? null;
  if (Array.isArray(root)) {
    const list = [...root];
    const index = Number(key);
    if (rest.length === 0 && value === undefined) list.splice(index, 1);
    else list[index] = withValue(list[index] ?? {}, rest, value);
    return list;
  }
  const object: JsonObject = isObject(root) ? { ...root } : {};
  if (rest.length === 0 && value === undefined) delete object[key];
  else object[key] = withValue(object[key] ?? {}, rest, value);
  return object;
}

export const isAt = (a: Path | undefined, b: Path): boolean => a !== undefined && textOf(a) === textOf(b);
/** Whether the path leads into what is at the other one, or to it. */
export const isIn = (path: Path, outer: Path): boolean => textOf(path.slice(0, outer.length)) === textOf(outer);
