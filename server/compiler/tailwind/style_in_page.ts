/** Styles with Tailwind's directives for `tailwind_all`, which compiles them in the page. */

/** Syntax that only Tailwind understands. */
const DIRECTIVES =
  /@import\s+["']tailwindcss|@(?:apply|theme|utility|variant|custom-variant|layer|reference|tailwind)\b|--(?:alpha|spacing)\(|\btheme\(/;

/**
 * The browser build reads only `<style type="text/tailwindcss">`, so styles with its directives are added as that.
 *
 * @returns a statement to append to the bundled module; undefined where the styles are plain CSS. Before bundling, its
 * `document` could be a variable of the author's module.
 */
export function styleInPage(css: string): string | undefined {
  if (!DIRECTIVES.test(css)) return undefined;
  const text = css.replace(/@reference[^;]*;/g, "").replace(/[\\`]|\$\{/g, "\\$&");
  return `{const s=document.createElement("style");s.type="text/tailwindcss";s.textContent=\`${text}\`;document.head.append(s)}\n`;
}
