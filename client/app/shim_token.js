/*
 * The page's requests to this server's own API say who looks at it: the server calls this with the token that it has
 * made for the page.
 */
((token) => {
  const home = new URL(location.href).origin;
  const isOurs = (address) => {
    try {
      const { origin, pathname } = new URL(address, document.baseURI);
      return origin === home && pathname.startsWith("/platform/");
    } catch {
      return false;
    }
  };
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const request = input instanceof Request ? input : undefined;
    if (!isOurs(request?.url ?? input)) return fetch(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    headers.set("x-app-token", token);
    return fetch(input, { ...init, headers });
  };
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (...parts) {
    open.apply(this, parts);
    if (isOurs(parts[1])) this.setRequestHeader("x-app-token", token);
  };
});
