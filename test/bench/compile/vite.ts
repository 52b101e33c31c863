/**
 * Vite's production build of the same sources, for comparison. npm installs Vite and its plugins into a folder for
 * temporary files on first use, because their native parts need a `node_modules` folder and only the bench uses them.
 */
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import config from "../../../deno.json" with { type: "json" };
import type { CssEngine, Engine } from "../../../server/compiler/compiler.ts";
import { FETCHED } from "../../../server/compiler/runtime/fetched_packages.ts";
import { readLines } from "../../../server/input/lines.ts";
import { hashOf } from "../../../server/http/files/variants.ts";
import { findProgram } from "../../stage/programs.ts";

/** Packages beside the engines. The engines have the versions that deno.json pins. */
const TOOLS = {
  "@sveltejs/vite-plugin-svelte": "7.3.1",
  "@tailwindcss/vite": "4.3.5",
  "@vitejs/plugin-react": "6.3.0",
  "@vitejs/plugin-vue": "6.0.11",
  "vite": "8.3.8",
};
const ENGINES = ["kaboom", "kaplay", "phaser", "phaser4", "react", "react-dom", "svelte", "tailwindcss", "vue"];

const Built = z.object({
  /** Bytes of the page and of the files, with brotli's best quality. */
  html: z.int(),
  files: z.array(z.object({ name: z.string(), raw: z.int(), brotli: z.int() })),
  /** Duration of Vite's `build()`, without writing and compressing files. */
  ms: z.number(),
});
export type ViteBuild = z.output<typeof Built>;

const Answer = z.union([z.object({ built: Built }), z.object({ failed: z.string() })]);

export type ViteEngine = Exclude<Engine, "js" | "html">;

export interface Vite {
  /**
   * Builds an app for production. Builds run one after the other.
   *
   * @param css_engine both Tailwind engines use Vite's Tailwind plugin
   * @param runtime false: imports of the engine's packages are kept, as in our builds
   * @throws {Error} with Vite's message
   */
  build(
    engine: ViteEngine,
    source: string,
    css_engine: CssEngine,
    options?: { runtime?: boolean },
  ): Promise<ViteBuild>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @throws {Error} where Node.js is missing or npm fails */
export async function openVite(): Promise<Vite> {
  const node = findProgram("node");
  if (!node) throw new Error("Vite runs on Node.js, which is missing: apt-get install nodejs npm");
  const folder = await installed();
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ dir: folder, prefix: "apps_" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  const child = new Deno.Command(node, {
    args: [`${folder}/worker.mjs`, work],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  stack.defer(async () => {
    await writer.close().catch(() => {});
    await child.status;
  });
  const lines = readLines(child.stdout);

  async function ask(request: unknown): Promise<ViteBuild> {
    await writer.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    const { value } = await lines.next();
    if (value === undefined) throw new Error("Vite's process has ended");
    const answer = Answer.parse(JSON.parse(value));
    if ("failed" in answer) throw new Error(`Vite cannot build it: ${answer.failed}`);
    return answer.built;
  }

  let last: Promise<unknown> = Promise.resolve();
  const owned = stack.move();
  return {
    build(engine, source, css_engine, { runtime = true } = {}) {
      const turn = last.then(() => ask({ engine, source, tailwind: css_engine !== "none", runtime }));
      last = turn.catch(() => {});
      return turn;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The folder with the packages, made once per machine and list of versions. */
async function installed(): Promise<string> {
  const pinned = new Map(Object.entries({ ...config.imports, ...FETCHED }));
  const engines = ENGINES.map((name) => [name, pinned.get(name) ?? ""]);
  // npm's syntax for an alias is Deno's for every package: `npm:name@version`.
  const dependencies = { ...TOOLS, ...Object.fromEntries(engines) };
  const manifest = JSON.stringify({ private: true, type: "module", dependencies }, null, 2);
  const folder = `${tmpdir()}/atrium_vite_${hashOf(manifest).slice(0, 12)}`;
  if (!await exists(`${folder}/node_modules`)) {
    const fresh = await Deno.makeTempDir({ prefix: "atrium_installing_" });
    await Deno.writeTextFile(`${fresh}/package.json`, manifest);
    await install(fresh);
    // Where two benches install at once, the first folder is kept.
    await Deno.rename(fresh, folder).catch(() => Deno.remove(fresh, { recursive: true }));
  }
  await Deno.copyFile(fileURLToPath(new URL("./vite_worker.js", import.meta.url)), `${folder}/worker.mjs`);
  return folder;
}

async function install(folder: string): Promise<void> {
  const npm = findProgram("npm");
  if (!npm) throw new Error("Vite is installed by npm, which is missing: apt-get install npm");
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { success, stderr } = await new Deno.Command(npm, { args, cwd: folder, stdin: "null" }).output();
  if (!success) throw new Error(`npm cannot install Vite: ${new TextDecoder().decode(stderr).trim()}`);
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);
