/** The host as written in a request's URL, which may be no valid host: `URL` would refuse to parse it. */
export const hostOf = (url: string): string => url.slice(url.indexOf("//") + 2, url.indexOf("/", 8));
