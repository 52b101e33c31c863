/** The folders that hold tests: pure ones stand beside their modules, the others under test/. */
const ROOTS = ["server", "db", "client", "test"];

/** What under test/ does not depend on the database: it runs once. All else there runs on each. */
const ONCE = ["test/once"];

/** The test files of a tree, relative to it, sorted. */
export interface Suite {
  once: string[];
  perDatabase: string[];
}

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

function* testFiles(tree: string, folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${tree}/${folder}`)) {
    if (isDirectory) yield* testFiles(tree, `${folder}/${name}`);
    else if (/_test\.tsx?$/.test(name)) yield `${folder}/${name}`;
  }
}

/** Sorts test files into those that run once and those that run on every database. */
export function sortIntoSuite(files: readonly string[]): Suite {
  const kept = files.toSorted();
  const perDatabase = kept.filter((file) => isWithin(file, ["test"]) && !isWithin(file, ONCE));
  return { once: kept.filter((file) => !perDatabase.includes(file)), perDatabase };
}

/** The suite of a tree, or of those of its files and folders that `only` names (none names all). */
export function findSuite(tree: string, only: readonly string[]): Suite {
  const places = only.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  const files = ROOTS.flatMap((root) => [...testFiles(tree, root)]);
  return sortIntoSuite(places.length === 0 ? files : files.filter((file) => isWithin(file, places)));
}
