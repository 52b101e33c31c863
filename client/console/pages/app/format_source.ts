/** Formats a source with Prettier, which is loaded at the first use. */
import type { Engine } from "./editor.ts";

const PARSERS: Record<Exclude<Engine, "svelte">, string> = {
  vue: "vue",
  react: "babel-ts",
  js: "babel",
  html: "html",
  kaboom: "babel-ts",
  phaser: "babel-ts",
};

/** @throws {Error} where the source cannot be read */
export async function formatted(engine: Engine, source: string): Promise<string> {
  const [{ format }, babel, estree, html, postcss] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/babel"),
    import("prettier/plugins/estree"),
    import("prettier/plugins/html"),
    import("prettier/plugins/postcss"),
  ]);
  const plugins = [babel.default, estree.default, html.default, postcss.default];
  if (engine !== "svelte") return await format(source, { parser: PARSERS[engine], plugins, printWidth: 100 });
  return await formatBlocks(source, (text, parser) => format(text, { parser, plugins, printWidth: 100 }));
}

/** The script and the styles of a Svelte source; its markup stays as the author wrote it. */
async function formatBlocks(
  source: string,
  format: (text: string, parser: string) => Promise<string>,
): Promise<string> {
  let result = "";
  let rest = 0;
  for (const found of source.matchAll(/(<(script|style)\b[^>]*>)([\s\S]*?)(<\/\2>)/g)) {
    const [whole, open = "", kind, content = "", close = ""] = found;
    const text = content.trim() ? await format(content, kind === "style" ? "css" : "babel-ts") : "";
    const indented = text.trimEnd().split("\n").map((line) => (line ? `  ${line}` : line)).join("\n");
    result += `${source.slice(rest, found.index)}${open}${text ? `\n${indented}\n` : ""}${close}`;
    rest = found.index + whole.length;
  }
  return result + source.slice(rest);
}
