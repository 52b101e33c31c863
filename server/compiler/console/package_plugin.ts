/** Finds files of npm packages for esbuild, which can search only node_modules folders. */
import type { Plugin } from "esbuild";
import { findPackageFile } from "../runtime/packages.ts";
import { fileURLToPath } from "node:url";

export const packagePlugin: Plugin = {
  name: "packages",
  setup(build) {
    build.onResolve({ filter: /^@?\w[^:]*$/ }, ({ path, importer, namespace, kind }) => {
      if (kind === "entry-point" || kind === "url-token" || namespace !== "file") return undefined;
      // Files of the project find packages by this module's graph, files of packages by their own dependencies.
      const from = importer.includes("/npm/") ? importer : fileURLToPath(import.meta.url);
      return findPackageFile(path, from);
    });
  },
};
