/** The `platform` module: for compiled engines a module, for js and html a classic script. */
import * as esbuild from "esbuild";
import type { BuiltRuntime } from "./protocol.ts";
import { bundleEntries, packScript } from "./runtime.ts";

/** A worker may read it beside npm's packages. */
const SOURCE = new URL("../../client/app/platform.js", import.meta.url);

export async function buildRuntime(): Promise<BuiltRuntime> {
  const source = await Deno.readTextFile(SOURCE);
  const module = await bundleEntries({ platform: source }, "");
  const { code } = await esbuild.transform(source, {
    format: "iife",
    globalName: "platform",
    minify: true,
    target: "es2022",
    legalComments: "none",
  });
  const script = await packScript(new TextEncoder().encode(code));
  return {
    runtime: { ...module.runtime, scripts: script.runtime.scripts },
    files: [...module.files, ...script.files],
  };
}
