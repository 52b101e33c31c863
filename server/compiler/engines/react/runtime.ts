/**
 * Builds React's runtime, two files: React itself with the names that most apps import (58 KB with brotli), and the other
 * names, which would add half a kilobyte to the first file.
 */
import { dirname, join } from "node:path";
import { findPackageFile } from "../../runtime/packages.ts";
import type { BuiltRuntime, Runtime } from "../../protocol.ts";
import { bundleEntries } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";
import { COMMON, MOUNT } from "./runtime_names.ts";

/** Never called. These imports make Deno fetch packages that are only read as files. */
export const keepsCached = () => [import("react"), import("react-dom")];

/** Leaves out the hooks for development tools. */
const FLAGS = { __REACT_DEVTOOLS_GLOBAL_HOOK__: "undefined" };

/** The objects that `import React` and `import ReactDOM` stand for. */
const OBJECTS = ["R", "D"] as const;

const JSX = ["jsx", "jsxs", "Fragment"] as const;

/** Mounts a component or an element. React itself reports any other value. */
const HELPER = `
export const mount = (app) => {
  const root = client.createRoot(document.getElementById("platform-app"));
  root.render(R.isValidElement(app) ? app : R.createElement(app));
};`;

export async function buildRuntime(): Promise<BuiltRuntime> {
  const names = await readNames();
  const alias = (object: keyof typeof names, name: string) => `${object}${names[object].indexOf(name)}`;
  const pick = (wanted: (name: string) => boolean) =>
    OBJECTS.map((object) => {
      const picked = names[object].filter(wanted).map((name) => `${name}: ${alias(object, name)}`);
      return `export const { ${picked.join(", ")} } = ${object};`;
    }).join("\n");
  const common = `
// Development builds export it, too. There is nothing that it could capture here.
export const R = { captureOwnerStack: () => null, ...require("${findPackageFile("react").path}") };
const client = require("${findPackageFile("react-dom/client").path}");
// Older pages have an element "root", which apps look for in vain here.
const place = (container) => container ?? document.getElementById("platform-app");
export const D = {
  ...require("${findPackageFile("react-dom").path}"),
  ...client,
  createRoot: (container, options) => client.createRoot(place(container), options),
  hydrateRoot: (container, children, options) => client.hydrateRoot(place(container), children, options),
};
export const { ${JSX.join(", ")} } = require("${findPackageFile("react/jsx-runtime").path}");
${pick((name) => COMMON.has(name))}
${HELPER}`;
  // Importing the first entry keeps all of its code in one file.
  const rest = `import { ${OBJECTS.join(", ")} } from "entry:common";\n${pick((name) => !COMMON.has(name))}`;
  const banner = `/* react ${toolchainOf("react").react}, MIT licence, https://react.dev */\n`;
  const { runtime, files } = await bundleEntries({ common, rest }, banner, [], FLAGS);

  const built = { ...runtime.modules.common, ...runtime.modules.rest };
  const module = (exports: [name: string, built: string][]): Runtime["modules"][string] =>
    Object.fromEntries(exports.flatMap(([name, as]) => built[as] ? [[name, built[as]]] : []));
  const namesOf = (object: keyof typeof names) =>
    module([
      ["default", object],
      ["*", object],
      ...names[object].map((name): [string, string] => [name, alias(object, name)]),
    ]);
  return {
    runtime: {
      ...runtime,
      modules: {
        react: namesOf("R"),
        // Both modules share one object and one list of names: older code imports `createRoot` from `react-dom`.
        "react-dom": namesOf("D"),
        "react-dom/client": namesOf("D"),
        "react/jsx-runtime": module(JSX.map((name) => [name, name])),
        [MOUNT]: module([["mount", "mount"]]),
      },
    },
    files,
  };
}

/** Reads the names that the packages export. They are CommonJS, and have one line `exports.name = …` for each. */
async function readNames(): Promise<Record<typeof OBJECTS[number], string[]>> {
  const read = async (specifier: string, build: string) => {
    const text = await Deno.readTextFile(join(dirname(findPackageFile(specifier).path), `cjs/${build}.production.js`));
    return [...text.matchAll(/^exports\.(\w+) =/gm)].flatMap(([, name = ""]) => name.startsWith("__") ? [] : [name]);
  };
  const [react, dom, client] = await Promise.all([
    read("react", "react"),
    read("react-dom", "react-dom"),
    read("react-dom/client", "react-dom-client"),
  ]);
  return { R: [...new Set([...react, "captureOwnerStack"])], D: [...new Set([...dom, ...client])] };
}
