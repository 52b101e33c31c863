/** The script and the template of a single-file component, as one module. */
import { TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import type {
  CompilerOptions,
  SFCDescriptor,
  SFCScriptCompileOptions,
  SFCTemplateCompileOptions,
} from "@vue/compiler-sfc";
import type { Position } from "../../bundle/positions.ts";
import { compileScript, compileTemplate, FILENAME, type NodeTransform } from "./compiler.ts";

/** What the component is called in its module: as long as `export default` with the rest, so that it moves nothing. */
export const COMPONENT = "__app_";

/** A stretch of the module. */
export interface Section {
  code: string;
  /** Where it was asked for. */
  map?: TraceMap;
  /** Where it begins in the author's source, if it is a copy of that. */
  start?: Position;
}

export interface ComponentOptions {
  /** Of the app's own scope. */
  id: string;
  /** Twice the time. */
  maps: boolean;
  /** Sees the template's tree first. */
  transform: NodeTransform;
}

/** @throws {Error} Vue's */
export function compileComponent(descriptor: SFCDescriptor, options: ComponentOptions): Section[] {
  const { script, scriptSetup } = descriptor;
  const template = templateOptions(descriptor, options);
  const scripts: SFCScriptCompileOptions = {
    id: options.id,
    isProd: true,
    inlineTemplate: true,
    genDefaultAs: COMPONENT,
    sourceMap: options.maps,
    templateOptions: template,
  };
  if (scriptSetup) {
    const { content, map } = compileScript(descriptor, scripts);
    return [{ code: content, ...map && { map: new TraceMap(JSON.stringify(map)) } }];
  }
  if (!script) return [{ code: `const ${COMPONENT} = {};` }, ...render(descriptor, template)];
  const { content, bindings } = compileScript(descriptor, scripts);
  const { line, column } = script.loc.start;
  return [{ code: content, start: { line, column } }, ...render(descriptor, template, bindings)];
}

function render(
  { template }: SFCDescriptor,
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
  // The author's script may have a `render` of its own.
  const named = code.replace(/^export function render\(/m, "function __render_(");
  return [{ code: named, ...map && { map: new TraceMap(JSON.stringify(map)) } }, {
    code: `${COMPONENT}.render = __render_;`,
  }];
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

/** Finds the author's place of one in the sections, a line break between any two. */
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
    // A template's map has a place for each expression; inside one the text tells.
    const further = text.slice(from, column - 1);
    return { line: row + 1, column: unit + (authors[row]?.startsWith(further, unit) ? further.length : 0) + 1 };
  };
}
