/** Compiles the console's `.svelte` files, and Svelte modules (`.svelte.ts`), for esbuild. */
import type { Plugin } from "esbuild";
import * as esbuild from "esbuild";
import { compile, compileModule } from "svelte/compiler";

const STYLES = "svelte-styles";

export const sveltePlugin: Plugin = {
  name: "svelte",
  setup(build) {
    const styles = new Map<string, string>();
    build.onResolve({ filter: /^svelte-styles:/ }, ({ path }) => ({
      namespace: STYLES,
      path: path.slice(STYLES.length + 1),
    }));
    build.onLoad(
      { filter: /.*/, namespace: STYLES },
      ({ path }) => ({ contents: styles.get(path) ?? "", loader: "css" }),
    );
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
        const more = css?.code ? `\nimport ${JSON.stringify(`${STYLES}:${path}`)};` : "";
        return {
          contents: js.code + more,
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
};
