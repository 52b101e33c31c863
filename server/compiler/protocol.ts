/**
 * The protocol between the server and a compile worker: one JSON value a line, one request at a time. Sources are hostile,
 * so the server validates every answer with `Answer`.
 */
import { z } from "zod";
import type { CssEngine, Engine, Source } from "./compiler.ts";

/** Parts of the toolchain with vendor files. */
export type RuntimeName = Engine | Extract<CssEngine, "tailwind_all"> | "platform" | "phaser4";

/** Specifier → exported name (`*`: an object with all of them) → the vendor file that exports it, and its name there. */
const Modules = z.record(z.string(), z.record(z.string(), z.tuple([z.string(), z.string()])));

/** Where the modules that apps import are. Kept in the vendor store as JSON, beside the files that it names. */
export const Runtime = z.object({
  modules: Modules,
  /**
   * The same modules with fewer names in smaller files, the smallest first, for apps that use no other name. A module that
   * an edition lacks is the one in `modules`.
   */
  editions: z.array(Modules).optional(),
  /** Vendor file → the vendor files that it imports. */
  imports: z.record(z.string(), z.array(z.string())),
  /** Vendor files that are classic scripts and run before the app. */
  scripts: z.array(z.string()),
});
export type Runtime = z.output<typeof Runtime>;

/** The answer to `warm_up`. */
export const READY = "ready";

/** Limit of the processor time of a worker, and of its esbuild, in seconds. */
export const CPU_S = 120;

/** Limit of the characters of a build. Nested rules multiply: 6 KB of source can become 7 MB. */
export const OUTPUT_LIMIT = 4_000_000;

/** A worker's acknowledgement of a request. Before it, the source cannot be to blame for a failure. */
export const TAKEN = "taken";

/** The first line that a worker gets. It loads this engine and compiles its sample before the time of a source counts. */
export interface WarmUp {
  warm_up: Engine;
}

export type Request =
  | { id: number; job: "compile"; source: Source; runtime: Runtime; remote_imports: boolean; positions: boolean }
  | { id: number; job: "code"; source: string }
  | { id: number; job: "runtime"; name: RuntimeName };

const Base64 = z.base64();

export const BuiltRuntime = z.object({
  runtime: Runtime,
  files: z.array(
    z.object({ file: z.string(), content_type: z.string(), body: Base64, brotli: Base64, gzip: Base64 }),
  ),
});
export type BuiltRuntime = z.output<typeof BuiltRuntime>;

export const WorkerBuild = z.object({
  code: z.string(),
  css: z.string(),
  /** Vendor files, without the path. */
  imports: z.array(z.string()),
  app_build_time: z.int(),
  css_build_time: z.int(),
  /** See `Build`. */
  asks: z.boolean(),
  warnings: z.array(z.string()),
  /** See `Build`. */
  positions: z.string().max(OUTPUT_LIMIT).optional(),
}).refine(({ code, css }) => code.length + css.length <= OUTPUT_LIMIT);
export type WorkerBuild = z.output<typeof WorkerBuild>;

/** `retire`: the worker asks to be replaced, because it holds too much memory or has used much processor time. */
const Answered = { id: z.int(), retire: z.boolean() };

export const Answer = z.union([
  z.object({ ...Answered, build: WorkerBuild }),
  z.object({ ...Answered, built: BuiltRuntime }),
  z.object({ ...Answered, code: z.string().max(OUTPUT_LIMIT) }),
  z.object({ ...Answered, mistakes: z.array(z.string()) }),
  z.object({ ...Answered, crash: z.string() }),
]);
export type Answer = z.output<typeof Answer>;
