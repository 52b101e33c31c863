/** The HTML of the console's page, and of the one that is shown while the console is being built. */
import type { ConsoleManifest } from "../../../compiler/compiler.ts";

/** The mark of client/console/parts/Mark.svelte. */
const PLANES = `<path d="M2.6 1h18.8l-5.2 5.6H7.8z"/><path d="M23 2.6v18.8l-5.6-5.2V7.8z" opacity=".62"/>` +
  `<path d="M21.4 23H2.6l5.2-5.6h8.4z" opacity=".3"/><path d="M1 21.4V2.6l5.6 5.2v8.4z" opacity=".46"/>`;

const ICON = encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#2361b5">${PLANES}</svg>`,
);

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Atrium</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
`;

/** Shown until the script has loaded, which takes seconds on a slow network. client/console/main.ts removes it. */
const WAIT =
  `<svg id="wait" class="late" viewBox="0 0 24 24" width="32" height="32" fill="currentColor" role="img" aria-label="The console is loading">${PLANES}</svg>`;

/** @param dev whether the page reloads after a build */
export function consolePage({ entry, styles, preload }: ConsoleManifest, dev: boolean): string {
  const lines = [
    ...styles.map((name) => `<link rel="stylesheet" href="/console/${name}">`),
    ...preload.map((name) => `<link rel="modulepreload" href="/console/${name}">`),
    `<script type="module" src="/console/${entry}"></script>`,
    ...(dev ? [`<script type="module" src="/console/reload.js"></script>`] : []),
    WAIT,
    "<noscript>The console needs JavaScript.</noscript>",
    "</html>",
  ];
  return `${HEAD}${lines.join("\n")}\n`;
}

/** @param failed whether the last build failed; it is tried again */
export const waitingPage = (failed: boolean): string =>
  `${HEAD}<meta http-equiv="refresh" content="${failed ? 15 : 2}">
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 8px; padding: 24px;
  background: light-dark(oklch(.982 .003 95), oklch(.178 .009 262)); color: light-dark(oklch(.22 .018 262), oklch(.935 .005 262)) }
svg { fill: light-dark(oklch(.5 .145 258), oklch(.745 .12 254)); margin-bottom: 8px }
h1 { font-size: 15px; font-weight: 600; margin: 0 }
p { margin: 0; color: light-dark(oklch(.46 .016 262), oklch(.715 .012 262)); max-width: 48ch; text-align: center }
</style>
<body>
<svg width="32" height="32" viewBox="0 0 24 24" aria-hidden="true">${PLANES}</svg>
${
    failed
      ? "<h1>The console could not be built</h1>\n<p>The server's log names the cause. It is tried again every minute; the API works.</p>"
      : "<h1>The console is being prepared</h1>\n<p>This happens once after an installation or an update, and takes seconds, or up to a minute on a slow machine.</p>"
  }
</body>
</html>
`;

/** Reloads the page after each build of `deno task dev`. */
export const RELOAD_SCRIPT = `
const build = async () => (await fetch("/console/build.json")).text();
let shown = await build();
setInterval(async () => {
  const next = await build().catch(() => shown);
  if (next !== shown) location.reload();
}, 700);
`;
