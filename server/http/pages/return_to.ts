/** Where a member goes after signing in: always to an address of this site. */

const HERE = "http://here.invalid";
export const HOME = "/";

/**
 * @param given what the address or the form names; browsers and this server may read it in different ways, so it is written
 *   anew from its parsed parts
 * @returns a path with query and fragment; the home page where `given` names none
 */
export function returnPath(given: string | null | undefined): string {
  if (!given || given.length > 2_000 || !URL.canParse(given, HERE)) return HOME;
  const { origin, pathname, search, hash } = new URL(given, HERE);
  const path = pathname + search + hash;
  const is_local = origin === HERE && given.startsWith("/") && /^\/(?![/\\])/.test(path);
  return is_local && pathname !== "/sign_in" ? path : HOME;
}

/** The address of the sign-in page that leads back to the request's own address. */
export function signInAddress({ url }: Request): string {
  return `/sign_in?return_to=${encodeURIComponent(url.slice(url.indexOf("/", 8)))}`;
}
