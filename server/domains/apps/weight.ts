/** Builds of apps with what each part of their pages weighs, and with warnings of secrets. */
import { z } from "zod";
import type { Build, BuildConfig, CssEngine, Engine } from "../../compiler/compiler.ts";
import type { Context } from "../../context.ts";
import { warningsOfSecrets } from "./suspected_secrets.ts";

const Size = z.object({ raw: z.int(), brotli: z.int() }).meta({ examples: [{ raw: 812, brotli: 420 }] });

/** Bytes of what a page loads, by part. */
export const BuildSizes = z.object({
  html: Size.describe("The page itself, with what the server adds to it; of an html app the whole document"),
  script: Size.optional().describe("The app's code"),
  css: Size.optional().describe("The app's stylesheet"),
  runtime: Size.optional().describe("The engine's library files"),
  platform: Size.optional().describe("The `platform` module"),
  tailwind: Size.optional().describe("The browser build of Tailwind"),
});
export type BuildSizes = z.output<typeof BuildSizes>;

export interface WeighedBuild extends Build {
  config: BuildConfig & { sizes: BuildSizes };
}

interface Parts {
  app_engine: Engine;
  css_engine: CssEngine;
  source_code: string;
}

/** Compiles a source for the viewer's account. @param positions as `compile` has it @throws {CompileFailure} */
export async function buildOf(
  { compiler, viewer, pages }: Context,
  { app_engine: engine, css_engine, source_code }: Parts,
  positions = false,
): Promise<WeighedBuild> {
  const build = await compiler.compile({ engine, css_engine, source_code }, viewer.account_id, positions);
  const html = await pages.weigh({ ...build, engine, css_engine });
  const { config } = build;
  const warnings = [...warningsOfSecrets(source_code), ...config.warnings];
  return { ...build, config: { ...config, warnings, sizes: { ...config.sizes, html } } };
}
