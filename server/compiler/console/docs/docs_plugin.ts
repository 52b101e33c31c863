/**
 * Puts the documentation into the console: client/console/pages/docs/content.ts only declares what this plugin loads in
 * its place. Each page is a chunk, and so is the text that the search reads.
 */
import type { Plugin } from "esbuild";
import { fileURLToPath } from "node:url";
import { compile } from "svelte/compiler";
import { CHAPTERS } from "./manuscript.ts";
import { type RenderedPage, renderPage } from "./render.ts";

const TREE = new URL("../../../../", import.meta.url);
const CODE_BLOCK = fileURLToPath(new URL("client/console/parts/CodeBlock.svelte", TREE));
const SEARCH = "docs-search";

/** Long and for few readers: the search knows only their headings. */
const ONLY_HEADINGS = new Set(["architecture", "changelog", "development"]);

const pathOf = (file: string) => fileURLToPath(new URL(file, TREE));

export const docsPlugin: Plugin = {
  name: "docs",
  setup(build) {
    // Files are read again for each build, so that a watching build shows their changes.
    let pages: Promise<Map<string, RenderedPage>>;
    const watchFiles = CHAPTERS.map(({ file }) => pathOf(file));
    build.onStart(() => void (pages = renderPages()));
    build.onLoad({ filter: /[/\\]pages[/\\]docs[/\\]content\.ts$/ }, async () => ({
      contents: indexOf(await pages),
      loader: "js",
      watchFiles,
    }));
    build.onLoad({ filter: /\.md$/ }, async ({ path }) => ({
      contents: pageModule((await pages).get(path)),
      loader: "js",
    }));
    build.onResolve({ filter: /^docs-search:/ }, ({ path }) => ({ namespace: SEARCH, path }));
    build.onLoad({ filter: /.*/, namespace: SEARCH }, async () => ({
      contents: `export default ${JSON.stringify(searchable(await pages))};`,
      loader: "js",
      watchFiles,
    }));
  },
};

/** By path of the file. */
export async function renderPages(): Promise<Map<string, RenderedPage>> {
  return new Map(
    await Promise.all(
      CHAPTERS.map(async (chapter) => {
        const path = pathOf(chapter.file);
        return [path, renderPage(chapter, await Deno.readTextFile(path))] as const;
      }),
    ),
  );
}

/** The module that the console imports. */
function indexOf(pages: Map<string, RenderedPage>): string {
  const entries = CHAPTERS.map(({ id, group, file, summary }) => {
    const title = pages.get(pathOf(file))?.title ?? id;
    const about = JSON.stringify({ id, group, title, summary }).slice(1, -1);
    return `{${about},load:()=>import(${JSON.stringify(pathOf(file))})}`;
  });
  return `export const PAGES = [${entries.join(",\n")}];\n` +
    `export const loadSections = async () => (await import("${SEARCH}:all")).default;`;
}

export function pageModule(page: RenderedPage | undefined): string {
  if (!page) throw new Error("this file is no page of the documentation");
  const script = `<script>import CodeBlock from ${JSON.stringify(CODE_BLOCK)};</script>`;
  const { js } = compile(`${script}\n${page.markup}`, { generate: "client", runes: true, discloseVersion: false });
  return `${js.code}\nexport const headings = ${JSON.stringify(page.headings)};`;
}

/** What the search reads. */
export const searchable = (pages: Map<string, RenderedPage>) =>
  CHAPTERS.flatMap(({ id, file }) =>
    (pages.get(pathOf(file))?.sections ?? []).map(({ heading, anchor, text }) => ({
      page: id,
      heading,
      anchor,
      text: ONLY_HEADINGS.has(id) ? "" : text,
    }))
  );
