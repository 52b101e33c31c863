/**
 * Bundles the console. With `--write` it writes client/console/dist/, which ships with the server, and with `--check` it
 * fails if that build is of other sources. With `--watch` it writes client/.console_dev/ after every change, and hardly
 * compresses. Without an argument it prints the files for the server that started it.
 */
import * as esbuild from "esbuild";
import { brotliCompressSync, constants } from "node:zlib";
import { fileURLToPath } from "node:url";
import { CONSOLE, DEV_DIST, DIST, hashOfConsole } from "../host/console_sources.ts";
import { licencesOf } from "../runtime/licences.ts";
import { type Bundle, bundleConsole, watchConsole } from "./bundle.ts";

const brotliOf = (body: Uint8Array, quality: number) =>
  brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });

/** Writes the files as `<name>.br`, then the manifest. @returns bytes of the first load, compressed */
async function write(folder: URL, { manifest, contents }: Bundle, quality: number): Promise<number> {
  await Deno.mkdir(folder, { recursive: true });
  const first_load = new Set([manifest.entry, ...manifest.styles, ...manifest.preload]);
  let first = 0;
  for (const [name, body] of contents) {
    const compressed = brotliOf(body, quality);
    if (first_load.has(name)) first += compressed.length;
    await Deno.writeFile(new URL(`${name}.br`, folder), compressed);
  }
  const next = new URL("manifest.json.next", folder);
  await Deno.writeTextFile(next, JSON.stringify(manifest) + "\n");
  await Deno.rename(next, new URL("manifest.json", folder));
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".br") && !contents.has(name.slice(0, -3))) await Deno.remove(new URL(name, folder));
  }
  return first;
}

/**
 * A line of JSON for each file, then one for the manifest: see `BuiltPart`. Quality 9 takes a third of the time of 11 and
 * adds 4 percent.
 */
async function print({ manifest, contents }: Bundle): Promise<void> {
  const writer = Deno.stdout.writable.getWriter();
  const printLine = (part: unknown) => writer.write(new TextEncoder().encode(JSON.stringify(part) + "\n"));
  for (const [file, body] of contents) {
    await printLine({ file, brotli: brotliOf(body, 9).toBase64() });
  }
  await printLine({ manifest });
  await writer.close();
}

const say = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));

/** How long an editor may take to write the files of one change. */
const SETTLED_MS = 30;

async function watch(): Promise<void> {
  const rebuild = await watchConsole();
  const built = async () => {
    const started = performance.now();
    try {
      await write(DEV_DIST, await rebuild(), 1);
      say(`the console is built in ${Math.round(performance.now() - started)} ms`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  let last = built();
  await last;
  const watcher = Deno.watchFs(
    [CONSOLE, new URL("../mod.ts", CONSOLE), new URL("../../docs/", CONSOLE)].map((url) => fileURLToPath(url)),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const { paths, kind } of watcher) {
    if (kind === "access" || paths.every((path) => /[/\\]dist([/\\]|$)/.test(path))) continue;
    clearTimeout(timer);
    // One after the other: each build removes the files of the one before.
    timer = setTimeout(() => last = last.then(built), SETTLED_MS);
  }
}

async function check(): Promise<void> {
  const { sources } = JSON.parse(await Deno.readTextFile(new URL("manifest.json", DIST)));
  if (sources === await hashOfConsole()) return;
  say("client/console/dist/ is not of the present sources: run `deno task build:console` and commit the folder");
  Deno.exit(1);
}

const [mode] = Deno.args;
if (mode === "--watch") await watch();
else if (mode === "--check") await check();
else {
  const sources = await hashOfConsole();
  if (mode === "--write") {
    const bundle = await bundleConsole(sources);
    await Deno.mkdir(DIST, { recursive: true });
    await Deno.writeTextFile(new URL("LICENSES.txt", DIST), await licencesOf(bundle.of_packages));
    const first = await write(DIST, bundle, 11);
    say(`the console: ${(first / 1000).toFixed(1)} KB at first load`);
  } else await print(await bundleConsole(sources));
  await esbuild.stop();
}
