/**
 * The compiler that the server uses. Sources are compiled in processes of their own, which may read npm's packages, run
 * esbuild and nothing else: a source of 264 bytes can hang Svelte's compiler, one of 169 fill gigabytes.
 */
import { brotliCompress, brotliCompressSync, constants } from "node:zlib";
import { promisify } from "node:util";
import type { Build, Compiler, Source } from "../compiler.ts";
import { CompileFailure } from "../compiler.ts";
import { sha256 } from "../hash.ts";
import { createPool, type Pool } from "./pool.ts";
import type { Answer, Runtime, RuntimeName } from "../protocol.ts";
import { createRecent } from "./recent.ts";
import { cssEngineOf, fetchFor, furtherRuntimesOf, isCompiled, toolchainOf } from "../toolchain.ts";
import { createVendor, type VendorStore } from "./vendor.ts";
import { workerCommand } from "./worker_command.ts";

export interface CompilerOptions {
  vendor_store: VendorStore;
  /** Of the processes: where Deno keeps its files. */
  environment: Readonly<Record<string, string>>;
  /** Processes at most; the second starts when the first is busy. */
  workers?: number;
  /** From the moment a worker takes a source. */
  time_limit_ms?: number;
  /** Of JavaScript's heap, each worker. */
  heap_mb?: number;
  /** Sources that wait, beyond those being compiled. */
  queue_limit?: number;
  /** Results kept, so that an unchanged source is not compiled again. */
  cache_mb?: number;
  /** Whether apps may import modules from `https:` addresses. */
  remote_imports?: boolean;
  log?: { info(event: string, detail?: Record<string, unknown>): void };
  /** The Deno that runs the workers. */
  deno?: string;
}

/** Building a runtime bundles megabytes and compresses them as far as it goes. */
const RUNTIME_LIMIT_MS = 60_000;

/** Pages are compressed when they are served; this only tells their size, and best quality would double a build's time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Bytes that take half a millisecond; another thread takes two. */
const COMPRESSED_AT_ONCE = 32 * 1024;

const brotli = async (part: Uint8Array) =>
  part.length > COMPRESSED_AT_ONCE ? await promisify(brotliCompress)(part, BROTLI) : brotliCompressSync(part, BROTLI);

export function createCompiler({
  vendor_store,
  environment,
  workers = 2,
  time_limit_ms = 5000,
  heap_mb = 256,
  queue_limit = 64,
  cache_mb = 32,
  remote_imports = false,
  log,
  deno = Deno.execPath(),
}: CompilerOptions): Compiler {
  const command = workerCommand(deno, heap_mb, environment);
  const open = (workers: number, nice: number) =>
    createPool({
      workers,
      queue_limit,
      command: () => command(nice),
      log: (event, detail) => log?.info(event, detail),
    });
  const pool = open(workers, 0);
  /** Starts its process when it is first used. */
  const builders = open(1, PATIENT);
  let closed = false;

  const buildIn = (pool: Pool) => async (name: RuntimeName) => {
    await fetchFor(name, deno, environment);
    const answer = await pool.perform({ job: "runtime", name }, SERVER, RUNTIME_LIMIT_MS);
    if ("built" in answer) return answer.built;
    throw new Error(`the runtime ${name} cannot be built: ${"crash" in answer ? answer.crash : "no answer"}`);
  };
  const vendor = createVendor(vendor_store, buildIn(pool));
  const built = createRecent<Build>(cache_mb * 1024 * 1024);
  const running = new Map<string, Promise<Build>>();

  async function build(source: Source, source_hash: string, account: number): Promise<Build> {
    const { engine, css_engine } = source;
    const further = furtherRuntimesOf(source);
    const [own, tailwind, ...others] = await Promise.all([
      vendor.runtime(engine),
      css_engine === "tailwind_all" ? vendor.runtime("tailwind_all") : undefined,
      vendor.runtime("platform"),
      ...further.map(vendor.runtime),
    ]);
    const runtime = others.reduce(withModulesOf, own);
    const job = { job: "compile", source, runtime, remote_imports } as const;
    const { code, css, imports, warnings, ...times } = read(await pool.perform(job, account, time_limit_ms), engine);
    return {
      code,
      css,
      imports: imports.map(address),
      scripts: [...runtime.scripts, ...tailwind?.scripts ?? []].map(address),
      ...times,
      config: {
        compiler: toolchainOf(engine, css_engine, ...further),
        source_hash,
        size: await sizeOf(code, css),
        warnings: shown(warnings),
      },
    };
  }

  return {
    async compile(asked, account = SERVER) {
      const source = { ...asked, css_engine: cssEngineOf(asked) };
      const { engine, css_engine, source_code } = source;
      const source_hash = await sha256(source_code);
      if (engine === "js" || engine === "html") {
        const { scripts } = MENTIONS_PLATFORM.test(source_code) ? await vendor.runtime("platform") : NO_SCRIPTS;
        return unchanged(source_code, source_hash, scripts.map(address));
      }
      if (!isCompiled(engine)) throw new CompileFailure([`${engine} apps cannot be compiled by this release`]);
      const key = JSON.stringify([engine, css_engine, source_hash]);
      const known = built.get(key) ?? running.get(key);
      if (known) return known;
      const building = build(source, source_hash, account).finally(() => running.delete(key));
      running.set(key, building);
      const result = await building;
      // UTF-16 in memory, at most two bytes a character.
      built.set(key, result, 2 * (result.code.length + result.css.length) + 2000);
      return result;
    },
    vendor: (file) => vendor.file(file),
    warm: async () => {
      try {
        await pool.warm();
        await Promise.all([vendor.runtime("svelte"), vendor.runtime("platform")]);
      } catch (error) {
        log?.info("compiler_not_warm", { fault: String(error) });
      }
    },
    prepare: async () => {
      try {
        for (const name of shuffled(IN_ADVANCE)) {
          await vendor.prepare(name, buildIn(builders));
        }
        if (!closed) log?.info("runtimes_ready");
      } catch (error) {
        if (!closed) log?.info("runtimes_not_ready", { fault: String(error) });
      }
      await builders.close();
    },
    close: async () => {
      closed = true;
      await Promise.all([pool.close(), builders.close()]);
    },
  };
}

/** A third of a source's share of a busy machine. With 19 there would be none left, and somebody may be waiting. */
const PATIENT = 5;

/** Not Phaser, which few want and which is a large download. */
const IN_ADVANCE = ["vue", "react", "kaboom", "tailwind_all"] as const;

/** Of several processes that start at once, each begins elsewhere, and finds there what the others have built since. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}

const withModulesOf = (runtime: Runtime, { modules, imports }: Runtime): Runtime => ({
  ...runtime,
  modules: { ...runtime.modules, ...modules },
  imports: { ...runtime.imports, ...imports },
});

/** Lists carry warnings, too. */
const shown = (warnings: string[]) => warnings.slice(0, 20).map((warning) => warning.slice(0, 500));

/** The account of work that is nobody's. Accounts count from 1. */
const SERVER = 0;

const address = (file: string) => `/vendor/${file}`;

/** @throws {CompileFailure} also where the engine itself stumbles: only an unusual source does that to it */
function read(answer: Answer, engine: string) {
  if ("build" in answer) return answer.build;
  if ("mistakes" in answer) throw new CompileFailure(answer.mistakes);
  throw new CompileFailure([
    `the ${engine} compiler cannot read this source${"crash" in answer ? `: ${answer.crash}` : ""}`,
  ]);
}

/** `window.platform` is a script of its own, for sources that can be using it. */
const MENTIONS_PLATFORM = /\bplatform\b/;
const NO_SCRIPTS = { scripts: [] };

async function unchanged(code: string, source_hash: string, scripts: string[]): Promise<Build> {
  const config = { compiler: {}, source_hash, size: await sizeOf(code, ""), warnings: [] };
  return { code, css: "", imports: [], scripts, app_build_time: 0, css_build_time: 0, config };
}

async function sizeOf(code: string, css: string): Promise<{ raw: number; brotli: number }> {
  const parts = [code, css].filter(Boolean).map((text) => new TextEncoder().encode(text));
  const compressed = await Promise.all(parts.map(brotli));
  const bytes = (files: Uint8Array[]) => files.reduce((sum, { length }) => sum + length, 0);
  return { raw: bytes(parts), brotli: bytes(compressed) };
}
