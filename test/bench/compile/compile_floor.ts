/**
 * The floor of compile time: the engine's compiler, esbuild's minifier and Tailwind, called one after the other in one
 * warm process. It resolves no imports, maps no mistakes to positions, and does not minify styles.
 */
import { createRequire } from "node:module";
import * as esbuild from "esbuild";
import { compile as compileSvelte } from "svelte/compiler";
import { compile as compileTailwind } from "tailwindcss";
// @ts-types="@vue/compiler-sfc"
import { compileScript, compileStyle, parse } from "@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js";
import { candidatesIn } from "../../../server/compiler/tailwind/candidates.ts";
import type { SampleEngine } from "./samples.ts";

interface Raw {
  code: string;
  loader: esbuild.Loader;
  css: string;
}

const RAW: Record<SampleEngine, (source: string) => Raw> = {
  svelte(source) {
    const { js, css } = compileSvelte(source, { generate: "client", css: "external", experimental: { async: true } });
    return { code: js.code, loader: "js", css: css?.code ?? "" };
  },
  vue(source) {
    const { descriptor } = parse(source, { sourceMap: false });
    const { content } = compileScript(descriptor, { id: "app", isProd: true, inlineTemplate: true, sourceMap: false });
    const styles = descriptor.styles.map(({ content, scoped }) =>
      compileStyle({ source: content, filename: "App.vue", id: "data-v-app", scoped: scoped ?? false, isProd: true })
    );
    return { code: content, loader: "ts", css: styles.map(({ code }) => code).join("\n") };
  },
  react: (source) => ({ code: source, loader: "tsx", css: "" }),
};

const SHEET = Deno.readTextFileSync(createRequire(import.meta.url).resolve("tailwindcss/index.css"));

export async function compileBare(engine: SampleEngine, source: string): Promise<{ code: string; css: string }> {
  const { code, loader, css } = RAW[engine](source);
  const minified = await esbuild.transform(code, { loader, minify: true, jsx: "automatic", target: "es2022" });
  const { build } = await compileTailwind(`@import "tailwindcss";\n${css}`, {
    loadStylesheet: (id) => Promise.resolve({ path: id, base: "", content: SHEET }),
  });
  return { code: minified.code, css: build(candidatesIn(source)) };
}

/** Ends esbuild's process. */
export const close = () => esbuild.stop();
