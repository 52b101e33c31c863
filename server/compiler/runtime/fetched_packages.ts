/**
 * Packages that are fetched when somebody first needs them. No import names them and deno.json does not list them,
 * because `deno task` fetches whatever stands there: Phaser is 42 MB to download and 270 on the disk.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** By name, as deno.json would have them. An exact version each. */
export const FETCHED: Readonly<Record<string, string>> = {
  phaser: "npm:phaser@3.90.0",
  phaser4: "npm:phaser@4.2.1",
};

/** A fresh machine on a slow line. */
const LIMIT_MS = 300_000;

/** Where Deno keeps that version, beside every other package. It need not be there yet. */
export function folderOf(specifier: string): string {
  const [packages = ""] = fileURLToPath(import.meta.resolve("esbuild")).split(/[/\\]esbuild[/\\]/);
  return join(packages, ...specifier.replace(/^npm:/, "").split("@"));
}

/**
 * Fetches what is missing of these packages; names that are not in `FETCHED` are nothing to it.
 *
 * @param env of the process that fetches, beside this one's own: where Deno keeps its files
 * @throws {Error} where the registry cannot be reached
 */
export async function fetchPackages(names: readonly string[], deno: string, env: Readonly<Record<string, string>>) {
  const wanted = names.flatMap((name) => FETCHED[name] ?? []);
  const absent = await Promise.all(wanted.map(async (specifier) => await isThere(specifier) ? [] : specifier));
  const specifiers = absent.flat();
  if (specifiers.length === 0) return;
  const { success, stderr } = await new Deno.Command(deno, {
    // Without the lockfile, which would otherwise be written, and be a reason to fetch them on every other machine.
    args: ["cache", "--quiet", "--no-config", "--no-lock", ...specifiers],
    // Nothing but Deno itself runs there, and proxies and certificates are in the environment.
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output();
  if (!success) throw new Error(`${specifiers} cannot be fetched: ${new TextDecoder().decode(stderr).trim()}`);
}

const isThere = (specifier: string) =>
  Deno.stat(join(folderOf(specifier), "package.json")).then(() => true, () => false);
