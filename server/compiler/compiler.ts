/**
 * What the rest of the server knows of the compiler. The pool behind it is `sandbox.ts`; one file an engine stands
 * beside it.
 */

/** Every engine of the specification, in its order. */
export const ENGINES = ["svelte", "vue", "react", "js", "html", "kaboom", "phaser"] as const;
export type Engine = (typeof ENGINES)[number];

export const CSS_ENGINES = ["tailwind_all", "tailwind", "none"] as const;
export type CssEngine = (typeof CSS_ENGINES)[number];

/** What an author wrote, and for which engines. */
export interface Source {
  engine: Engine;
  css_engine: CssEngine;
  source_code: string;
}

/** A compiled app. For js and html `code` is the source as it is and nothing else is filled. */
export interface Build {
  /** The app's own module (js: a classic script, html: the document). Runtimes are imported from `/vendor/…`. */
  code: string;
  /** The app's own stylesheet; empty where there is none. */
  css: string;
  /** Root-relative addresses of the vendor modules that `code` imports, for `modulepreload`. */
  imports: string[];
  /** Root-relative addresses of classic scripts that run before `code`, such as the browser build of Tailwind. */
  scripts: string[];
  /** Milliseconds, rounded up; 0 where nothing is compiled. */
  app_build_time: number;
  /** Milliseconds, rounded up; 0 where no CSS is compiled. */
  css_build_time: number;
  /** What the app's `config` shows. */
  config: BuildConfig;
}

export interface BuildConfig {
  /** Package versions that made this build, by package name. */
  compiler: Record<string, string>;
  /** SHA-256 of the source text, in hexadecimal. */
  source_hash: string;
  /** Bytes of code and css. */
  size: { raw: number; brotli: number };
  /** `line:column message`, in the author's coordinates. */
  warnings: string[];
}

/** A runtime that apps import, served at `/vendor/<hash>.js` for ever. */
export interface VendorFile {
  content_type: string;
  body: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
}

export interface Compiler {
  /**
   * Compiles one source.
   *
   * @param account waits in turn with other accounts' sources when the compiler is busy
   * @throws {CompileFailure} where the source is wrong or goes beyond a limit
   * @throws {CompilerBusy} where the queue is full, or the compiler cannot run
   */
  compile(source: Source, account?: number): Promise<Build>;
  /** The runtime with this file name (`<hash>.js`), or undefined. */
  vendor(file: string): Promise<VendorFile | undefined>;
  /** Starts what the first source would otherwise wait for. Never rejects: what fails here fails there again. */
  warm(): Promise<void>;
  /**
   * Builds what the first app of each engine would otherwise wait for, unless it is there: one after the other, in a
   * process that no source waits for, and that ends with it. Never rejects.
   */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

/** The author's mistake: one message each, `line:column message`, then the line and a caret. */
export class CompileFailure extends Error {
  constructor(readonly messages: string[]) {
    super(messages[0] ?? "does not compile");
  }
}

/** Too much waits already, or no worker can be had; try again after `retry_after` seconds. */
export class CompilerBusy extends Error {
  constructor(readonly retry_after: number, message = "The compiler is busy", options?: ErrorOptions) {
    super(message, options);
  }
}
