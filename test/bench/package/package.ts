/**
 * What the npm package costs its users: the bytes of a browser's bundle, and the time in which the TypeScript compiler
 * checks a program against all procedures and the types of a large account.
 */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { packedFiles } from "../../../client/pack/pack.ts";
import { accountTypes } from "../../../client/package/account_types.ts";
import type { PackedFile } from "../../../client/pack/tar.ts";
import type { Section } from "../measure/section.ts";
import { layOut, median } from "../measure/table.ts";

const TREE = fileURLToPath(new URL("../../../", import.meta.url));
const TABLES = 200;
const BINDINGS = ["react", "vue", "svelte"];
const MOST_OF_BINDING = 2_048;

interface Size {
  part: string;
  minified: number;
  gzip: number;
  brotli: number;
}

async function sizeOf(folder: string, part: string, entry: string, external: string[]): Promise<Size> {
  const { outputFiles: [output] } = await esbuild.build({
    stdin: { contents: `export * from "${folder}/${entry}.js";`, resolveDir: folder },
    bundle: true,
    write: false,
    format: "esm",
    minify: true,
    external: ["react", "vue", "svelte", "svelte/*", ...external],
  });
  const bytes = output?.contents ?? new Uint8Array();
  return {
    part,
    minified: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes).length,
  };
}

/** A package of the types of an account with many tables, each used once. */
async function writePrograms(folder: string): Promise<void> {
  const columns = { name: { type: "string", required: true }, size: "integer", at: "datetime", done: "boolean" };
  const dbs = Array.from({ length: TABLES }, (_, index) => ({ code: `table_${index}`, schema: { fields: columns } }));
  const types = await accountTypes({
    dbs: { list: () => Promise.resolve(dbs) },
    apps: { list: () => Promise.resolve([]) },
  });
  const uses = dbs.map(({ code }) => `await atrium.db("${code}").create({ name: "x", size: 1 });`);
  const program = `import { createClient } from "atrium-client";
const atrium = createClient({ url: "http://127.0.0.1" });
${uses.join("\n")}
await atrium.flows.create({ flow: { name: "x", fields: { program: [{ type: "return", data: 1 }] } } });
await atrium.departments.list({});
`;
  const files = { floor: { "main.ts": "export {};\n" }, uses: { "main.ts": program, "atrium.d.ts": types } };
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2022", types: [] };
  for (const [name, texts] of Object.entries(files)) {
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/${name}/package.json`, `{"type":"module"}`);
    await Deno.writeTextFile(`${folder}/${name}/tsconfig.json`, JSON.stringify({ compilerOptions }));
    for (const [file, text] of Object.entries(texts)) await Deno.writeTextFile(`${folder}/${name}/${file}`, text);
  }
}

/** @returns seconds */
async function compile(folder: string): Promise<number> {
  const args = ["run", "-A", "--lock=test/deno.lock", "test/packages/typescript_compiler.ts", "-p", folder];
  const command = new Deno.Command(Deno.execPath(), { args: [...args, "--extendedDiagnostics"], cwd: TREE });
  const { success, stdout } = await command.output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(text);
  return Number(/^Total time: +([\d.]+)s$/m.exec(text)?.[1]);
}

async function install(folder: string, files: readonly PackedFile[]): Promise<string> {
  const home = `${folder}/node_modules/atrium-client`;
  await Deno.mkdir(home, { recursive: true });
  for (const { name, text } of files) await Deno.writeTextFile(`${home}/${name}`, text);
  return home;
}

export const packageSection = ({ rounds }: { rounds: number }): Section => ({
  name: "package",
  missing: undefined,
  async measure(stack) {
    const folder = await Deno.makeTempDir({ prefix: "atrium_package_bench_" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    stack.defer(() => esbuild.stop());
    const home = await install(folder, await packedFiles());
    const core = (await Array.fromAsync(Deno.readDir(home))).filter(({ name }) => name.startsWith("shared-"));
    const sizes = [
      await sizeOf(home, "client", "index", []),
      ...await Promise.all(BINDINGS.map((name) => sizeOf(home, `${name}, with its core`, name, []))),
      ...await Promise.all(BINDINGS.map((name) => sizeOf(home, name, name, core.map(({ name }) => `./${name}`)))),
    ];
    await writePrograms(folder);
    const times: Record<"floor" | "uses", number[]> = { floor: [], uses: [] };
    for (let round = 0; round < rounds; round++) {
      for (const name of ["floor", "uses"] as const) times[name].push(await compile(`${folder}/${name}`));
    }
    const [floor_s, uses_s] = [median(times.floor), median(times.uses)];
    const rows = sizes.map(({ part, minified, gzip, brotli }) => [
      part,
      String(minified),
      String(gzip),
      String(brotli),
      BINDINGS.some((name) => part.startsWith(name))
        ? `≤${MOST_OF_BINDING} ${gzip <= MOST_OF_BINDING ? "met" : "MISSED"}`
        : "",
    ]);
    const report = [
      layOut([["bytes", "minified", "gzip", "brotli", "aim (gzip)"], ...rows], 1),
      "",
      `tsc: ${uses_s.toFixed(2)} s with all procedures and ${TABLES} tables, ${
        floor_s.toFixed(2)
      } s for an empty program`,
    ].join("\n");
    return { result: { sizes, tsc: { floor_s, uses_s, tables: TABLES } }, report };
  },
});
