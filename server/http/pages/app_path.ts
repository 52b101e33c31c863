/** Paths of app pages and of their files. */

/** A `url_code`. */
export const CODE = /^[a-z0-9_-]{1,100}$/;
/** An app's id. */
export { UUID as ID } from "../../database/uuid_v7.ts";

/** A segment of the path as it was sent: encoded slashes and NULs name no app. */
export function segment(path: string, index: 2 | 3): string {
  let from = path.indexOf("/", 1) + 1;
  if (index === 3) from = path.indexOf("/", from) + 1;
  const end = path.indexOf("/", from);
  return path.slice(from, end === -1 ? undefined : end);
}
