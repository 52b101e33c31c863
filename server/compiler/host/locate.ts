/**
 * Prints where npm's packages and esbuild's binary are, as JSON. A worker may read the former and run the latter, and
 * nothing else. Only a process that has the packages in its module graph can resolve them.
 */
import { createRequire } from "node:module";
import { arch, platform } from "node:process";
import { fileURLToPath } from "node:url";

/** Never called. The import makes Deno fetch the package on a fresh machine. */
export const keepsCached = () => import("esbuild");

const main = fileURLToPath(import.meta.resolve("esbuild"));
const binary = platform === "win32" ? "esbuild.exe" : "bin/esbuild";
const esbuild = createRequire(main).resolve(`@esbuild/${platform}-${arch}/${binary}`);
const [packages] = main.split(/[/\\]esbuild[/\\]/);
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ packages, esbuild })));
