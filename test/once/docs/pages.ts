/** Reads the project's Markdown pages for the tests that check them. */

const TREE = new URL("../../../", import.meta.url);

export interface Page {
  /** From the root of the tree, such as `docs/api.md`. */
  path: string;
  url: URL;
  text: string;
  blocks: Block[];
  /** Without the code blocks. */
  prose: string;
}

/** A fenced code block. */
export interface Block {
  /** What follows the opening fence: `sh`, `json`, `sh 422`. */
  info: string;
  text: string;
}

export async function readPages(): Promise<Page[]> {
  const paths = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md"];
  for await (const { name } of Deno.readDir(new URL("docs/", TREE))) {
    if (name.endsWith(".md")) paths.push(`docs/${name}`);
  }
  return await Promise.all(paths.map(readPage));
}

export async function readPage(path: string): Promise<Page> {
  const url = new URL(path, TREE);
  const text = await Deno.readTextFile(url);
  const fence = /^```([^\n]*)\n([^]*?)^```$/gm;
  const blocks = [...text.matchAll(fence)].map(([, info = "", text = ""]) => ({ info: info.trim(), text }));
  return { path, url, text, blocks, prose: text.replace(fence, "") };
}

/** The anchors of a page's headings, as GitHub makes them. */
export const anchorsOf = ({ prose }: Page): string[] =>
  [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
