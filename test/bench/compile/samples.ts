/** A todo list of 3 KB for each engine with a CSS engine. Each sample differs from all before. */
export const SAMPLE_ENGINES = ["svelte", "vue", "react"] as const;
export type SampleEngine = (typeof SAMPLE_ENGINES)[number];

const FILES = { svelte: "todo.svelte", vue: "todo.vue", react: "todo.jsx" };

const texts = new Map(
  SAMPLE_ENGINES.map((engine) => [
    engine,
    Deno.readTextFileSync(new URL(`samples/${FILES[engine]}`, import.meta.url)),
  ]),
);
let count = 0;

/**
 * The app with one word changed.
 *
 * @param change `classes`: one class is replaced as well
 */
export function freshSample(engine: SampleEngine, change: "text" | "classes" = "text"): string {
  const text = (texts.get(engine) ?? "").replace("BUILD", () => `build ${++count}`);
  return change === "classes" ? text.replace("mt-[1px]", () => `mt-[${count + 1}px]`) : text;
}
