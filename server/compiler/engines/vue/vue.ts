/** Vue single-file components: `<script setup>` or `<script>`, TypeScript, scoped styles, CSS modules. */
import type { SFCDescriptor } from "@vue/compiler-sfc";
import { AUTHOR, type Compiled } from "../engine.ts";
import { sha256 } from "../../hash.ts";
import { freePrefix } from "../../bundle/free_prefix.ts";
import { positionAt, showWarning } from "../../bundle/positions.ts";
import { readBlocks } from "./blocks.ts";
import { collectingWarnings, type NodeTransform } from "./compiler.ts";
import { compileComponent, locator, type Section } from "./component.ts";
import { failureOf, isMistake, type Mistake, mistakeIn, needsTypes, templateMistake } from "./mistakes.ts";
import { MESSAGES } from "./messages.ts";
import { OPTIONS_API } from "./runtime_names.ts";
import { compileStyles } from "./styles.ts";

export { sample } from "./sample.ts";

const mount = (module: string) => `
import { createApp } from "${module}";
import App from "${AUTHOR}";
createApp(App).mount("#platform-app");
`;

/** Vue runs an asynchronous setup function, such as a top-level `await` makes, only inside a Suspense. */
const mountAsync = (module: string) => `
import { createApp } from "${module}";
import { h, Suspense } from "vue";
import App from "${AUTHOR}";
createApp(() => h(Suspense, null, h(App))).mount("#platform-app");
`;
const ASYNC_SETUP = /\basync\s+setup\b|\bsetup\s*:\s*async\b/;

/** @throws {CompileFailure} with the mistakes of all blocks */
export async function compile(source: string): Promise<Compiled> {
  const { descriptor, mistakes } = readBlocks(source);
  // The scope id depends on the styles only, so that an edit of the script leaves the cached stylesheet valid.
  const id = (await sha256(descriptor.styles.map(({ content }) => content).join("\n"))).slice(0, 8);
  const styles = compileStyles(descriptor, id);
  const component = freePrefix(source);
  const { sections, error, ...found } = attempt(descriptor, id, component);
  const all = [...mistakes, ...styles.mistakes, ...found.mistakes];
  if (all.length > 0) throw failureOf(source, all);
  if (error) throw error;

  const code = sections.map(({ code }) => code).join("\n");
  const isScoped = descriptor.styles.some(({ scoped }) => scoped);
  const set = (property: string, value: unknown) => `${component}.${property} = ${JSON.stringify(value)};`;
  let locate: Compiled["locate"] | undefined;
  const module = [
    code,
    isScoped ? set("__scopeId", `data-v-${id}`) : "",
    styles.modules.size > 0 ? set("__cssModules", Object.fromEntries(styles.modules)) : "",
    `export default ${component};`,
  ];
  return {
    code: (ASYNC_SETUP.test(code) ? mountAsync : mount)(mayHaveOptions(descriptor) ? OPTIONS_API : "vue"),
    author: {
      code: module.join("\n"),
      loaders: [(descriptor.scriptSetup ?? descriptor.script)?.lang === "ts" ? "ts" : "js"],
    },
    css: styles.css,
    warnings: [...styles.warnings, ...found.warnings, ...uncompiled(source, descriptor)].map(warningOf),
    // Source maps are made only for an app that has a mistake.
    locate: (place) => {
      locate ??= locator(source, compileComponent(descriptor, { id, component, maps: true, transform: () => {} }));
      return locate(place);
    },
  };
}

interface Attempt {
  sections: Section[];
  mistakes: Mistake[];
  warnings: Mistake[];
  /** An internal error of the compiler. */
  error?: unknown;
}

/** Collects all mistakes of the template through `onError`; of a script Vue throws the first one only. */
function attempt(descriptor: SFCDescriptor, id: string, component: string): Attempt {
  const mistakes: Mistake[] = [];
  const warnings: Mistake[] = [];
  const transform: NodeTransform = (node, context) => {
    if (node !== context.root) return;
    const { onError } = context;
    context.onError = (error) => {
      mistakes.push(templateMistake(error));
      onError(error);
    };
    context.onWarn = (warning) => warnings.push(templateMistake(warning));
  };
  const { result, heard } = collectingWarnings(() => {
    try {
      return { sections: compileComponent(descriptor, { id, component, maps: false, transform }) };
    } catch (error) {
      return { sections: [], error };
    }
  });
  const { sections, error } = result;
  // Warnings without a position are about defaults that the compiler corrects; it prints them once per process.
  warnings.push(...heard.map(mistakeIn).filter(({ position }) => position));
  if (mistakes.length > 0 || error === undefined) return { sections, mistakes, warnings };
  return isMistake(error)
    ? { sections, mistakes: [scriptMistake(descriptor, error)], warnings }
    : { sections, mistakes, warnings, error };
}

function scriptMistake({ script, scriptSetup }: SFCDescriptor, { message }: Error): Mistake {
  const mistake = mistakeIn(message);
  const isTyped = [script, scriptSetup].some((block) => block && block.lang !== "ts" && needsTypes(block.content));
  return isTyped ? { ...mistake, message: MESSAGES.types_need_ts } : mistake;
}

const warningOf = ({ message, position }: Mistake) => position ? showWarning(message, position) : message;

/** A component without any of these words does not use the options API. */
const OPTIONS =
  /\b(?:setup|render|template|mixin|export\s+default|defineComponent|defineOptions)\b|\$(?:options|watch)\b/;

/** False only where the component certainly does not use the options API. */
const mayHaveOptions = ({ script, scriptSetup, template }: SFCDescriptor) =>
  [script, scriptSetup, template].some((block) => block && OPTIONS.test(block.content));

/** Warns of `template: "<p>…"`: Vue compiles those in the page, and this runtime has no compiler. */
function uncompiled(source: string, { script, scriptSetup }: SFCDescriptor): Mistake[] {
  return [script, scriptSetup].flatMap((block) => {
    const found = block ? block.content.search(/\btemplate\s*:\s*["'`]\s*</) : -1;
    if (!block || found < 0) return [];
    return [{ message: MESSAGES.template_in_string, position: positionAt(source, block.loc.start.offset + found) }];
  });
}
