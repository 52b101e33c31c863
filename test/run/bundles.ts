/**
 * Groups test files into bundles. The files of a bundle run in one isolate, so that their modules are loaded and
 * compiled once, and so that their tests share a server.
 */

/** Files of a bundle at most: a bundle uses one core, so that large ones would keep one core busy alone at the end. */
const SIZE = 10;

/** Declares tests that run beside a server that other files use, without sanitizers. */
const SHARING = /\bon(SharedServer|OwnServer|Stage|SharedDatabase)\(/;

/** A test beside its module: it leaves nothing behind, so that others of its folder may run in its isolate. */
const PURE = /^(?!test\/)/;

/**
 * What a pure test may not have in a bundle: it would see or change what the others do. The HTTP client of connectors
 * keeps a timer.
 */
const GLOBAL =
  /\bDeno\.test\.(?:before|after)|\b(?:surviveLostConnections|createEgress|Deno\.env\.set)\(|\bglobalThis\b/;

/**
 * What may not happen in another bundle: sanitizers would report the timers of other files' servers, hooks would run before
 * the first and after the last of all tests, and a handler of lost connections would hide those of other files.
 */
const APART = /\bDeno\.test\b|\bsurviveLostConnections\(/;

/** @param textOf the source text of a file */
export function bundle(files: readonly string[], textOf: (file: string) => string): string[][] {
  const shares = (file: string, text: string) =>
    PURE.test(file) ? !GLOBAL.test(text) : SHARING.test(text) && !APART.test(text);
  const { alone = [], others = [] } = Object.groupBy(files, (file) => shares(file, textOf(file)) ? "others" : "alone");
  const bundles = [...Map.groupBy(others, placeOf).values()].flatMap(inParts);
  // The largest first: see LONG in suite.ts.
  return [...alone.map((file) => [file]), ...bundles.toSorted((a, b) => b.length - a.length)];
}

/** `test/rest/apps`; of a pure test `server` or `client/console`. */
const placeOf = (file: string) => {
  const folders = file.split("/").slice(0, -1);
  return folders.slice(0, PURE.test(file) ? folders[0] === "client" ? 2 : 1 : undefined).join("/");
};

/** Parts of about the same size. */
function inParts(files: readonly string[]): string[][] {
  const size = Math.ceil(files.length / Math.ceil(files.length / SIZE));
  return Array.from({ length: Math.ceil(files.length / size) }, (_, i) => files.slice(i * size, (i + 1) * size));
}

/**
 * Writes a module for each bundle, which imports its files one after the other. `deno test` starts them in the order of
 * this list, because they are in one folder.
 *
 * @param folder an empty one
 * @param tree the URL of the project's root
 * @returns paths for `deno test`
 */
export async function writeEntries(bundles: readonly string[][], folder: string, tree: URL): Promise<string[]> {
  return await Promise.all(bundles.map(async (files, index) => {
    const [first = ""] = files;
    const title = files.length === 1 ? first : placeOf(first);
    const path = `${folder}/${String(index + 1).padStart(3, "0")}.${title.replaceAll("/", ".")}`.replace(
      /(\.tsx?)?$/,
      ".ts",
    );
    await Deno.writeTextFile(path, files.map((file) => `await import("${new URL(file, tree)}");\n`).join(""));
    return path;
  }));
}
