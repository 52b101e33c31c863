/** `tailwind_all`: Tailwind's browser build, served from this server instead of a CDN. */
import { findPackageFile } from "../runtime/packages.ts";
import type { BuiltRuntime } from "../protocol.ts";
import { packScript } from "../runtime/runtime.ts";

/** Never called. The import makes Deno fetch a package that is only read as a file. */
export const keepsCached = () => import("@tailwindcss/browser");

export async function buildRuntime(): Promise<BuiltRuntime> {
  return await packScript(await Deno.readFile(findPackageFile("@tailwindcss/browser").path));
}
