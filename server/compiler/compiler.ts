/**
 * The compiler's interface: the only file of this folder that domains and http import. `host/sandbox.ts` implements it.
 *
 * - engine: turns an author's source into an app; a folder in `engines/` each
 * - runtime: the library files that compiled apps import, such as Vue
 * - vendor file: a file of a runtime, served at `/vendor/<hash>.js`
 * - layer: a part of a runtime in a separate file, so that small apps load little
 * - compile worker: a subprocess that compiles sources and builds runtimes
 * - build: the result of compiling a source
 */

/** The engines of the specification, in its order. */
export const ENGINES = ["svelte", "vue", "react", "js", "html", "kaboom", "phaser"] as const;
export type Engine = (typeof ENGINES)[number];

export const CSS_ENGINES = ["tailwind_all", "tailwind", "none"] as const;
export type CssEngine = (typeof CSS_ENGINES)[number];

/** An author's source and its engines. */
export interface Source {
  engine: Engine;
  css_engine: CssEngine;
  source_code: string;
}

/** A compiled app. For js and html `code` is the unchanged source, and styles, imports and times are empty. */
export interface Build {
  /** The app's own module (js: a classic script, html: the document). Runtimes are imported from `/vendor/…`. */
  code: string;
  /** The app's own stylesheet, or an empty string. */
  css: string;
  /** Root-relative addresses of the vendor modules that `code` imports, for `modulepreload`. */
  imports: string[];
  /** Root-relative addresses of classic scripts that run before `code`, such as the browser build of Tailwind. */
  scripts: string[];
  /** Milliseconds, rounded up; 0 where nothing is compiled. */
  app_build_time: number;
  /** Milliseconds, rounded up; 0 where no CSS is compiled. */
  css_build_time: number;
  /** Whether its code can send requests to the server, through the `platform` module or the browser's own means. */
  asks: boolean;
  /**
   * The mappings of a source map (version 3) from `code` to the source. Only where asked for; absent for js and html,
   * whose code is the source.
   */
  positions?: string | undefined;
  /** Shown as the app's `config`. */
  config: BuildConfig;
}

export interface BuildConfig {
  /** Package versions that made this build, by package name. */
  compiler: Record<string, string>;
  /** SHA-256 of the source text, in hexadecimal. */
  source_hash: string;
  /** Bytes of code and css. */
  size: Size;
  /** Bytes of what a page loads for this build. */
  sizes: PartSizes;
  /** `line:column message`, in the author's coordinates. */
  warnings: string[];
}

/** In bytes: as it is, and compressed with brotli. */
export interface Size {
  raw: number;
  brotli: number;
}

/** Parts that a build does not have are absent. */
export interface PartSizes {
  /** The app's code; absent for html. */
  script?: Size | undefined;
  /** The app's stylesheet. */
  css?: Size | undefined;
  /** The engine's vendor files. */
  runtime?: Size | undefined;
  /** The `platform` module. */
  platform?: Size | undefined;
  /** The browser build of Tailwind. */
  tailwind?: Size | undefined;
}

/** A file of a runtime, served at `/vendor/<hash>.js`. It never changes, and is kept permanently. */
export interface VendorFile {
  content_type: string;
  body: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
}

/** What a page needs to load the console. Names are relative to `/console/`. */
export interface ConsoleManifest {
  entry: string;
  styles: string[];
  /** Modules that the entry imports statically, for `modulepreload`. */
  preload: string[];
  files: string[];
  /** SHA-256 of the sources, in hexadecimal; `dev` in a build of `deno task dev`. */
  sources: string;
}

/** The web console, built from client/console/. */
export interface ConsoleFiles {
  /** Undefined while it is being built, which this call begins, and after a build that failed less than a minute ago. */
  manifest(): Promise<ConsoleManifest | undefined>;
  /** Why the last build failed, if it did. */
  fault(): string | undefined;
  /** A file of any build that is kept, or undefined. */
  file(name: string): Promise<VendorFile | undefined>;
  /** Builds it unless it is there. Never rejects. */
  prepare(): Promise<void>;
}

/** The global variable of compiled code that has the exports of its module. */
export const CODE_NAME = "atrium_code";

/** The script that packs the server, see `server/packed/packed.ts`. */
export const PACK_SCRIPT = new URL("./packed/build.ts", import.meta.url);

export { originOf } from "./worker/code_origin.ts";

export interface Compiler {
  console: ConsoleFiles;
  /**
   * Compiles a source.
   *
   * @param account accounts take turns while sources wait
   * @param positions whether the build has `positions`
   * @throws {CompileFailure} where the source has mistakes or exceeds a limit
   * @throws {CompilerBusy} where the queue is full, no worker is free in time, or none can run
   */
  compile(source: Source, account?: number, positions?: boolean): Promise<Build>;
  /**
   * Compiles the source of a flow's `code` step, a module of JavaScript or TypeScript.
   *
   * @returns a script that defines `CODE_NAME` with the exports of the module; `originOf` finds its places in the source
   * @throws {CompileFailure | CompilerBusy} as above
   */
  code(source: string, account?: number): Promise<string>;
  /** The vendor file with this name (`<hash>.js`), or undefined. */
  vendor(file: string): Promise<VendorFile | undefined>;
  /** Starts a worker before the first source needs it. Never rejects: the first source reports a failure. */
  warm(): Promise<void>;
  /**
   * Builds the runtimes that neither ship with this version nor have been built, one after the other, in a background
   * process that ends afterwards. Never rejects.
   */
  prepare(): Promise<void>;
  /** What its workers do now. */
  load(): CompilerLoad;
  close(): Promise<void>;
}

export interface CompilerLoad {
  /** At most. */
  workers: number;
  /** Those that have started. */
  ready: number;
  busy: number;
  /** Sources that wait for a worker. */
  waiting: number;
  /** Runtimes that are being built. */
  building: string[];
}

/** The author's mistakes, a message each: `line:column message`, then the source line and a caret. */
export class CompileFailure extends Error {
  constructor(readonly messages: string[]) {
    super(messages[0] ?? "does not compile");
  }
}

/** The queue is full, no worker is free in time, or none can run. The client may try again after `retry_after` seconds. */
export class CompilerBusy extends Error {
  constructor(readonly retry_after: number, message = "The compiler is busy", options?: ErrorOptions) {
    super(message, options);
  }
}
