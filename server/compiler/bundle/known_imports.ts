/** The fast path through esbuild, which nearly every app takes: no plugin is called. */
import type * as esbuild from "esbuild";
import { build } from "./esbuild.ts";
import { APP, type Bundled, type Imports, MAPPED, MODULE_MARK, RUN, STDIN } from "./options.ts";
import { AUTHOR, type Compiled } from "../engines/engine.ts";
import { freePrefix } from "./free_prefix.ts";
import { link, named } from "./links.ts";
import { isBuildFailure } from "./esbuild_errors.ts";
import { INTERNAL } from "./plugins.ts";
import { positionsOf } from "./position_map.ts";
import { readShow, type Show, show } from "./shown.ts";

/**
 * Bundles an app whose imports are all modules of the runtime. They are external to esbuild, which leaves them as they
 * are; asking a plugin for each would cost two messages between two processes. esbuild has no folder to resolve any other
 * import in.
 *
 * @returns undefined where there is a mistake or another import: the build with the plugin deals with it
 */
export async function bundleKnown(compiled: Compiled, { runtime, positions }: Imports): Promise<Bundled | undefined> {
  const { author, globals } = compiled;
  // A module that only runs: its exports must be removed with everything that only they use.
  if (author && compiled.code === RUN) return undefined;
  const external = Object.keys(runtime.modules);
  const file = author ? AUTHOR : STDIN;
  const { code, define } = author ? withGlobals(author.code, globals) : named(compiled.code);
  const stdin = { contents: code, sourcefile: file, loader: author?.loaders[0] ?? "js" };
  try {
    const [{ outputFiles, metafile, warnings }, shown] = await Promise.all([
      build({ ...APP, ...positions && MAPPED, stdin, define, external }),
      author && showOf(compiled.code, external),
    ]);
    const { output, map, outcome } = outputsOf({ outputFiles, metafile });
    if (!output || !outcome || Object.keys(metafile.inputs).some((path) => path !== file)) return undefined;
    // esbuild leaves web addresses as they are, too.
    if (!outcome.imports.every(({ path }) => Object.hasOwn(runtime.modules, path))) return undefined;
    const whole = shown ? show(output.text, shown) : author ? undefined : { text: output.text, head: 0 };
    const linked = whole && link(whole.text, [...outcome.imports, ...shown?.imports ?? []], runtime);
    if (!linked) return undefined;
    const { imports = [] } = metafile.inputs[file] ?? {};
    if (author && imports.some(({ path }) => INTERNAL.test(path))) return undefined;
    return {
      text: linked.text,
      files: linked.files,
      imported: new Set(imports.map(({ path }) => path)),
      warnings,
      positions: map && positionsOf(compiled, { map, file, text: output.text, shown: whole.head, linked }),
    };
  } catch (error) {
    if (isBuildFailure(error)) return undefined;
    throw error;
  }
}

/** esbuild's code, its source map if there is one, and what it knows of the code. */
export function outputsOf({ outputFiles, metafile }: Pick<MappedResult, "outputFiles" | "metafile">) {
  const output = outputFiles.find(({ path }) => !path.endsWith(".map"));
  const map = outputFiles.find(({ path }) => path.endsWith(".map"))?.text;
  const [, outcome] = Object.entries(metafile.outputs).find(([path]) => !path.endsWith(".map")) ?? [];
  return { output, map, outcome };
}

type MappedResult = esbuild.BuildResult<{ write: false; metafile: true }>;

/** Appends imports of the globals that the code uses, so that positions in the code stay. */
function withGlobals(
  code: string,
  globals: Compiled["globals"] = {},
): { code: string; define: Record<string, string> } {
  const used = Object.entries(globals).filter(([name]) => new RegExp(String.raw`\b${name}\b`).test(code));
  const prefix = freePrefix(code);
  const imports = used.map(([name, [module, there]]) =>
    `import { ${there} as ${prefix}${name} } from ${JSON.stringify(module)};`
  );
  return {
    code: `${MODULE_MARK}${code}\n${imports.join("")}`,
    define: Object.fromEntries(used.map(([name]) => [name, `${prefix}${name}`])),
  };
}

/** The bundled showing code by its source: an engine has two or three. */
const shows = new Map<string, Show>();

async function showOf(code: string, external: string[]): Promise<Show | undefined> {
  const known = shows.get(code);
  if (known) return known;
  const { outputFiles: [output] } = await build({
    ...APP,
    stdin: { contents: code },
    external: [...external, AUTHOR],
  });
  const read = output && readShow(output.text);
  if (read) shows.set(code, read);
  return read;
}
