/**
 * Packages that are fetched on first use. No import names them and deno.json does not list them, because `deno task`
 * fetches everything that deno.json lists: Phaser is 42 MB to download and 270 MB on the disk.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TOOLCHAINS } from "../engines/registry.ts";

/** Specifiers by package name, with an exact version each, as deno.json would have them. */
export const FETCHED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(TOOLCHAINS).flatMap(({ fetched = {} }) => Object.entries(fetched)),
);

/** Long enough for a slow connection. */
const TIME_LIMIT_MS = 300_000;

/** The folder in Deno's cache where that version belongs, whether or not it has been fetched. */
export function folderOf(specifier: string): string {
  const [packages = ""] = fileURLToPath(import.meta.resolve("esbuild")).split(/[/\\]esbuild[/\\]/);
  return join(packages, ...specifier.replace(/^npm:/, "").split("@"));
}

/**
 * Fetches those of these packages that are missing. Ignores names that are not in `FETCHED`.
 *
 * @param env added to this process's environment for the fetch: where Deno keeps its files
 * @throws {Error} where the registry cannot be reached
 */
export async function fetchPackages(names: readonly string[], deno: string, env: Readonly<Record<string, string>>) {
  const wanted = names.flatMap((name) => FETCHED[name] ?? []);
  const absent = await Promise.all(wanted.map(async (specifier) => await isFetched(specifier) ? [] : specifier));
  const specifiers = absent.flat();
  if (specifiers.length === 0) return;
  const { success, stderr } = await new Deno.Command(deno, {
    // With the lockfile Deno would add these packages to it, and then fetch them on every other machine.
    args: ["cache", "--quiet", "--no-config", "--no-lock", ...specifiers],
    // This process runs no code but Deno's own, and needs the proxies and certificates of the server's environment.
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  }).output();
  if (!success) throw new Error(`${specifiers} cannot be fetched: ${new TextDecoder().decode(stderr).trim()}`);
}

const isFetched = (specifier: string) =>
  Deno.stat(join(folderOf(specifier), "package.json")).then(() => true, () => false);
