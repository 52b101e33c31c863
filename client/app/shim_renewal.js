/*
 * In a page that a host has opened for its user: the page token lives as long as the host's JWT, a few minutes. This asks
 * the host for another one in time, and takes it from the page around alone, if that is at one of the account's hosts. A
 * request that is made after the token has ended (the machine was asleep) waits for the next one.
 */
((carrier, renewal) => {
  if (!renewal || parent === globalThis) return;
  const AGAIN_MS = 5_000;
  const LONGEST_WAIT_MS = 15_000;
  const isHost = (origin) =>
    renewal.hosts.some((host) => {
      const [before, after] = host.split("*");
      return after === undefined ? origin === host : origin.startsWith(before) && origin.endsWith(after);
    });
  let ends_at, timer;
  const waiting = new Set();
  const ask = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, AGAIN_MS);
    parent.postMessage({ atrium: "token" }, "*");
  };
  const plan = (expires_in) => {
    ends_at = Date.now() + expires_in * 1_000;
    clearTimeout(timer);
    timer = setTimeout(ask, expires_in * 750);
  };
  carrier.waitFor(() => {
    if (Date.now() < ends_at) return;
    ask();
    return new Promise((resolve) => {
      waiting.add(resolve);
      setTimeout(resolve, LONGEST_WAIT_MS);
    });
  });
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || !isHost(origin) || data?.atrium !== "token") return;
    const { token, expires_in } = data;
    if (typeof token !== "string" || !(expires_in > 0)) return;
    carrier.renew(token);
    plan(expires_in);
    for (const go of waiting) go();
    waiting.clear();
  });
  plan(renewal.expires_in);
});
