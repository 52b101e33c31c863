/** Compiles a source: engine, then bundler and CSS engine in parallel. */
import { type Bundle, bundleApp, bundleStyles } from "../bundle/bundle.ts";
import type { Imports } from "../bundle/options.ts";
import { CompileFailure, type Source } from "../compiler.ts";
import { ENGINE_LOADERS } from "../engines/loaders.ts";
import { OUTPUT_LIMIT, type Runtime, type WorkerBuild } from "../protocol.ts";
import { buildTailwind } from "../tailwind/tailwind.ts";
import { checkScript } from "./check_script.ts";
import { usesOf } from "../uses.ts";
import { styleInPage } from "../tailwind/style_in_page.ts";

/** @throws {CompileFailure} with the mistakes of both code and styles */
export async function build(source: Source, imports: Imports): Promise<WorkerBuild> {
  const { engine, css_engine, source_code } = source;
  if (engine === "js") return checked(source_code);
  const load = ENGINE_LOADERS[engine];
  if (!load) throw new CompileFailure([`${engine} is not compiled by this server`]);
  const { compile } = await load();

  const start = performance.now();
  const compiled = await compile(source_code);
  const compile_time = performance.now() - start;
  const inPage = css_engine === "tailwind_all" ? styleInPage(compiled.css) : undefined;
  const isTailwind = css_engine === "tailwind";
  // In parallel: esbuild's process bundles the code while this one works on the styles.
  const [app, styles] = await both(
    timed(bundleApp(source_code, compiled, imports)),
    timed(
      isTailwind ? buildTailwind(source_code, compiled.css) : bundleStyles(source_code, inPage ? "" : compiled.css),
    ),
  );
  const code = app.value.code + (inPage ?? "");
  // Checked here, so that the server need not read a build that it would refuse.
  if (code.length + styles.value.length > OUTPUT_LIMIT) {
    throw new CompileFailure([`compiles to more than ${OUTPUT_LIMIT / 1_000_000} million characters`]);
  }
  return {
    code,
    css: styles.value,
    imports: app.value.imports,
    app_build_time: Math.ceil(compile_time + app.time),
    css_build_time: isTailwind ? Math.ceil(styles.time) : 0,
    asks: asks(app.value, imports.runtime),
    warnings: [...compiled.warnings, ...app.value.warnings],
    positions: app.value.positions,
  };
}

function checked(code: string): WorkerBuild {
  checkScript(code);
  const { platform, requests } = usesOf(code);
  return { code, css: "", imports: [], app_build_time: 0, css_build_time: 0, asks: platform || requests, warnings: [] };
}

/** The `platform` module is imported by the name of its vendor file. A remote module may do anything. */
function asks({ code, imports }: Bundle, { modules }: Runtime): boolean {
  const platform = new Set(Object.values(modules.platform ?? {}).map(([file]) => file));
  return imports.some((file) => platform.has(file)) || REMOTE.test(code) || usesOf(code).requests;
}

const REMOTE = /\b(?:import|from)\s*\(?["']https:/;

async function timed<Value>(work: Promise<Value>): Promise<{ value: Value; time: number }> {
  const start = performance.now();
  const value = await work;
  return { value, time: performance.now() - start };
}

async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  const outcomes = await Promise.allSettled([one, other]);
  const [first, second] = outcomes;
  if (first.status === "fulfilled" && second.status === "fulfilled") return [first.value, second.value];
  const errors = outcomes.flatMap((outcome) => outcome.status === "rejected" ? [outcome.reason] : []);
  const mistakes = errors.filter((error) => error instanceof CompileFailure).flatMap(({ messages }) => messages);
  throw errors.find((error) => !(error instanceof CompileFailure)) ?? new CompileFailure(mistakes);
}
