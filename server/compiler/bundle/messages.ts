/** What authors are told of imports and of syntax, beside and instead of esbuild's messages. */
import type { Rewording } from "./reword.ts";

/** Why a module cannot be imported. */
export const REFUSALS = {
  unused: (path: string) => `"${path}" cannot be imported here; the import is not used and is left out`,
  attributes: (path: string) => `"${path}" cannot be imported: import attributes are not supported`,
  only_https: (path: string) => `"${path}" cannot be imported; only https: addresses can`,
  no_remote: (path: string) => `"${path}" cannot be imported: this server allows no remote imports`,
  not_listed: (path: string, names: readonly string[]) =>
    `"${path}" cannot be imported; an app may import ${names.join(", ")}`,
} as const;

/** esbuild's message on JSX in a file that has none. */
export const NO_MARKUP = "The JSX syntax extension is not currently enabled";

/** esbuild's message on an import of a name that a module does not export. */
export const NO_EXPORT = /^No matching export in "runtime:([^"]+)" for import "([^"]+)"$/;

/** esbuild's messages contain namespaces of our plugin, which authors do not know. */
export const REWORDED: Rewording = [
  [NO_EXPORT, '"$1" has no export "$2"'],
  [new RegExp(NO_MARKUP), "Markup cannot stand here"],
  [/because it's an import from an injected file/, "because it is the engine's own"],
  [/"runtime:/, '"'],
];
