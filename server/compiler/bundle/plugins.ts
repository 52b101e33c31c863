/** The esbuild plugins that provide the modules that an app imports, from memory, and refuse all others. */
import type * as esbuild from "esbuild";
import { GLOBALS, type Imports, type Loader, MODULE_MARK } from "./options.ts";
import { AUTHOR, type Compiled } from "../engines/engine.ts";
import { VENDOR } from "./links.ts";
import { REFUSALS } from "./messages.ts";
import type { Runtime } from "../protocol.ts";

/** The virtual modules of an app: the author's, and one for the globals in use. */
export function virtualOf({ code, author, globals = {} }: Compiled, loader: Loader = "js") {
  const words = new Set(`${code}\n${author?.code ?? ""}`.match(/\w+/g));
  const injected = Object.entries(globals).filter(([name]) => words.has(name)).map(([name, [module, there]]) =>
    `export { ${there} as ${name} } from ${JSON.stringify(module)};`
  );
  const virtual = new Map<string, esbuild.OnLoadResult>();
  if (injected.length > 0) virtual.set(GLOBALS, { contents: injected.join("\n") });
  if (author) virtual.set(AUTHOR, { contents: MODULE_MARK + author.code, loader });
  return { words, virtual, inject: injected.length > 0 ? [GLOBALS] : [] };
}

/** Resolves `app:…` specifiers to modules in memory. */
export function virtualModules(modules: ReadonlyMap<string, esbuild.OnLoadResult>): esbuild.Plugin {
  return {
    name: "virtual",
    setup(build) {
      // esbuild reports the file of a mistake as `namespace:path`, which is the specifier.
      build.onResolve(
        { filter: /^app:/ },
        // Only the showing code imports them, and esbuild itself, which names no importer then.
        ({ path, namespace }) =>
          modules.has(path) && namespace !== "app"
            ? { namespace: "app", path: path.slice("app:".length), sideEffects: path !== GLOBALS }
            : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "app" }, ({ path }) => modules.get(`app:${path}`));
    },
  };
}

/**
 * Resolves the modules of the runtime and refuses all others.
 *
 * @param importer the author's module. Its imports are added to `imported`; it cannot import internal modules
 * @param isUnused whether the author's module uses nothing of what it imports from there: the import is left out
 */
export function closed(
  words: ReadonlySet<string>,
  { runtime, remote_imports }: Imports,
  importer = "",
  imported = new Set<string>(),
  isUnused: (path: string) => Promise<boolean> = () => Promise.resolve(false),
): esbuild.Plugin {
  const names = Object.keys(runtime.modules).filter((name) => !/\/internal|jsx-(dev-)?runtime/.test(name));
  const refuse = (text: string) => ({ errors: [{ text }] });
  return {
    name: "closed",
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path, kind, namespace, importer: from, with: attributes }) => {
        const is_author = from === importer || `${namespace}:${from}` === importer;
        if (is_author) imported.add(path);
        if (kind === "url-token") return { path, external: true };
        if (namespace === "runtime" && path.startsWith(VENDOR)) return { path, external: true, sideEffects: false };
        if (Object.keys(attributes).length > 0) {
          return refuse(REFUSALS.attributes(path));
        }
        const is_hidden = importer === AUTHOR && is_author && INTERNAL.test(path);
        if (Object.hasOwn(runtime.modules, path) && !is_hidden) {
          return { path, namespace: "runtime", sideEffects: false };
        }
        if (path.startsWith("https://") && remote_imports) return { path, external: true };
        if (is_author && await isUnused(path)) {
          return { path, external: true, sideEffects: false };
        }
        if (names.length === 0) return refuse(REFUSALS.only_https(path));
        if (/^https?:/.test(path)) return refuse(REFUSALS.no_remote(path));
        return refuse(REFUSALS.not_listed(path, names));
      });
      build.onLoad({ filter: /.*/, namespace: "runtime" }, ({ path }) => ({
        // Compiled code calls a tenth of the internal functions. Listing the others would only cost time.
        contents: runtimeModule(runtime.modules[path] ?? {}, path.includes("/internal/") ? words : undefined),
      }));
    },
  };
}

/** Modules for the compiler's output and the showing code. */
export const INTERNAL = /\/internal\//;

/** A module that re-exports names from vendor files, in a statement each, so that esbuild drops unused ones. */
function runtimeModule(exports: Runtime["modules"][string], words: ReadonlySet<string> | undefined): string {
  return Object.entries(exports)
    .filter(([name]) => name !== "*" && (!words || words.has(name)))
    .map(([name, [file, there]]) => `export { ${there} as ${name} } from "${VENDOR}${file}";`)
    .join("\n");
}
