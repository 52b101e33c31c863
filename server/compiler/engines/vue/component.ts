/** Compiles the script and the template of a single-file component into one module. */
import { TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import type {
  CompilerOptions,
  SFCDescriptor,
  SFCScriptCompileOptions,
  SFCTemplateCompileOptions,
} from "@vue/compiler-sfc";
import type { Position } from "../../bundle/positions.ts";
import { compileScript, compileTemplate, FILENAME, type NodeTransform } from "./compiler.ts";

/** A consecutive part of the module. */
export interface Section {
  code: string;
  /** Its source map, where one was requested. */
  map?: TraceMap;
  /** Where it starts in the author's source, if it is a copy of a part of that. */
  start?: Position;
}

export interface ComponentOptions {
  /** The scope id of the app's styles. */
  id: string;
  /**
   * The component's variable, and a prefix that is free in the author's code. With six characters `const … =` is as long
   * as `export default`, so columns of the script stay.
   */
  component: string;
  /** Whether to make source maps, which doubles the time. */
  maps: boolean;
  /** Runs on the template's tree before Vue's transforms. */
  transform: NodeTransform;
}

/** @throws {Error} Vue's errors, of the author's mistakes as well as internal ones */
export function compileComponent(descriptor: SFCDescriptor, options: ComponentOptions): Section[] {
  const { script, scriptSetup } = descriptor;
  const template = templateOptions(descriptor, options);
  const scripts: SFCScriptCompileOptions = {
    id: options.id,
    isProd: true,
    inlineTemplate: true,
    genDefaultAs: options.component,
    sourceMap: options.maps,
    templateOptions: template,
  };
  if (scriptSetup) {
    const { content, map } = compileScript(descriptor, scripts);
    return [{ code: content, ...map && { map: new TraceMap(JSON.stringify(map)) } }];
  }
  if (!script) return [{ code: `const ${options.component} = {};` }, ...render(descriptor, options, template)];
  const { content, bindings } = compileScript(descriptor, scripts);
  const { line, column } = script.loc.start;
  return [{ code: content, start: { line, column } }, ...render(descriptor, options, template, bindings)];
}

function render(
  { template, script }: SFCDescriptor,
  { component }: ComponentOptions,
  options: Omit<SFCTemplateCompileOptions, "source">,
  bindingMetadata?: CompilerOptions["bindingMetadata"],
): Section[] {
  if (!template) return [];
  const { code, map } = compileTemplate({
    ...options,
    source: template.content,
    ...template.ast && { ast: template.ast },
    compilerOptions: { ...options.compilerOptions, ...bindingMetadata && { bindingMetadata } },
  });
  // The author's script may declare a `render`.
  const named = code.replace(/^export function render\(/m, `function ${component}render(`);
  return [{
    code: withFreeNames(named, script?.content ?? "", component),
    ...map && { map: new TraceMap(JSON.stringify(map)) },
  }, {
    code: `${component}.render = ${component}render;`,
  }];
}

/** The names that a compiled template declares: `_createVNode` of an import, `_hoisted_1`. */
const DECLARED = /(?<= as |^const )_\w+/gm;

/** Renames what the template declares and the script, which is in the same module, contains. */
function withFreeNames(code: string, script: string, prefix: string): string {
  const words = new Set(script.match(/[\w$]+/g));
  return [...new Set(code.match(DECLARED))].filter((name) => words.has(name)).reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, "g"), prefix + name),
    code,
  );
}

function templateOptions(
  { script, scriptSetup, styles, slotted }: SFCDescriptor,
  { id, maps, transform }: ComponentOptions,
): Omit<SFCTemplateCompileOptions, "source"> {
  const isTS = (scriptSetup ?? script)?.lang === "ts";
  return {
    filename: FILENAME,
    id,
    scoped: styles.some(({ scoped }) => scoped),
    slotted,
    isProd: true,
    transformAssetUrls: false,
    compilerOptions: {
      comments: false,
      sourceMap: maps,
      isTS,
      expressionPlugins: isTS ? ["typescript"] : [],
      nodeTransforms: [transform],
    },
  };
}

/** Maps positions in the sections, joined by line breaks, to the author's source. */
export function locator(source: string, sections: Section[]): (place: Position) => Position | undefined {
  const authors = source.split("\n");
  const lines = sections.flatMap((section) =>
    section.code.split("\n").map((text, index) => ({ text, index, ...section }))
  );
  return ({ line, column }) => {
    const { text, index, map, start } = lines[line - 1] ?? { text: "", index: 0 };
    if (start) return { line: start.line + index, column: index === 0 ? start.column + column - 1 : column };
    const segment = map ? traceSegment(map, index, column - 1) : null;
    if (!segment || segment.length === 1) return undefined;
    const [from, , row, unit] = segment;
    // A template's map has one position for each expression. Inside an expression the text is compared.
    const further = text.slice(from, column - 1);
    return { line: row + 1, column: unit + (authors[row]?.startsWith(further, unit) ? further.length : 0) + 1 };
  };
}
