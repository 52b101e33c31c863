/**
 * `deno task licences`: writes the packages that the server, the console and apps use, with their versions and licences,
 * for `GET /account/about.json`. Names and versions are read from deno.json and deno.lock, licences from the packages'
 * manifests in Deno's cache.
 */
import { z } from "zod";
import { FETCHED } from "../../server/compiler/runtime/fetched_packages.ts";
import { TOOLCHAINS } from "../../server/compiler/engines/registry.ts";
import { files } from "../once/source_files.ts";

export const SOFTWARE = new URL("../../server/domains/account/software.json", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

type Use = "server" | "console" | "apps";

export interface Package {
  name: string;
  version: string;
  licence: string;
  used_by: Use[];
  /** Named in deno.json or by an engine, rather than a package that another one needs. */
  direct: boolean;
}

const Locked = z.looseObject({
  dependencies: z.array(z.string()).default([]),
  optionalDependencies: z.array(z.string()).default([]),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
});
const Lock = z.looseObject({ npm: z.record(z.string(), Locked) });
const Settings = z.looseObject({ imports: z.record(z.string(), z.string()) });
const Manifest = z.looseObject({
  license: z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]).optional(),
  licenses: z.array(z.object({ type: z.string() })).optional(),
});

/** Build tools among the packages of toolchains: nothing of them is shipped to apps. */
const TOOLS = ["esbuild", "@vue/compiler-sfc"];

/** Copied into the sources. */
const COPIED: Package[] = [
  { name: "lucide", version: "copied icons", licence: "ISC", used_by: ["console"], direct: true },
];

/** `npm:svelte@5.57.3` */
const readSpecifier = (specifier: string) => /^npm:(.+)@([^@/]+)$/.exec(specifier)?.slice(1) ?? [];

/** By name, and by version. @param known what an earlier list says of packages that are not in the cache */
export async function listSoftware(known: readonly Package[]): Promise<Package[]> {
  const { imports } = Settings.parse(await readJson("deno.json"));
  const { npm } = Lock.parse(await readJson("deno.lock"));
  const packages = new Map<string, { uses: Set<Use>; direct: boolean }>();
  const by_name = Map.groupBy(Object.keys(npm), (id) => id.replace(/(?<=.)@.*$/, ""));
  const add = (id: string, use: Use, direct: boolean): void => {
    const found = packages.get(id) ?? { uses: new Set(), direct: false };
    packages.set(id, found);
    found.direct ||= direct;
    if (found.uses.has(use)) return;
    found.uses.add(use);
    const { dependencies, optionalDependencies, os, cpu } = npm[id] ?? Locked.parse({});
    // The same package for one kind of machine.
    if (os || cpu) packages.delete(id);
    for (const name of [...dependencies, ...optionalDependencies]) {
      for (const each of Object.hasOwn(npm, name) ? [name] : by_name.get(name) ?? []) {
        if (!each.startsWith("@types/")) add(each, use, false);
      }
    }
  };
  const uses = usesOf(Object.keys(imports));
  for (const [imported, specifier] of Object.entries({ ...imports, ...FETCHED })) {
    const [name = "", version = ""] = readSpecifier(specifier);
    if (!name) continue;
    const id = by_name.get(name)?.find((id) => id.startsWith(`${name}@${version}`)) ?? `${name}@${version}`;
    for (const use of uses.get(imported) ?? []) add(id, use, true);
  }
  const listed = await Promise.all([...packages].map(async ([id, { uses, direct }]): Promise<Package> => {
    const [, name = "", version = ""] = /^(.+?)@([^@_]+)/.exec(id) ?? [];
    return { name, version, licence: await licenceOf(name, version, known), used_by: [...uses].toSorted(), direct };
  }));
  return [...listed, ...COPIED].toSorted((a, b) => `${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1);
}

/** Who imports each of the names of deno.json. */
function usesOf(names: readonly string[]): Map<string, Set<Use>> {
  const uses = new Map<string, Set<Use>>();
  const add = (name: string, use: Use) => void (uses.get(name) ?? uses.set(name, new Set()).get(name))?.add(use);
  for (const [file, { imports }] of files) {
    const use = /^(client\/console|server\/compiler\/console)\//.test(file)
      ? "console"
      : /^(main\.ts|server\/|db\/)/.test(file) && !file.endsWith("_test.ts")
      ? "server"
      : undefined;
    if (!use) continue;
    for (const { to } of imports) {
      const name = names.find((name) => to === name || to.startsWith(`${name}/`));
      if (name) add(name, use);
    }
  }
  for (const { packages } of Object.values(TOOLCHAINS)) {
    for (const name of packages) add(name, TOOLS.includes(name) ? "server" : "apps");
  }
  return uses;
}

/** @throws {Error} for a package that is neither in the cache nor known */
async function licenceOf(name: string, version: string, known: readonly Package[]): Promise<string> {
  for (const registry of await registries()) {
    const text = await Deno.readTextFile(`${registry}/${name}/${version}/package.json`).catch(() => undefined);
    if (text === undefined) continue;
    const { license, licenses = [] } = Manifest.parse(JSON.parse(text));
    return license ?? licenses.map(({ type }) => type).join(" OR ");
  }
  const before = known.find((one) => one.name === name && one.version === version);
  if (before) return before.licence;
  throw new Error(`${name}@${version} is not in Deno's cache: run \`deno install\``);
}

let cached: Promise<string[]> | undefined;

/** The folders of Deno's cache, one for each npm registry. */
const registries = () =>
  cached ??= new Deno.Command(Deno.execPath(), { args: ["info", "--json"], stdout: "piped" }).output().then(
    (output) => {
      const { npmCache } = z.looseObject({ npmCache: z.string() }).parse(
        JSON.parse(new TextDecoder().decode(output.stdout)),
      );
      return [...Deno.readDirSync(npmCache)].map(({ name }) => `${npmCache}/${name}`);
    },
  );

const readJson = async (file: string): Promise<unknown> => JSON.parse(await Deno.readTextFile(new URL(file, ROOT)));

export const readSoftware = (): Promise<Package[]> =>
  Deno.readTextFile(SOFTWARE).then((text) => JSON.parse(text), () => []);

/** One package a line, so that a change is one line. */
export const written = (packages: readonly Package[]): string =>
  `[\n${packages.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]\n`;

if (import.meta.main) await Deno.writeTextFile(SOFTWARE, written(await listSoftware(await readSoftware())));
