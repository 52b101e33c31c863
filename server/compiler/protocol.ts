/**
 * What the server and a worker say to each other: one JSON object a line. The worker handles one request after the
 * other; the server believes nothing that it says before `Answer` has parsed it.
 */
import { z } from "zod";
import type { CssEngine, Engine, Source } from "./compiler.ts";

/** Parts of the toolchain that bring files of their own into a page. */
export type RuntimeName = Engine | Extract<CssEngine, "tailwind_all"> | "platform";

/** How compiled code finds what it imports. Kept in the vendor store as JSON, beside the files that it names. */
export const Runtime = z.object({
  /** Specifier → exported name → the vendor file that has it, and its name there. */
  modules: z.record(z.string(), z.record(z.string(), z.tuple([z.string(), z.string()]))),
  /** Vendor file → the vendor files that it imports in turn. */
  imports: z.record(z.string(), z.array(z.string())),
  /** Vendor files that are classic scripts and run before the app. */
  scripts: z.array(z.string()),
});
export type Runtime = z.output<typeof Runtime>;

/** A worker's first line, once it can compile without delay. */
export const READY = "ready";

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
});
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
