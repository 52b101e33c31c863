/*
 * Of the page that shows a member an app in a frame. The bar works without it. It adds full screen, hands the fragment of
 * the address to the app, and obeys three messages of the frame: `at` (the app's title and fragment), `leave` (the viewer
 * follows a link out of the app) and `reopen` (the frame has loaded itself again, and only this page can name the viewer).
 *
 * The app is untrusted. A message may only set this page's title and fragment, lead elsewhere after a click or a key, and
 * load this app's own frame.
 */
(() => {
  let frame = document.querySelector("iframe");
  const button = document.querySelector("button[hidden]");
  const { title } = document;
  const home = new URL(frame.src);
  const AGAIN_MS = 5_000;
  let reopened = -AGAIN_MS;

  /** In a new element: its request is this page's own, whatever the browser remembers of the old one's. */
  const load = (address) => {
    const fresh = frame.cloneNode();
    fresh.src = address;
    frame.replaceWith(fresh);
    frame = fresh;
    frame.focus();
  };

  // Only a person who moves with Tab needs a ring around the frame.
  addEventListener("keydown", ({ key }) => frame.toggleAttribute("data-tabbed", key === "Tab"));

  if (location.hash) load(home.href + location.hash);
  else frame.focus();
  addEventListener("hashchange", () => frame.contentWindow.location.replace(home.href + location.hash));

  if (document.fullscreenEnabled) {
    button.hidden = false;
    button.addEventListener("click", () => frame.requestFullscreen());
  }

  const read = (address) => typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
  const messages = {
    at({ title: told, hash }) {
      reopened = -AGAIN_MS;
      if (typeof told === "string") document.title = told.trim().slice(0, 200) || title;
      const fits = typeof hash === "string" && hash.length < 2_000 && /^(#|$)/.test(hash);
      if (fits && hash !== location.hash) {
        history.replaceState(null, "", location.pathname + location.search + hash);
      }
    },
    leave({ to }) {
      const address = read(to);
      const clicked = navigator.userActivation?.isActive ?? true;
      if (clicked && address && /^https?:$/.test(address.protocol)) location.assign(address);
    },
    reopen({ to }) {
      const address = read(to);
      if (!address || address.origin !== home.origin || address.pathname !== home.pathname) return;
      const again = performance.now() - reopened < AGAIN_MS;
      reopened = performance.now();
      // Twice in a row without the app in between: the session has ended. This page then leads to the sign-in page.
      if (again) return location.reload();
      load(address.href);
    },
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== "null" || typeof data !== "object" || data === null) return;
    if (Object.hasOwn(messages, data.atrium)) messages[data.atrium](data);
  });
})();
