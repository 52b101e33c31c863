/*
 * What a host page includes to show apps. As a classic script with `data-target` or `data-app` it shows them in its own
 * place; as a module it exports `embed`. docs/embedding.md describes both. `deno task build` minifies this file.
 *
 * Frames hold untrusted code. A message counts only if it comes from the window of a frame of ours, with its origin, and
 * may set that frame's height or ask for a token of that frame's own app.
 */
const script = document.currentScript;
const base = new URL(".", import.meta.url).href;
const FRAME = "allow-scripts allow-forms allow-popups allow-modals allow-downloads allow-pointer-lock";
const HIGHEST_PX = 20_000;
/** How long after its last load a frame may take to answer. */
const PATIENCE_MS = 10_000;
const BLOCKED = `This page's Content-Security-Policy must allow ${base} in connect-src, frame-src and form-action.`;

const shown = new Set();
const style = (element, styles) => Object.assign(element.style, styles);

/** A refused field with its messages. Those of `base` are whole sentences. */
const reasonIn = (entry) => entry.join(" ").replace(/^base /, "");

async function ask(path, body) {
  let response, answer;
  try {
    response = await fetch(`${base}platform/embeds/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    answer = await response.json();
  } catch {
    throw new Error(`${base} cannot be reached. ${BLOCKED}`);
  }
  if (response.ok) return answer;
  throw new Error(answer.error ?? Object.entries(answer).map(reasonIn).join("; "));
}

/** The scheme that the host page uses at the element: `light` unless it asks for `dark`, or follows a dark system. */
function schemeOf(element) {
  const { colorScheme } = getComputedStyle(element);
  if (!colorScheme.includes("dark")) return "light";
  return !colorScheme.includes("light") || matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function complain(error) {
  const text = `Atrium: ${error.message ?? error}`;
  // deno-lint-ignore no-console
  console.error(text);
  return text;
}

function fail(box, error) {
  box.textContent = complain(error);
  box.setAttribute("role", "alert");
  style(box, { padding: "12px", border: "1px solid", borderRadius: "6px", font: "13px/20px system-ui", opacity: ".8" });
}

/** One app: a skeleton until its frame answers, and a sentence in its place if it does not. */
function show(box, { id, title, url, width, height }, viewer) {
  const frame = document.createElement("iframe");
  const apart = new URL(url).origin !== new URL(base).origin;
  const pulse = box.animate({ opacity: [1, .5, 1] }, { duration: 1500, iterations: Infinity });
  let scheme, timer, answered;
  // Another copy of this script may be on the page, and a form's target is looked up in all of it.
  frame.name = `atrium-${Math.random()}`;
  frame.title = title;
  frame.allow = "fullscreen; clipboard-write; autoplay; gamepad; web-share";
  frame.setAttribute("sandbox", apart ? `${FRAME} allow-same-origin` : FRAME);
  style(frame, { display: "block", width: "100%", height: "100%", border: 0 });
  style(box, {
    height: `${height ?? 150}px`,
    maxWidth: width ? `${width}px` : "",
    background: "#8882",
    borderRadius: "6px",
  });
  box.append(frame);

  const send = (atrium, more) => frame.contentWindow?.postMessage({ atrium, ...more }, "*");
  const stop = () => {
    shown.delete(app);
    seen?.disconnect();
    clearTimeout(timer);
    pulse.cancel();
    frame.remove();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      let reason = new Error(`${title} does not answer. ${BLOCKED}`);
      try {
        await (viewer ? ask("token.json", { app: id, viewer: await viewer() }) : ask("open.json", { app: id }));
      } catch (error) {
        reason = error;
      }
      if (answered || !frame.isConnected) return;
      stop();
      fail(box, reason);
    }, PATIENCE_MS);
  };
  const load = async () => {
    if (!viewer) {
      frame.src = url;
      return wait();
    }
    const jwt = await viewer();
    // A form whose target has been removed would open a new window.
    if (!frame.isConnected) return;
    // In a form's body the JWT is in no address, and so in no log and no history.
    const form = document.createElement("form");
    const field = document.createElement("input");
    Object.assign(form, { method: "post", action: url, target: frame.name, hidden: true });
    Object.assign(field, { name: "viewer", value: jwt });
    form.append(field);
    document.body.append(form);
    form.submit();
    form.remove();
    wait();
  };
  const follow = () => {
    const now = schemeOf(box);
    if (now === scheme) return;
    scheme = frame.style.colorScheme = now;
    send("host", { scheme });
  };
  const messages = {
    ready() {
      clearTimeout(timer);
      answered = true;
      scheme = undefined;
      follow();
      pulse.cancel();
      style(box, { background: "" });
    },
    size({ height: told }) {
      if (told >= 0 && told <= HIGHEST_PX) box.style.height = `${Math.ceil(told)}px`;
    },
    async token() {
      if (viewer) send("token", await ask("token.json", { app: id, viewer: await viewer() }));
    },
  };
  const app = {
    follow,
    stop,
    hear({ source, origin, data }) {
      if (source !== frame.contentWindow || origin !== (apart ? new URL(url).origin : "null")) return;
      if (!Object.hasOwn(messages, data?.atrium)) return;
      Promise.resolve(messages[data.atrium](data)).catch(complain);
    },
  };
  shown.add(app);
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    load().catch((error) => (stop(), fail(box, error)));
  }, { rootMargin: "300px" });
  seen.observe(box);
  return app;
}

const follow = () => shown.forEach((app) => app.follow());
addEventListener("message", (event) => shown.forEach((app) => app.hear(event)));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
const changes = new MutationObserver(follow);
changes.observe(document.documentElement, { attributes: true });

/**
 * Shows the apps at a module or page, or one app.
 *
 * @param {Element} element receives the frames
 * @param {{ app?: string, target?: string, viewer?: () => string | Promise<string> }} options `app` is a `url_code` or id;
 *   `viewer` returns a fresh JWT of the host's user, and is called again before it ends
 * @returns {() => void} removes the frames
 */
export function embed(element, { app, target, viewer } = {}) {
  const place = document.createElement("div");
  let apps = [];
  let removed = false;
  style(place, { display: "grid", gap: "16px" });
  element.append(place);
  // The scheme is often a class of the page or of its body.
  for (let at = element; at; at = at.parentNode ?? at.host) changes.observe(at, { attributes: true });
  (async () => {
    const found = await ask("open.json", { app, target, viewer: await viewer?.() });
    if (removed) return;
    apps = found.apps.map((one) => {
      const box = document.createElement("div");
      place.append(box);
      return show(box, one, viewer);
    });
  })().catch((error) => fail(place, error));
  return () => {
    removed = true;
    apps.forEach(({ stop }) => stop());
    place.remove();
  };
}

if (script) {
  const place = document.createElement("div");
  script.after(place);
  embed(place, script.dataset);
}
