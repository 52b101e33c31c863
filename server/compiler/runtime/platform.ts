/** Builds the `platform` runtime: a module for compiled engines, a classic script for js and html. */
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import type { BuiltRuntime } from "../protocol.ts";
import { bundleEntries, packScript } from "./runtime.ts";

/** esbuild reads this file and those that it imports. */
const SOURCE = JSON.stringify(fileURLToPath(new URL("../../../client/app/platform.js", import.meta.url)));

/** Assigned, not declared with `var`: a game could not declare its own `platform` with `let` or `const` then. */
const SCRIPT = `import * as platform from ${SOURCE}; globalThis.platform = platform;`;

export async function buildRuntime(): Promise<BuiltRuntime> {
  const module = await bundleEntries({ platform: `export * from ${SOURCE};` }, "");
  const { outputFiles: [output] } = await esbuild.build({
    stdin: { contents: SCRIPT, resolveDir: "/" },
    bundle: true,
    write: false,
    format: "iife",
    minify: true,
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
    logLevel: "silent",
  });
  if (!output) throw new Error("esbuild wrote no platform script");
  const script = await packScript(new Uint8Array(output.contents));
  return {
    runtime: { ...module.runtime, scripts: script.runtime.scripts },
    files: [...module.files, ...script.files],
  };
}
