/** Finds the test files and sorts them into those that run once and those that run on each database. */

/** The folders with tests: pure modules have theirs beside them, everything else is tested under test/. */
const ROOTS = ["server", "db", "client", "test"];

/** Under test/, files in here do not depend on the database and run once. All others run on each database. */
const ONCE = "test/once/";

/** Folders and files that take longest. They come first: at the end of a run, one of them would keep one core busy alone. */
const LONG = [
  "test/once/browser/",
  "test/faults/",
  "test/browser/",
  "test/start/",
  "test/once/compiler/hostile_test.ts",
  "test/once/compiler/faults_test.ts",
  "test/once/compiler/pool_test.ts",
  "test/once/console/",
  "test/trpc/",
  "test/rest/sessions/",
];

/** Test files, relative to the project's root: those that take long, then the others, each sorted by name. */
export interface Suite {
  once: string[];
  perDatabase: string[];
}

function* testFiles(tree: string, folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${tree}/${folder}`)) {
    if (isDirectory) yield* testFiles(tree, `${folder}/${name}`);
    else if (/_test\.tsx?$/.test(name)) yield `${folder}/${name}`;
  }
}

export function sortIntoSuite(files: readonly string[]): Suite {
  const rank = (file: string) => [...LONG, ""].findIndex((place) => file.startsWith(place));
  const sorted = files.toSorted().toSorted((a, b) => rank(a) - rank(b));
  const isPerDatabase = (file: string) => file.startsWith("test/") && !file.startsWith(ONCE);
  return { once: sorted.filter((file) => !isPerDatabase(file)), perDatabase: sorted.filter(isPerDatabase) };
}

/** @param only files and folders to narrow the suite to; empty for all */
export function findSuite(tree: string, only: readonly string[]): Suite {
  const places = only.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  const isWanted = (file: string) => places.some((place) => file === place || file.startsWith(`${place}/`));
  const files = ROOTS.flatMap((root) => [...testFiles(tree, root)]);
  return sortIntoSuite(places.length === 0 ? files : files.filter(isWanted));
}
