/** Header names that a connector method, a call or a flow step may set. */

const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** Headers of the connection and its framing, which the HTTP client sets. */
const CONNECTION_HEADER =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/i;

/** @returns the reason why the name is refused, in Rails' wording */
export function headerFault(name: string): string | undefined {
  if (!HEADER.test(name)) return "is not a header's name";
  if (CONNECTION_HEADER.test(name)) return "is set by the server";
}
