/**
 * Type-checks the console: each `.svelte` file becomes a `.ts` file in a copy of the folder, which is then checked with
 * the libraries of a browser. Faults name the lines of the copy.
 */
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { findPackageJSON } from "node:module";
import { svelte2tsx } from "npm:svelte2tsx@0.7.62";

/** svelte2tsx needs it. */
export const keepsCached = () => import("npm:typescript@5.9.3");

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FROM = join(ROOT, "client/console");
/** As deep as the folder itself, so that relative imports lead to the same files. */
const TO = join(ROOT, "client/.console");

const SHIMS = ["svelte-shims-v4.d.ts", "svelte-jsx-v4.d.ts"];

async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (!isDirectory) yield path;
    else if (name !== "dist") yield* files(path);
  }
}

/** The generated file of a component is imported under its own name. */
const renamed = (code: string) =>
  code.replace(/(["'])(\.{1,2}\/[^"'\n]+)\.svelte\1/g, "$1$2.svelte.gen.ts$1").replace(
    /^\s*import\s+["'][^"']+\.css["'];?/gm,
    "",
  );

async function copyOf(file: string): Promise<string> {
  const is_component = file.endsWith(".svelte");
  const to = join(TO, relative(FROM, file)) + (is_component ? ".gen.ts" : "");
  await Deno.mkdir(dirname(to), { recursive: true });
  const source = await Deno.readTextFile(file);
  // A text that a module imports is as it is.
  if (file.endsWith(".txt")) return await Deno.writeTextFile(to, source).then(() => to);
  const code = is_component
    ? `/// <reference types="./${relative(dirname(to), join(TO, "shims.d.ts"))}" />\n` +
      svelte2tsx(source, { filename: file, isTsFile: true, mode: "ts", version: "5.57.3" }).code
    : source;
  await Deno.writeTextFile(to, renamed(code));
  return to;
}

async function configOf(): Promise<Record<string, unknown>> {
  const root = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  return {
    nodeModulesDir: "none",
    unstable: root.unstable,
    imports: root.imports,
    // svelte2tsx names snippets that only the markup uses.
    compilerOptions: {
      ...root.compilerOptions,
      noUnusedLocals: false,
      lib: ["esnext", "dom", "dom.iterable", "deno.ns", "deno.unstable"],
    },
  };
}

if (import.meta.main) {
  await Deno.remove(TO, { recursive: true }).catch(() => {});
  const copies: string[] = [];
  for await (const file of files(FROM)) {
    if (file.endsWith(".txt")) await copyOf(file);
    else if (/\.(svelte|ts)$/.test(file) && !file.endsWith("/console/check.ts")) copies.push(await copyOf(file));
  }
  const shims = dirname(findPackageJSON("svelte2tsx", import.meta.url) ?? "");
  const texts = await Promise.all(SHIMS.map((name) => Deno.readTextFile(join(shims, name))));
  await Deno.writeTextFile(join(TO, "shims.d.ts"), texts.join("\n"));
  await Deno.writeTextFile(join(TO, "deno.json"), JSON.stringify(await configOf()));
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--no-lock", `--config=${TO}/deno.json`, ...copies],
    env: { NO_COLOR: "1" },
  }).spawn().status;
  await Deno.remove(TO, { recursive: true });
  Deno.exit(code);
}
