/** Turns variables of Svelte's runtime that never change in an app's page into constants, so that dead code is removed. */
import type * as esbuild from "esbuild";
import type { Constants } from "./runtime_names.ts";

/** @throws {Error} (as a build error) where this version of Svelte declares one of them in another way */
export function withConstants(flags: Constants): esbuild.Plugin {
  const files: Record<string, Record<string, boolean>> = {
    "dom/hydration.js": { hydrating: false },
    "flags/index.js": { tracing_mode_flag: false, ...flags },
  };
  return {
    name: "constants",
    setup(build) {
      build.onResolve({ filter: /^esm-env$/ }, ({ path }) => ({ path, namespace: "constants", sideEffects: false }));
      build.onLoad({ filter: /.*/, namespace: "constants" }, () => ({
        contents: "export const DEV = false, BROWSER = true, NODE = false;",
      }));
      for (const [file, constants] of Object.entries(files)) {
        build.onLoad({ filter: new RegExp(`/svelte/.*/${file}$`) }, async ({ path }) => ({
          contents: Object.entries(constants).reduce(fix, await Deno.readTextFile(path)),
        }));
      }
      // Only `fork` makes forks, and it requires async mode.
      if (flags.async_mode_flag !== false) return;
      build.onLoad({ filter: /\/svelte\/.*\/internal\/client\// }, async ({ path }) => ({
        contents: (await Deno.readTextFile(path)).replace(/\b\w+\??\.is_fork\b(?! =)/g, "false"),
      }));
    },
  };
}

function fix(text: string, [name, value]: [name: string, value: boolean]): string {
  const declaration = `export let ${name} = false`;
  if (!text.includes(declaration)) throw new Error(`svelte does not declare "${declaration}"`);
  return text.replace(declaration, `export const ${name} = ${value}`)
    .replace(new RegExp(`^\\s*${name} = .*$`, "gm"), "");
}
