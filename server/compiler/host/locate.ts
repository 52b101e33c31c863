/**
 * Says, as one line of JSON, where npm's packages and esbuild's binary are: a worker may read the one and run the
 * other, nothing else. Only a process that has the packages in its module graph can know it.
 */
import { createRequire } from "node:module";
import { arch, platform } from "node:process";
import { fileURLToPath } from "node:url";

/** Never called: an import is what makes Deno fetch a package on a fresh machine. */
export const keepsCached = () => import("esbuild");

const main = fileURLToPath(import.meta.resolve("esbuild"));
const binary = platform === "win32" ? "esbuild.exe" : "bin/esbuild";
const esbuild = createRequire(main).resolve(`@esbuild/${platform}-${arch}/${binary}`);
const [packages] = main.split(/[/\\]esbuild[/\\]/);
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ packages, esbuild })));
