/** The way of nearly every app through esbuild. */
import * as esbuild from "esbuild";
import { APP, type Bundled, type Imports, MODULE_MARK, RUN, STDIN } from "./options.ts";
import { AUTHOR, type Compiled } from "../engines/engine.ts";
import { link, named } from "./links.ts";
import { createRecent } from "../host/recent.ts";
import { isBuildFailure } from "./esbuild_errors.ts";
import { readShow, type Show, show } from "./shown.ts";

/**
 * Bundles an app whose imports are names that the runtime has: esbuild leaves them as they stand, so it has no
 * questions, each of which would cost two turns of two processes. It has no folder to look for anything else in.
 *
 * @returns undefined where there is a mistake or another import: the plugin places, leads or refuses it
 */
export async function bundleKnown(compiled: Compiled, { runtime }: Imports): Promise<Bundled | undefined> {
  const { author, globals } = compiled;
  // Where nothing of it is shown, what it exports is to be left out with all that only serves that.
  if (author && compiled.code === RUN) return undefined;
  const external = Object.keys(runtime.modules);
  const file = author ? AUTHOR : STDIN;
  const { code, define } = author ? withGlobals(author.code, globals) : named(compiled.code);
  const stdin = { contents: code, sourcefile: file, loader: author?.loaders[0] ?? "js" };
  try {
    const [{ outputFiles: [output], metafile, warnings }, shown] = await Promise.all([
      esbuild.build({ ...APP, stdin, define, external }),
      author && showOf(compiled.code, external),
    ]);
    const [outcome] = Object.values(metafile.outputs);
    if (!output || !outcome || Object.keys(metafile.inputs).some((path) => path !== file)) return undefined;
    // Addresses esbuild leaves as they stand, too.
    if (!outcome.imports.every(({ path }) => Object.hasOwn(runtime.modules, path))) return undefined;
    const text = shown ? show(output.text, shown) : author ? undefined : output.text;
    const linked = text && link(text, [...outcome.imports, ...shown?.imports ?? []], runtime);
    if (!linked) return undefined;
    const { imports = [] } = metafile.inputs[file] ?? {};
    return { ...linked, imported: new Set(imports.map(({ path }) => path)), warnings };
  } catch (error) {
    if (isBuildFailure(error)) return undefined;
    throw error;
  }
}

/** Behind the code, so that all of it stays in its place. */
function withGlobals(
  code: string,
  globals: Compiled["globals"] = {},
): { code: string; define: Record<string, string> } {
  const used = Object.entries(globals).filter(([name]) => new RegExp(String.raw`\b${name}\b`).test(code));
  const imports = used.map(([name, [module, there]]) =>
    `import { ${there} as $$${name} } from ${JSON.stringify(module)};`
  );
  return {
    code: `${MODULE_MARK}${code}\n${imports.join("")}`,
    define: Object.fromEntries(used.map(([name]) => [name, `$$${name}`])),
  };
}

/** An engine has two ways to show an app, or three; styles that are built in the page make more. */
const shows = createRecent<Show>(64 * 1024);

async function showOf(code: string, external: string[]): Promise<Show | undefined> {
  const known = shows.get(code);
  if (known) return known;
  const { outputFiles: [output] } = await esbuild.build({
    ...APP,
    stdin: { contents: code },
    external: [...external, AUTHOR],
  });
  const read = output && readShow(output.text);
  if (read) shows.set(code, read, code.length);
  return read;
}
