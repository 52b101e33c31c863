/** Compiles the console's `.svelte` files, and Svelte modules (`.svelte.ts`), for esbuild; their styles are kept apart. */
import type { Plugin } from "esbuild";
import * as esbuild from "esbuild";
import { compile, compileModule } from "svelte/compiler";

/** The styles of components, and imported sheets, by path. */
export type Styles = Map<string, string>;

/** @param styles gets the styles of every component that is compiled */
export const sveltePlugin = (styles: Styles): Plugin => ({
  name: "svelte",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      styles.set(path, await Deno.readTextFile(path));
      return { contents: "", loader: "js" };
    });
    build.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const source = await Deno.readTextFile(path);
      try {
        const { js, css, warnings } = compile(source, {
          filename: path,
          generate: "client",
          css: "external",
          runes: true,
          discloseVersion: false,
        });
        styles.set(path, css?.code ?? "");
        return {
          contents: js.code,
          loader: "js",
          // The console has no warnings: one is a mistake.
          errors: warnings.map(({ message, start }) => ({
            text: message,
            location: { file: path, ...(start && { line: start.line, column: start.column }) },
          })),
        };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return { errors: [{ text: error.message, location: { file: path } }] };
      }
    });
    build.onLoad({ filter: /\.svelte\.ts$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(await Deno.readTextFile(path), {
        loader: "ts",
        target: "esnext",
        tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      });
      return { contents: compileModule(code, { filename: path, generate: "client" }).js.code, loader: "js" };
    });
  },
});
