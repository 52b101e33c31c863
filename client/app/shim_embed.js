/*
 * In a frame of a host page that answers: tells the host how high the content is, whenever that changes, and follows the
 * host's color scheme. Any other page around ignores the message.
 */
(() => {
  if (parent === globalThis) return;
  const tell = (atrium, more) => parent.postMessage({ atrium, ...more }, "*");
  let following = false;
  let told;
  const measure = () => {
    const { documentElement: page, body, compatMode } = document;
    const { marginBottom } = getComputedStyle(body);
    const { bottom } = body.getBoundingClientRect();
    // In quirks mode the page is as high as its frame.
    const height = compatMode === "CSS1Compat"
      ? page.getBoundingClientRect().height
      : bottom + scrollY + parseFloat(marginBottom);
    if (Math.ceil(height) !== told) tell("size", { height: told = Math.ceil(height) });
  };
  const follow = () => {
    if (document.compatMode !== "CSS1Compat") document.body.style.height ||= "fit-content";
    const observer = new ResizeObserver(measure);
    observer.observe(document.documentElement);
    observer.observe(document.body);
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.atrium !== "host") return;
    if (/^(light|dark)$/.test(data.scheme)) document.documentElement.style.colorScheme = data.scheme;
    if (following) return;
    following = true;
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", follow);
    else follow();
  });
  tell("ready");
})();
