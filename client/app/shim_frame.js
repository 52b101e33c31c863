/*
 * In the frame below the bar of a signed-in member: tells the bar the app's title and fragment, and asks it to follow links
 * out of the app, which the frame's sandbox does not let the app do. Other pages that frame the app ignore the messages.
 */
if (parent !== globalThis && location.pathname.endsWith("/frame")) {
  const send = (atrium, more) => parent.postMessage({ atrium, ...more }, "*");
  const tell = () => send("at", { title: document.title, hash: location.hash });
  for (const event of ["load", "hashchange", "popstate"]) addEventListener(event, tell);
  // A router's calls have no event.
  for (const name of ["pushState", "replaceState"]) {
    const change = history[name];
    history[name] = function (...parts) {
      change.apply(this, parts);
      tell();
    };
  }
  let { title } = document;
  const retitled = () => title !== (title = document.title) && tell();
  addEventListener("load", () => {
    new MutationObserver(retitled).observe(document.head, { childList: true, characterData: true, subtree: true });
  });
  addEventListener("click", (event) => {
    const link = event.composedPath().find((part) => part instanceof HTMLAnchorElement && part.href);
    const plain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !plain || event.defaultPrevented || link.hasAttribute("download")) return;
    const to = new URL(link.href);
    const inside = to.origin === new URL(location.href).origin && to.pathname === location.pathname;
    if (
      inside && link.target !== "_top" || !/^https?:$/.test(to.protocol) || !/^(_self|_top|_parent|)$/.test(link.target)
    ) {
      return;
    }
    event.preventDefault();
    send("leave", { to: to.href });
  });
}
