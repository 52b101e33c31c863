/** Finds files of npm packages for esbuild, which can search only node_modules folders. */
import type { Plugin } from "esbuild";
import { findPackageFile } from "../runtime/packages.ts";

export const packagePlugin: Plugin = {
  name: "packages",
  setup(build) {
    build.onResolve({ filter: /^@?\w[^:]*$/ }, ({ path, importer, namespace, kind }) => {
      if (kind === "entry-point" || kind === "url-token" || namespace !== "file") return undefined;
      return findPackageFile(path, importer);
    });
  },
};
