/**
 * `deno task lock`, after `deno install`: removes from deno.lock what deno.json does not need. `deno check` and
 * `deno test` add the packages of tests there unless they are called with `--lock=test/deno.lock`, and each start would
 * download them.
 */
import { fileURLToPath } from "node:url";
import { z } from "zod";

const Package = z.looseObject({
  dependencies: z.array(z.string()).default([]),
  optionalDependencies: z.array(z.string()).default([]),
  optionalPeers: z.array(z.string()).default([]),
});
const Lock = z.strictObject({
  version: z.string(),
  specifiers: z.record(z.string(), z.string()),
  npm: z.record(z.string(), z.unknown()),
  workspace: z.strictObject({ dependencies: z.array(z.string()) }),
});
type Lock = z.output<typeof Lock>;

/** `lock` without the packages that no dependency of the workspace reaches. */
function pruned(lock: Lock): Lock {
  const wanted = new Set(lock.workspace.dependencies);
  const specifiers = Object.entries(lock.specifiers).filter(([specifier]) => wanted.has(specifier));
  const byName = Map.groupBy(Object.keys(lock.npm), (id) => id.replace(/(?<=.)@.*$/, ""));
  const reached = new Set<string>();
  const reach = (id: string) => {
    if (reached.has(id) || !Object.hasOwn(lock.npm, id)) return;
    reached.add(id);
    const { dependencies, optionalDependencies, optionalPeers } = Package.parse(lock.npm[id]);
    for (const name of [...dependencies, ...optionalDependencies, ...optionalPeers]) {
      // A dependency stands with its version only where there are several.
      for (const each of Object.hasOwn(lock.npm, name) ? [name] : byName.get(name) ?? []) reach(each);
    }
  };
  for (const [specifier, version] of specifiers) reach(`${specifier.replace(/^npm:(@?[^@]+)@.*$/, "$1")}@${version}`);
  const npm = Object.entries(lock.npm).filter(([id]) => reached.has(id));
  return { ...lock, specifiers: Object.fromEntries(specifiers), npm: Object.fromEntries(npm) };
}

/** As Deno writes it: lists of systems stand on one line. */
const written = (lock: Lock) =>
  JSON.stringify(lock, null, 2).replace(
    /"(os|cpu)": \[([^\]]*)\]/g,
    (_, key, list) => `"${key}": [${list.trim().replace(/\s+/g, " ")}]`,
  ) + "\n";

if (import.meta.main) {
  const path = fileURLToPath(new URL("../../deno.lock", import.meta.url));
  const lock = Lock.parse(JSON.parse(await Deno.readTextFile(path)));
  await Deno.writeTextFile(path, written(pruned(lock)));
}
