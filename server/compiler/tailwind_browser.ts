/** `tailwind_all`: Tailwind's own browser build, served by us instead of a CDN. */
import { findPackageFile } from "./packages.ts";
import type { BuiltRuntime } from "./protocol.ts";
import { packScript } from "./runtime.ts";

/** Never called. A package that is only read as a file reaches Deno's cache because an import names it. */
export const keepsCached = () => import("@tailwindcss/browser");

export async function buildRuntime(): Promise<BuiltRuntime> {
  return await packScript(await Deno.readFile(findPackageFile("@tailwindcss/browser").path));
}
