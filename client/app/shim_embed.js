/*
 * In a frame of a host page that answers: tells the host how high the content is, whenever that changes, and follows the
 * host's color scheme. Any other page around ignores the message.
 */
(() => {
  if (parent === globalThis) return;
  const tell = (atrium, more) => parent.postMessage({ atrium, ...more }, "*");
  let following = false;
  let told;
  const REST_MS = 300;
  const LONGEST_BLANK_MS = 1_000;
  let frame, resting;
  let parsed = false;
  let starting = true;
  let checking = false;
  let proven = false;
  const heightOf = () => {
    const { documentElement: page, body, compatMode } = document;
    const { marginBottom } = getComputedStyle(body);
    const { bottom } = body.getBoundingClientRect();
    // In quirks mode the page is as high as its frame.
    const height = compatMode === "CSS1Compat"
      ? page.getBoundingClientRect().height
      : bottom + scrollY + parseFloat(marginBottom);
    return Math.ceil(height);
  };
  /*
   * A part of `100vh` beside another part grows with each height that the host sets, without an end. Growth that is the
   * frame's, once for each such part, is not told. An animation looks the same for a moment: until it is proven that the
   * content follows the frame, the height is told once it rests.
   */
  const absorb = () => {
    const grown = innerHeight - frame;
    frame = innerHeight;
    if (grown === 0) return;
    const more = heightOf() - told;
    const parts = Math.round(more / grown);
    const follows = grown > 0 && parts > 0 && Math.abs(more - parts * grown) <= 1;
    proven ||= checking && follows;
    checking = false;
    if (!follows) return;
    told += more;
    clearTimeout(resting);
    if (!proven) {
      resting = setTimeout(() => {
        checking = true;
        tell("size", { height: told });
      }, REST_MS);
    }
  };
  const isBlank = () => {
    const content = document.createRange();
    content.selectNodeContents(document.body);
    return content.getBoundingClientRect().height === 0;
  };
  const measure = () => {
    // A part of `100vh` that is shown in a moment would have no height in a frame without one.
    if (starting && isBlank()) return;
    starting = false;
    absorb();
    const height = heightOf();
    if (height === told) return;
    clearTimeout(resting);
    tell("size", { height: told = height });
  };
  const follow = () => {
    if (document.compatMode !== "CSS1Compat") document.body.style.height ||= "fit-content";
    frame = innerHeight;
    addEventListener("resize", absorb);
    const observer = new ResizeObserver(measure);
    observer.observe(document.documentElement);
    observer.observe(document.body);
    setTimeout(() => {
      starting = false;
      measure();
    }, LONGEST_BLANK_MS);
  };
  // Modules have run by then.
  addEventListener("DOMContentLoaded", () => {
    parsed = true;
    if (following) follow();
  });
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.atrium !== "host") return;
    if (/^(light|dark)$/.test(data.scheme)) document.documentElement.style.colorScheme = data.scheme;
    if (following) return;
    following = true;
    if (parsed) follow();
  });
  tell("ready");
})();
