/**
 * The compiler that the server uses. Sources are compiled in subprocesses that may read npm's packages and run esbuild,
 * and nothing else: a source of 264 bytes can make Svelte's compiler hang, one of 169 bytes can fill gigabytes.
 */
import { LRUCache } from "lru-cache";
import { buildProcess } from "../../subprocess/build_process.ts";
import { type Build, CompileFailure, type Compiler, CompilerBusy, type PartSizes, type Source } from "../compiler.ts";
import { sha256 } from "../hash.ts";
import type { Answer, Runtime, RuntimeName } from "../protocol.ts";
import { cssEngineOf, fetchFor, furtherRuntimesOf, isCompiled, toolchainOf } from "../toolchain.ts";
import { sizeOf, sumOf, vendorSizes } from "./build_size.ts";
import { createCodes } from "./codes.ts";
import { CONSOLE_BUILD, createConsoleFiles } from "./console_files.ts";
import { createCostlySources } from "./costly_sources.ts";
import { startPatience, unlessAborted } from "./patience.ts";
import type { Uses } from "../uses.ts";
import { createPool, type Pool } from "./pool.ts";
import { findPrebuilt } from "./prebuilt.ts";
import { createVendor, type VendorOptions, type VendorStore } from "./vendor.ts";
import { createWorkerStart } from "./worker_start.ts";

export interface CompilerOptions {
  vendor_store: VendorStore;
  /** The workers' environment: where Deno keeps its files. */
  environment: Readonly<Record<string, string>>;
  /** Workers at most. */
  workers?: number;
  /** Per source, from the moment a worker takes it. Time in which the worker waits for a processor does not count. */
  time_limit_ms?: number;
  /** How long a source waits for a worker, and for a runtime that is built first. */
  wait_ms?: number | undefined;
  /** How long a source that has cost a worker its life is refused without another attempt. */
  refused_ms?: number;
  /** Limit of each worker's JavaScript heap. */
  heap_mb?: number;
  /** Sources that may wait, beyond those that are being compiled. */
  queue_limit?: number;
  /** How long sources wait before a further worker starts. */
  further_worker_after_ms?: number;
  /** Memory for results, so that an unchanged source is not compiled again. 0: none. */
  cache_mb?: number;
  /** How long the last worker waits for work before it is ended. It holds 80 MB, and takes half a second to start. */
  idle_ms?: number;
  /** Whether apps may import modules from `https:` addresses. */
  remote_imports?: boolean;
  /** Whether `deno task dev` rebuilds the console while the server runs. */
  dev?: boolean;
  log?: { info(event: string, detail?: Record<string, unknown>): void };
  /** Path of the Deno that runs the workers. */
  deno?: string;
  /** See `WorkerStartOptions`. */
  runaway?: ((reason: string) => void) | undefined;
  /** Finds the runtimes that ship with this version. */
  prebuilt?: VendorOptions["prebuilt"];
  /** Fetches the packages of a runtime that are not on this machine. */
  fetch_packages?: typeof fetchFor;
}

/** A build bundles megabytes and compresses them with the best quality. */
const RUNTIME_LIMIT_MS = 60_000;

/** A background build gets a third of a busy machine. With 19 it would get almost nothing, and an app may wait for it. */
const BACKGROUND_NICE = 5;

/** Seconds. The registry may be away, or the server may not start processes or write to Deno's cache. */
const FETCH_AGAIN_S = 60;

/** Built in the background where they do not ship. Not Phaser: few apps use it, and it is a large download. */
const IN_ADVANCE = ["vue", "react", "kaboom", "tailwind_all"] as const satisfies RuntimeName[];

/** The account for work that no account asked for. Accounts count from 1. */
const SERVER = 0;

export function createCompiler({
  vendor_store,
  environment,
  workers = 2,
  time_limit_ms = 5000,
  wait_ms = 10_000,
  refused_ms = 60_000,
  heap_mb = 256,
  queue_limit = 64,
  further_worker_after_ms,
  cache_mb = 32,
  idle_ms = 30_000,
  remote_imports = false,
  dev = false,
  log,
  deno = Deno.execPath(),
  runaway,
  prebuilt = findPrebuilt,
  fetch_packages = fetchFor,
}: CompilerOptions): Compiler {
  const note = (event: string, detail: Record<string, unknown>) => log?.info(event, detail);
  const { start, shares_memory } = createWorkerStart({ deno, heap_mb, environment, runaway, log: note });
  const open = (workers: number, nice: number) =>
    createPool({
      workers,
      queue_limit,
      further_worker_after_ms,
      idle_ms,
      shares_memory,
      start: (proceed) => start(nice, proceed),
      log: note,
    });
  const pool = open(workers, 0);
  /** Its process starts with the first build. */
  const background = open(1, BACKGROUND_NICE);
  let closed = false;

  const building = new Set<RuntimeName>();
  const buildIn = (pool: Pool) => async (name: RuntimeName) => {
    building.add(name);
    try {
      await fetch_packages(name, deno, environment).catch((cause) => {
        throw new CompilerBusy(FETCH_AGAIN_S, `The packages of ${name} cannot be fetched to this server`, { cause });
      });
      const answer = await pool.perform({ job: "runtime", name }, SERVER, RUNTIME_LIMIT_MS);
      if ("built" in answer) return answer.built;
      throw new Error(`the runtime ${name} cannot be built: ${"crash" in answer ? answer.crash : "no answer"}`);
    } finally {
      building.delete(name);
    }
  };
  const vendor = createVendor({ store: vendor_store, prebuilt, build: buildIn(pool) });
  const results = new LRUCache<string, Build>({
    maxSize: Math.max(1, cache_mb * 1024 * 1024),
    // Strings take at most two bytes a character.
    sizeCalculation: ({ code, css, positions = "" }) => 2 * (code.length + css.length + positions.length) + 2000,
  });
  const running = new Map<string, Promise<Build>>();
  const costly = createCostlySources(refused_ms);
  const codes = createCodes({ pool, costly, time_limit_ms, wait_ms });

  async function build(source: Source, source_hash: string, account: number, positions: boolean): Promise<Build> {
    const { engine, css_engine } = source;
    const further = furtherRuntimesOf(source);
    using patience = startPatience(wait_ms);
    const loading = Promise.all([
      vendor.runtime(engine),
      css_engine === "tailwind_all" ? vendor.runtime("tailwind_all") : undefined,
      vendor.runtime("platform"),
      ...further.map(vendor.runtime),
    ]);
    const [own, tailwind, platform, ...others] = await unlessAborted(loading, patience.signal);
    const runtime = [platform, ...others].reduce(withModulesOf, own);
    const job = { job: "compile", source, runtime, remote_imports, positions } as const;
    const answer = await pool.perform(job, account, time_limit_ms, patience.signal);
    const { code, css, imports, warnings, ...times } = buildOrFail(answer, engine);
    const scripts = [...runtime.scripts, ...tailwind?.scripts ?? []];
    const [script_size, css_size, vendor_sizes] = await Promise.all([
      sizeOf(code),
      sizeOf(css),
      vendorSizes([...imports, ...scripts], vendor.size, platform, tailwind),
    ]);
    return {
      code,
      css,
      imports: imports.map(address),
      scripts: scripts.map(address),
      ...times,
      config: {
        compiler: toolchainOf(engine, css_engine, ...further),
        source_hash,
        size: sumOf([script_size, css_size]),
        sizes: withoutAbsent({ script: script_size, css: css_size, ...vendor_sizes }),
        warnings: warnings.slice(0, MOST_WARNINGS).map((warning) => warning.slice(0, LONGEST_WARNING)),
      },
    };
  }

  /** Has a worker check a js source, which is served unchanged. */
  async function script(source: Source, source_hash: string, account: number): Promise<Build> {
    using patience = startPatience(wait_ms);
    const job = { job: "compile", source, runtime: NO_RUNTIME, remote_imports, positions: false } as const;
    buildOrFail(await pool.perform(job, account, time_limit_ms, patience.signal), "js");
    const { usesOf } = await import("../uses.ts");
    return await unchanged(source, source_hash, usesOf(source.source_code));
  }

  const html = async (source: Source, source_hash: string): Promise<Build> =>
    await unchanged(source, source_hash, (await import("../uses.ts")).usesInHtml(source.source_code));

  async function unchanged(
    { engine, source_code: code }: Source,
    source_hash: string,
    { platform, requests }: Uses,
  ): Promise<Build> {
    const runtime = platform ? await vendor.runtime("platform") : NO_RUNTIME;
    const { scripts } = runtime;
    const size = await sizeOf(code);
    const sizes = await vendorSizes(scripts, vendor.size, runtime);
    return {
      code,
      css: "",
      imports: [],
      scripts: scripts.map(address),
      app_build_time: 0,
      css_build_time: 0,
      asks: platform || requests,
      config: {
        compiler: {},
        source_hash,
        size: sumOf([size]),
        sizes: withoutAbsent(engine === "html" ? sizes : { script: size, ...sizes }),
        warnings: [],
      },
    };
  }

  const console_build = buildProcess(deno, environment);
  const console = createConsoleFiles({
    store: vendor_store,
    build: () => console_build.run(CONSOLE_BUILD),
    dev,
    log,
  });

  return {
    console,
    async compile(asked, account = SERVER, asks_positions = false) {
      const source = { ...asked, css_engine: cssEngineOf(asked) };
      const { engine, css_engine, source_code } = source;
      const source_hash = await sha256(source_code);
      if (engine === "html") return await html(source, source_hash);
      if (engine !== "js" && !isCompiled(engine)) {
        throw new CompileFailure([`${engine} apps cannot be compiled by this release`]);
      }
      const key = JSON.stringify([engine, css_engine, source_hash]);
      // The source of a js app is its code.
      const positions = asks_positions && engine !== "js";
      const known = results.get(key);
      if (known && (!positions || known.positions !== undefined)) return known;
      const mapped = `${key} with positions`;
      const other = running.get(mapped) ?? (positions ? undefined : running.get(key));
      if (other) return other;
      costly.refuse(key);
      const name = positions ? mapped : key;
      const building = (engine === "js" ? script : build)(source, source_hash, account, positions).finally(() =>
        running.delete(name)
      );
      running.set(name, building);
      try {
        const result = await building;
        // A save that was compiled meanwhile must not replace a build with positions.
        if (positions || !results.get(key)) results.set(key, result);
        return result;
      } catch (error) {
        costly.note(key, error);
        throw error;
      }
    },
    code: (source, account = SERVER) => codes(source, account),
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
          // Sources of authors go first.
          while (running.size > 0) await Promise.allSettled(running.values());
          await vendor.prepare(name, buildIn(background));
        }
        if (!closed) log?.info("runtimes_ready");
      } catch (error) {
        if (!closed) log?.info("runtimes_not_ready", { fault: String(error) });
      }
      await background.close();
    },
    load: () => ({ ...pool.load(), building: [...building] }),
    close: async () => {
      closed = true;
      console_build.kill();
      await Promise.all([pool.close(), background.close()]);
    },
  };
}

/** Server processes that start together begin with different runtimes, and later find those that others have built. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}

const withModulesOf = (runtime: Runtime, { modules, imports }: Runtime): Runtime => ({
  ...runtime,
  modules: { ...runtime.modules, ...modules },
  imports: { ...runtime.imports, ...imports },
});

const withoutAbsent = ({ ...sizes }: PartSizes): PartSizes =>
  Object.fromEntries(Object.entries(sizes).filter(([, size]) => size));

/** Lists of apps contain their warnings. */
const MOST_WARNINGS = 20;
const LONGEST_WARNING = 500;

const address = (file: string) => `/vendor/${file}`;

/** @throws {CompileFailure} also where the engine itself fails, because only unusual sources make it fail */
function buildOrFail(answer: Answer, engine: string) {
  if ("build" in answer) return answer.build;
  if ("mistakes" in answer) throw new CompileFailure(answer.mistakes);
  throw new CompileFailure([
    `the ${engine} compiler cannot read this source${"crash" in answer ? `: ${answer.crash}` : ""}`,
  ]);
}

/** For a source that is served unchanged. */
const NO_RUNTIME = { modules: {}, imports: {}, scripts: [] };
