/** The address of the server that a client names. */

/** An http(s) address, the page's own site (""), or a path of it. */
const ADDRESS = /^$|^\/[^\s?#]*$|^https?:\/\/[^\s/?#][^\s?#]*$/i;

/**
 * @param url may be anything in JavaScript, such as an environment variable that is not set
 * @returns without a slash at its end
 * @throws {TypeError} for what is no address
 */
export function serverAddress(url: string): string {
  if (typeof url === "string" && ADDRESS.test(url)) return url.replace(/\/+$/, "");
  throw new TypeError(`url must be an address such as https://atrium.example.com, not ${JSON.stringify(url)}`);
}
