/**
 * Vue's compiler, the build for browsers: it knows no file system, loads no preprocessor and needs no permission. The
 * build for Node.js would look for `tsconfig.json` and for packages that a `lang` names.
 */
import type { CompilerOptions, SFCStyleCompileResults } from "@vue/compiler-sfc";

// @ts-types="@vue/compiler-sfc"
export * from "@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js";

export type NodeTransform = NonNullable<CompilerOptions["nodeTransforms"]>[number];

/** A stylesheet, as PostCSS reads it. */
export type Stylesheet = Extract<NonNullable<SFCStyleCompileResults["rawResult"]>["root"], { type: "root" }>;

/** What the component is called by itself, and in the compiler's messages. */
export const FILENAME = "App.vue";

/**
 * Some warnings come by way of the console only. What is worked on here is done in one go, so they are its own.
 */
export function hearing<Result>(work: () => Result): { result: Result; heard: string[] } {
  const heard: string[] = [];
  const { warn } = console;
  // deno-lint-ignore no-console
  console.warn = (text) => heard.push(String(text));
  try {
    return { result: work(), heard };
  } finally {
    // deno-lint-ignore no-console
    console.warn = warn;
  }
}
