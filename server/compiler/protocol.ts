/**
 * What the server and a worker say to each other: one JSON object a line. The worker handles one request after the
 * other; the server believes nothing that it says before `Answer` has parsed it.
 */
import { z } from "zod";
import type { CssEngine, Engine, Source } from "./compiler.ts";

/** Parts of the toolchain that bring files of their own into a page. */
export type RuntimeName = Engine | Extract<CssEngine, "tailwind_all"> | "platform" | "phaser4";

/** Specifier → exported name (`*`: an object that has them all) → the vendor file that has it, and its name there. */
const Modules = z.record(z.string(), z.record(z.string(), z.tuple([z.string(), z.string()])));

/** How compiled code finds what it imports. Kept in the vendor store as JSON, beside the files that it names. */
export const Runtime = z.object({
  modules: Modules,
  /**
   * The same modules with fewer names and smaller files, the smallest first: for apps that use none of the other names.
   * Modules that an edition does not mention are as in `modules`.
   */
  editions: z.array(Modules).optional(),
  /** Vendor file → the vendor files that it imports in turn. */
  imports: z.record(z.string(), z.array(z.string())),
  /** Vendor files that are classic scripts and run before the app. */
  scripts: z.array(z.string()),
});
export type Runtime = z.output<typeof Runtime>;

/** A worker's first line, once it can compile without delay. */
export const READY = "ready";

/** Seconds of processor time that a worker, and its esbuild, may take in all its life. */
export const CPU_S = 120;

/** Characters of code and styles that a build may have. Nested rules multiply: 6 KB of source can make 7 MB. */
export const OUTPUT_LIMIT = 4_000_000;

/** What it says to each request before it begins: until then a source is not to blame for what happens. */
export const TAKEN = "taken";

export type Request =
  | { id: number; job: "compile"; source: Source; runtime: Runtime; remote_imports: boolean }
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
  warnings: z.array(z.string()),
}).refine(({ code, css }) => code.length + css.length <= OUTPUT_LIMIT);
export type WorkerBuild = z.output<typeof WorkerBuild>;

/** `retire`: the worker has grown beyond what an idle one may hold, and wants to be replaced. */
const Answered = { id: z.int(), retire: z.boolean() };

export const Answer = z.union([
  z.object({ ...Answered, build: WorkerBuild }),
  z.object({ ...Answered, built: BuiltRuntime }),
  z.object({ ...Answered, mistakes: z.array(z.string()) }),
  z.object({ ...Answered, crash: z.string() }),
]);
export type Answer = z.output<typeof Answer>;
