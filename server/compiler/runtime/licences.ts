/** The licences of packages whose code ships with the server. They ask that copies carry the notice. */
import { dirname } from "node:path";

/**
 * @param files a file of each package; several of one package are one
 * @returns name, version and licence of each package, sorted by name
 */
export async function licencesOf(files: Iterable<string>): Promise<string> {
  const texts = new Set<string>();
  const known = new Map<string, Promise<string>>();
  for (const file of files) {
    const folder = dirname(file);
    const text = known.get(folder) ?? licenceIn(folder);
    known.set(folder, text);
    texts.add(await text);
  }
  return [...texts].toSorted().join(`\n${"-".repeat(80)}\n\n`);
}

/** @param folder of the package, or one in it */
async function licenceIn(folder: string): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  const { name, version, license } = names.includes("package.json")
    ? JSON.parse(await Deno.readTextFile(`${folder}/package.json`))
    : {};
  // A folder of a package may have a package.json of its own, without a name.
  if (!name) return await licenceIn(dirname(folder));
  const files = names.filter((name) => /^(licen[cs]e|third-party-notices)/i.test(name)).toSorted();
  if (files.length === 0 && !license) throw new Error(`${name} names no licence`);
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(`${folder}/${file}`)));
  const text = texts.map((text) => text.trim()).join("\n\n") || `Licence: ${license}`;
  return `${name} ${version}\n\n${text}\n`;
}
