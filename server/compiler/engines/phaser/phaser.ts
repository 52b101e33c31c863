/** Games for Phaser 3.90 or, imported as `phaser@4`, Phaser 4.2, in JavaScript or TypeScript. */
import { AUTHOR, type Compiled } from "../engine.ts";

export { sample } from "./sample.ts";

const IMPORTS_3 = /["']phaser(?:@3)?["']/;
const IMPORTS_4 = /["']phaser@4["']/;

/** Uses of the global that esbuild does not connect with the library's module. */
const AS_PROPERTY = /\b(?:window|globalThis|self)\s*(?:\?\.\s*|\.\s*|\[\s*["'])Phaser\b/;

export function compile(source: string): Compiled {
  const library = IMPORTS_4.test(source) && !IMPORTS_3.test(source) ? "phaser@4" : "phaser";
  // The library sets `window.Phaser` when it loads. esbuild drops an unused import, so an export keeps it.
  const loaded = AS_PROPERTY.test(source) ? `export { VERSION } from "${library}";\n` : "";
  return {
    code: `${loaded}import ${JSON.stringify(AUTHOR)};`,
    author: { code: source, loaders: ["ts", "js"] },
    globals: { Phaser: [library, "default"] },
    css: "",
    warnings: [],
    locate: (place) => place,
  };
}
