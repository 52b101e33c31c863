/*
 * Adds the page token to the page's requests below /platform/ of its own server, so that the server knows the viewer.
 * The server calls this function with the token that it made for the page.
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
