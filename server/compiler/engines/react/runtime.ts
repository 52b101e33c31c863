/**
 * React in two files: all of it with the names that most apps import (58 KB with brotli), and the other names, which
 * would make the first one half a kilobyte larger for everybody.
 */
import { dirname, join } from "node:path";
import { findPackageFile } from "../../runtime/packages.ts";
import type { BuiltRuntime, Runtime } from "../../protocol.ts";
import { bundleEntries } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";

/** Never called. Packages that are only read as files reach Deno's cache because an import names them. */
export const keepsCached = () => [import("react"), import("react-dom")];

/** What shows a default export; authors are not told of it. */
export const MOUNT = "react/internal/mount";

const COMMON = new Set(
  `useState useEffect useRef useMemo useCallback useReducer useContext createContext memo StrictMode useId
  useLayoutEffect createRoot createPortal`.split(/\s+/),
);

/** What serves tools of development is left out, as Vue's is. */
const FLAGS = { __REACT_DEVTOOLS_GLOBAL_HOOK__: "undefined" };

/** What `import React` and `import ReactDOM` give. */
const OBJECTS = ["R", "D"] as const;

const JSX = ["jsx", "jsxs", "Fragment"] as const;

/** An element is shown as it is; whatever else it may be, React says itself what is wrong with it. */
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
export const R = require("${findPackageFile("react").path}");
const client = require("${findPackageFile("react-dom/client").path}");
export const D = { ...require("${findPackageFile("react-dom").path}"), ...client };
export const { ${JSX.join(", ")} } = require("${findPackageFile("react/jsx-runtime").path}");
${pick((name) => COMMON.has(name))}
${HELPER}`;
  // It imports the other entry, so that all code of that one is in the file that they share.
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
        // One object and one list of names for both: older code takes `createRoot` from `react-dom`, too.
        "react-dom": namesOf("D"),
        "react-dom/client": namesOf("D"),
        "react/jsx-runtime": module(JSX.map((name) => [name, name])),
        [MOUNT]: module([["mount", "mount"]]),
      },
    },
    files,
  };
}

/** The packages are CommonJS; each export of a build is a line of its own, so that only its text has to be read. */
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
  return { R: react, D: [...new Set([...dom, ...client])] };
}
