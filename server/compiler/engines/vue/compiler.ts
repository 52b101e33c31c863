/**
 * Vue's compiler in its build for browsers, which needs no permissions. The build for Node.js reads files: it looks for
 * `tsconfig.json` and for the packages that a `lang` names.
 */
import type { CompilerOptions, SFCStyleCompileResults } from "@vue/compiler-sfc";

// @ts-types="@vue/compiler-sfc"
export * from "@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js";

export type NodeTransform = NonNullable<CompilerOptions["nodeTransforms"]>[number];

/** A stylesheet as PostCSS parses it. */
export type Stylesheet = Extract<NonNullable<SFCStyleCompileResults["rawResult"]>["root"], { type: "root" }>;

/** The component's file name, which Vue's messages contain. */
export const FILENAME = "App.vue";

/** Collects the warnings that Vue prints to the console. `work` is synchronous, so the warnings belong to it alone. */
export function collectingWarnings<Result>(work: () => Result): { result: Result; heard: string[] } {
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
