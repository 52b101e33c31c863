/**
 * Runs in Node.js; vite.ts copies it beside Vite's `node_modules`. Reads one JSON object per line from standard input,
 * builds that app in a new folder, and writes one line. Its argument is the parent of these folders.
 */
import { Buffer } from "node:buffer";
import { mkdir, writeFile } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";
import { brotliCompressSync, constants } from "node:zlib";

/** Packages that exist only in this folder. Imported by name, so that the project need not list them. */
const load = (name) => import(name);

const { build } = await load("vite");
const plugins = {
  svelte: (await load("@sveltejs/vite-plugin-svelte")).svelte,
  vue: (await load("@vitejs/plugin-vue")).default,
  react: (await load("@vitejs/plugin-react")).default,
  tailwind: (await load("@tailwindcss/vite")).default,
};

const [, , work] = process.argv;
const TARGET = `document.getElementById("platform-app")`;

/** The author's file and the module that mounts it, as in the engine's Vite template. */
const APPS = {
  svelte: {
    file: "App.svelte",
    main: `import { mount } from "svelte"; import App from "./App.svelte"; mount(App, { target: ${TARGET} });`,
  },
  vue: {
    file: "App.vue",
    main: `import { createApp } from "vue"; import App from "./App.vue"; createApp(App).mount(${TARGET});`,
  },
  react: {
    file: "App.tsx",
    main: `import { createElement } from "react"; import { createRoot } from "react-dom/client";
      import App from "./App.tsx"; createRoot(${TARGET}).render(createElement(App));`,
  },
  kaboom: { file: "app.js", main: `import "./app.js";` },
  phaser: { file: "app.js", main: `import "./app.js";` },
};
const RUNTIMES = /^(svelte|vue|react|react-dom|kaboom|kaplay|phaser4?)(\/|$)/;

async function perform({ engine, source, tailwind, runtime }, folder) {
  const { file, main } = APPS[engine];
  const files = {
    // A separate style block needs a reference to use Tailwind's theme.
    [file]: tailwind ? source.replace(/<style[^>]*>(?=[^]*@apply)/, `$&@reference "tailwindcss";`) : source,
    "main.js": tailwind ? `import "./main.css"; ${main}` : main,
    "main.css": tailwind ? `@import "tailwindcss";` : "",
    "index.html": `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>App</title>
</head>
<body>
<div id="platform-app"></div>
<script type="module" src="/main.js"></script>
</body>
</html>
`,
  };
  await mkdir(folder);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(`${folder}/${name}`, text)));
  const start = performance.now();
  const { output } = await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    resolve: { alias: { "phaser@4": "phaser4" } },
    plugins: [...plugins[engine] ? [plugins[engine]()] : [], ...tailwind ? [plugins.tailwind()] : []],
    build: {
      write: false,
      reportCompressedSize: false,
      rolldownOptions: { external: runtime ? undefined : RUNTIMES },
    },
  });
  const ms = performance.now() - start;
  const sized = output.map((part) => {
    const bytes = Buffer.from(part.type === "chunk" ? part.code : part.source);
    return { name: part.fileName, raw: bytes.length, brotli: compressed(bytes) };
  });
  return {
    html: sized.find(({ name }) => name === "index.html")?.brotli ?? 0,
    files: sized.filter(({ name }) => name !== "index.html"),
    ms,
  };
}

const compressed = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

// Standard output carries the answers.
const say = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await perform(JSON.parse(line), `${work}/${++count}`).then(
    (built) => ({ built }),
    (error) => ({ failed: String(error?.message ?? error) }),
  );
  say(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
