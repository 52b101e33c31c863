/*
 * In the frame below the bar of a signed-in member: tells the bar the app's title and fragment, and asks it to follow links
 * out of the app, which the frame's sandbox does not let the app do. Other pages that frame the app ignore the messages.
 */
if (parent !== globalThis && location.pathname.endsWith("/frame")) {
  const send = (atrium, more) => parent.postMessage({ atrium, ...more }, "*");
  const tell = () => send("at", { title: document.title, hash: location.hash });
  for (const event of ["load", "hashchange", "popstate"]) addEventListener(event, tell);
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
