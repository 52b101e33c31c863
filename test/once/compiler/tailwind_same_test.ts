/** Cached and reduced stylesheets equal those that Tailwind builds from the whole source. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import * as esbuild from "esbuild";
import fc from "../../packages/fast_check.ts";
import { compile } from "tailwindcss";
import { bundleStyles } from "../../../server/compiler/bundle/bundle.ts";
import { candidatesIn } from "../../../server/compiler/tailwind/candidates.ts";
import { buildTailwind, prepareNextBuild } from "../../../server/compiler/tailwind/tailwind.ts";
import { baseLayer } from "../../../server/compiler/tailwind/sheets.ts";

const SHEET = Deno.readTextFileSync(createRequire(import.meta.url).resolve("tailwindcss/index.css"));

/** The stylesheet that Tailwind builds, minified. */
async function whole(source: string, own: string): Promise<string> {
  const { build } = await compile(`@import "tailwindcss";\n${own}`, {
    loadStylesheet: (id) => Promise.resolve({ path: id, base: "", content: SHEET }),
  });
  return await bundleStyles(source, build(candidatesIn(source)));
}

/** Classes of every kind, words that are not classes, and variables. */
const WORDS = `flex p-4 -mt-1 text-red-500 bg-lime-300/50 border-taupe-200 hover:underline md:grid dark:md:p-2 2xl:block
  group-hover:opacity-50 space-y-2 divide-x shadow-lg ring-1 animate-spin from-teal-400 to-rose-600 w-[17px] container
  content-['→'] [&>p]:m-1 bg-[var(--color-blue-500)] grid-cols-[1fr_2fr] card big md:big truncate! line-clamp-3 prose
  one two red build 17 --color-sky-500 --nothing`.split(/\s+/);

const OWN = [
  "",
  ".a { color: red }",
  `.b { @apply px-4 hover:bg-fuchsia-300; color: theme(colors.red.500); width: --spacing(4) }
  @layer base { h1 { font-size: 3rem } } @utility big { font-size: 9rem } @layer components { .card { color: #123 } }`,
  `@theme { --color-brand: #123456; --default-font-family: Arial; } .c { @apply text-brand }`,
];

Deno.test({
  name: "tailwind: consecutive saves have the styles of a fresh build",
  // `esbuild.stop()` does not wait for the process to end.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const base = await bundleStyles("", await baseLayer());
    // The rules for bare elements are in one layer, whose position in the file does not matter.
    const withoutBase = (css: string) => css.replace(base, "");
    const edits = fc.array(fc.subarray(WORDS, { maxLength: 2 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...OWN), fc.subarray(WORDS), edits, async (own, first, edits) => {
        let words = new Set(first);
        for (const edit of edits) {
          words = words.symmetricDifference(new Set(edit));
          if (edit.length > 1) await prepareNextBuild();
          const source = `<p class="${[...words].join(" ")}"></p><style>${own}</style>`;
          assert.equal(withoutBase(await buildTailwind(source, own)), withoutBase(await whole(source, own)));
        }
      }),
      { numRuns: 60, seed: 4 },
    );
    await esbuild.stop();
  },
});
