/**
 * Tailwind's own stylesheets. Its compiler parses them for every app; a third of its time goes where an app's outcome is
 * known beforehand, so that is left out: the rules for bare elements, and colours that no word of the source names.
 */
import { createRequire } from "node:module";
import { compile } from "tailwindcss";

const SHEETS = new Map(["index", "theme", "preflight", "utilities"].map((name) => {
  const file = createRequire(import.meta.url).resolve(`tailwindcss/${name}.css`);
  return [name, Deno.readTextFileSync(file)];
}));

/** What Tailwind's imports mean: `tailwindcss`, `tailwindcss/theme`, with `.css` or without. */
export function findSheet(id: string): string | undefined {
  const [known, name = "index"] = /^tailwindcss(?:\/(theme|preflight|utilities|index))?(?:\.css)?$/.exec(id) ?? [];
  return known && SHEETS.get(name);
}

/** The order in which the sheets declare their layers, as a minifier writes it. */
export const LAYERS = "@layer theme,base,components,utilities;";

/** What the rules for bare elements read of the theme: they stay when nothing else does. */
export const READ_BY_BASE = ["--default-font-family", "--default-mono-font-family"];

/** The rules for bare elements, which no app changes but one with a theme of its own. */
export async function baseLayer(): Promise<string> {
  const input = `@import "tailwindcss/theme" layer(theme);@import "tailwindcss/preflight" layer(base);`;
  const { build } = await compile(input, {
    loadStylesheet: (id) => Promise.resolve({ path: id, base: "", content: findSheet(id) ?? "" }),
  });
  const css = build([]);
  return css.slice(css.indexOf("@layer base"));
}

const COLOR = /\s*--color-([a-z]+)-\d+:[^;]*;/g;
const THEME = SHEETS.get("theme") ?? "";
const [BEFORE_COLORS = "", AFTER_COLORS = ""] = THEME.replace(COLOR, "\0").split(/\0+/);
const COLORS = Map.groupBy(THEME.matchAll(COLOR), ([, name = ""]) => name);

/**
 * What `@import "tailwindcss"` means without `baseLayer`, and with the colours that the source may be using: a class or
 * variable has its colour's name in it.
 */
export function sheetFor(source: string): string {
  const colors = [...COLORS].flatMap(([name, shades]) => source.includes(name) ? shades.map(([text]) => text) : []);
  return `${LAYERS}@layer theme{${BEFORE_COLORS}${
    colors.join("")
  }${AFTER_COLORS}}@layer utilities{@tailwind utilities;}`;
}
