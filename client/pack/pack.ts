/** `deno task pack [--to=dist]`: builds the npm package `atrium-client` into `dist/atrium-client-<version>.tgz`. */
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as esbuild from "esbuild";
import config from "../../deno.json" with { type: "json" };
import { routesOf } from "../../server/http/rest/routes.ts";
import { loadRouter } from "../../server/router.ts";
import { procedureTypes } from "./procedure_types.ts";
import { routeLines } from "./route_lines.ts";
import { type PackedFile, tarOf } from "./tar.ts";

const ROOT = new URL("../../", import.meta.url);
const SOURCES = new URL("client/package/", ROOT);
const BINDINGS = ["react", "vue", "svelte"];
const TYPES = ["index", "live", ...BINDINGS];

const MANIFEST = {
  name: "atrium-client",
  version: config.version,
  description: "The client of an Atrium server: every procedure, actions, records that stay live, and types",
  license: config.license,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20" },
  bin: { "atrium-client": "cli.js" },
  exports: {
    ...Object.fromEntries([
      [".", { types: "./index.d.ts", default: "./index.js" }],
      ...BINDINGS.map((name) => [`./${name}`, { types: `./${name}.d.ts`, default: `./${name}.js` }]),
    ]),
    "./package.json": "./package.json",
  },
  peerDependencies: { react: ">=18", svelte: ">=5.7", vue: ">=3.3" },
  peerDependenciesMeta: Object.fromEntries(BINDINGS.map((name) => [name, { optional: true }])),
};

/** The package's files by their names. */
export async function packedFiles(): Promise<PackedFile[]> {
  const routes = routesOf(await loadRouter());
  const read = (name: string) => Deno.readTextFile(new URL(name, SOURCES));
  const types = await Promise.all(
    TYPES.map(async (name) => ({ name: `${name}.d.ts`, text: published(await read(`types/${name}.d.ts`)) })),
  );
  return [
    { name: "package.json", text: `${JSON.stringify(MANIFEST, null, 2)}\n` },
    { name: "README.md", text: await read("README.md") },
    { name: "LICENSE", text: await Deno.readTextFile(new URL("LICENSE", ROOT)) },
    ...await bundled(routeLines(routes)),
    ...types,
    { name: "procedures.d.ts", text: published(procedureTypes(routes)) },
  ];
}

/** Compilers without `allowImportingTsExtensions` take the name of the script, and comments for Deno's linter are ours. */
const published = (text: string) =>
  text.replaceAll(/from "(\.\/[\w/]+)\.d\.ts"/g, 'from "$1.js"').replaceAll(/^\s*\/\/ deno-lint-ignore .*\n/gm, "");

async function bundled(routes: string): Promise<PackedFile[]> {
  const path = (name: string) => fileURLToPath(new URL(name, SOURCES));
  const entries = { index: path("index.ts"), cli: path("cli.ts") };
  const { outputFiles } = await esbuild.build({
    entryPoints: {
      ...entries,
      ...Object.fromEntries(BINDINGS.map((name) => [name, path(`bindings/${name}.ts`)])),
    },
    bundle: true,
    splitting: true,
    write: false,
    outdir: path("."),
    chunkNames: "shared-[hash]",
    format: "esm",
    target: "es2022",
    external: ["react", "vue", "svelte", "svelte/*", "node:*"],
    legalComments: "none",
    charset: "utf8",
    plugins: [ofPackage(routes)],
  });
  return outputFiles.map(({ path, text }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return name === "cli.js" ? { name, text: `#!/usr/bin/env node\n${text}`, is_program: true } : { name, text };
  });
}

/** Puts in the table of routes, and names the error class that apps share with the package after the package. */
const ofPackage = (routes: string): esbuild.Plugin => ({
  name: "atrium-client",
  setup(build) {
    build.onLoad({ filter: /\/package\/routes\.ts$/ }, () => ({
      contents: `export const ROUTES = ${JSON.stringify(routes)};`,
    }));
    build.onLoad({ filter: /\/app\/platform_error\.js$/ }, async ({ path }) => ({
      contents: (await Deno.readTextFile(path)).replaceAll("PlatformError", "AtriumError") +
        "\nexport { AtriumError as PlatformError };\n",
    }));
  },
});

/** @returns the path of the tarball */
export async function pack(folder: string): Promise<string> {
  const files = await packedFiles();
  await Deno.mkdir(folder, { recursive: true });
  const path = `${folder}/atrium-client-${config.version}.tgz`;
  const tar = tarOf(files.map((file) => ({ ...file, name: `package/${file.name}` })));
  await Deno.writeFile(path, new Uint8Array(gzipSync(tar, { level: 9 })));
  return path;
}

if (import.meta.main) {
  const { values } = parseArgs({ args: Deno.args, options: { to: { type: "string" } } });
  const path = await pack(values.to ?? fileURLToPath(new URL("dist", ROOT)));
  await Deno.stdout.write(new TextEncoder().encode(`${path}\n`));
  await esbuild.stop();
  Deno.exit(0);
}
