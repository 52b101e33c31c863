/** `tailwind_all`: Tailwind's browser build, served from this server instead of a CDN. */
import { findPackageFile } from "../runtime/packages.ts";
import type { BuiltRuntime } from "../protocol.ts";
import { packScript } from "../runtime/runtime.ts";

/** Never called. The import makes Deno fetch a package that is only read as a file. */
export const keepsCached = () => import("@tailwindcss/browser");

/** Syntax that only Tailwind understands. */
const DIRECTIVES =
  /@import\s+["']tailwindcss|@(?:apply|theme|utility|variant|custom-variant|layer|reference|tailwind)\b|--(?:alpha|spacing)\(|\btheme\(/;

/**
 * The browser build reads only `<style type="text/tailwindcss">`, so styles with its directives are added as that.
 *
 * @returns statements to append to the app's module; undefined where the styles are plain CSS
 */
export function styleInPage(css: string): string | undefined {
  if (!DIRECTIVES.test(css)) return undefined;
  const text = JSON.stringify(css.replace(/@reference[^;]*;/g, ""));
  return `
{
  const style = document.createElement("style");
  style.type = "text/tailwindcss";
  style.textContent = ${text};
  document.head.append(style);
}
`;
}

export async function buildRuntime(): Promise<BuiltRuntime> {
  return await packScript(await Deno.readFile(findPackageFile("@tailwindcss/browser").path));
}
