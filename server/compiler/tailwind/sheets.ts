/**
 * Tailwind's own stylesheets, reduced for an app. Tailwind parses them for every app; a third of its time went into parts
 * with a known result: the rules for bare elements, and colours that the source does not name.
 */
import { compile } from "tailwindcss";

const SHEETS = new Map(["index", "theme", "preflight", "utilities"].map((name) => [
  name,
  Deno.readTextFileSync(new URL(import.meta.resolve(`tailwindcss/${name}.css`))),
]));

/** The stylesheet of an import: `tailwindcss`, `tailwindcss/theme`, with or without `.css`. */
export function findSheet(id: string): string | undefined {
  const [known, name = "index"] = /^tailwindcss(?:\/(theme|preflight|utilities|index))?(?:\.css)?$/.exec(id) ?? [];
  return known && SHEETS.get(name);
}

/** The declaration of the layers' order, as the minifier writes it. */
export const LAYERS = "@layer theme,base,components,utilities;";

/** Variables of the theme that the rules for bare elements read, so that they are always part of the result. */
export const READ_BY_BASE = ["--default-font-family", "--default-mono-font-family"];

/** The rules for bare elements. They are the same for all apps that do not change the theme. */
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
 * `@import "tailwindcss"` without `baseLayer`, and only with colours that the source names: the name of a class or variable
 * contains that of its colour.
 */
export function sheetFor(source: string): string {
  const colors = [...COLORS].flatMap(([name, shades]) => source.includes(name) ? shades.map(([text]) => text) : []);
  return `${LAYERS}@layer theme{${BEFORE_COLORS}${
    colors.join("")
  }${AFTER_COLORS}}@layer utilities{@tailwind utilities;}`;
}
