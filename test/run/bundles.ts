/**
 * Groups test files into bundles. The files of a bundle run in one isolate, so that their modules are loaded and
 * compiled once, and so that their tests share a server.
 */

/** Files of a bundle at most: a bundle uses one core, so that large ones would keep one core busy alone at the end. */
const SIZE = 10;
/** Of files whose tests start servers or compilers of their own, which take longer. */
const CLOSED_SIZE = 4;

/** Declares tests that run beside a server that other files use, without sanitizers. */
const SHARING = /\b(on(SharedServer|OwnServer|Stage|SharedDatabase)|testBeside)\(/;

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

/** Each of its tests closes what it opens, as the sanitizers prove: the next file's tests find nothing of it. */
const CLOSED = /\bDeno\.test\(/;
const NOT_CLOSED = new RegExp(`${SHARING.source}|${GLOBAL.source}|\\b(browserTest|sanitize\\w+|BESIDE_SERVER)\\b`);

/** @param textOf the source text of a file */
export function bundle(files: readonly string[], textOf: (file: string) => string): string[][] {
  const kindOf = (file: string) => {
    const text = textOf(file);
    if (PURE.test(file) ? !GLOBAL.test(text) : SHARING.test(text) && !APART.test(text)) return "sharing";
    return !PURE.test(file) && CLOSED.test(text) && !NOT_CLOSED.test(text) ? "closed" : "alone";
  };
  const kinds = new Map(files.map((file) => [file, kindOf(file)]));
  const ofKind = (kind: string) => Map.groupBy(files.filter((file) => kinds.get(file) === kind), placeOf);
  const closed = new Map([...ofKind("closed").values()].flatMap((all) => inTurns(all).map((part) => [part[0], part])));
  // Where its first file was: see LONG in suite.ts.
  const first = files.flatMap((file) => {
    const part = kinds.get(file) === "alone" ? [file] : closed.get(file);
    return part ? [part] : [];
  });
  // The largest first.
  return [...first, ...[...ofKind("sharing").values()].flatMap(inParts).toSorted((a, b) => b.length - a.length)];
}

/** `test/rest`, `test/once/compiler`; of a pure test `server` or `client/console`. */
const placeOf = (file: string) => {
  const folders = file.split("/").slice(0, -1);
  const most = PURE.test(file) ? folders[0] === "client" ? 2 : 1 : folders[1] === "once" ? 3 : 2;
  return folders.slice(0, most).join("/");
};

/** Parts of about the same size. */
function inParts(files: readonly string[]): string[][] {
  const size = Math.ceil(files.length / Math.ceil(files.length / SIZE));
  return Array.from({ length: Math.ceil(files.length / size) }, (_, i) => files.slice(i * size, (i + 1) * size));
}

/** Parts that get a file each in turn: those that take longest are at the beginning, one in each part. */
function inTurns(files: readonly string[]): string[][] {
  const parts = Math.ceil(files.length / CLOSED_SIZE);
  return Array.from({ length: parts }, (_, part) => files.filter((_, index) => index % parts === part));
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
