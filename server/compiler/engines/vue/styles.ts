/** Compiles the styles of a single-file component: scoped styles, CSS modules, `v-bind()`. */
import type { SFCBlock, SFCDescriptor, SFCStyleBlock } from "@vue/compiler-sfc";
import { positionOf } from "../../bundle/positions.ts";
import { collectingWarnings, compileStyle, FILENAME, type Stylesheet } from "./compiler.ts";
import { expressionMistake, type Mistake, mistakeIn, MOST, within } from "./mistakes.ts";
import { localize } from "./css_modules.ts";

export interface Styles {
  css: string;
  /** CSS module → the author's class name → classes in the output. */
  modules: Map<string, Record<string, string>>;
  mistakes: Mistake[];
  warnings: Mistake[];
}

export function compileStyles(descriptor: SFCDescriptor, id: string): Styles {
  const { styles } = descriptor;
  const all: Styles = { css: "", modules: new Map(), mistakes: bindingMistakes(descriptor), warnings: [] };
  const imports: string[] = [];
  const sheets: string[] = [];
  for (const block of styles) {
    const kept: string[] = [];
    const { result: { code, errors }, heard } = collectingWarnings(() =>
      compileStyle({
        source: block.content,
        filename: FILENAME,
        id: `data-v-${id}`,
        scoped: block.scoped ?? false,
        isProd: true,
        // PostCSS would look for the file that a `sourceMappingURL` names.
        postcssOptions: { map: false },
        postcssPlugins: [{
          postcssPlugin: "atrium",
          Once(root: Stylesheet) {
            setAside(root, imports, kept);
            if (block.scoped) wrapApplied(root);
            if (block.module) addModule(all.modules, block, root, id);
          },
        }],
      })
    );
    sheets.push(...kept, code);
    all.mistakes.push(...errors.map((error) => mistakeOf(block, error)));
    all.warnings.push(...heard.map((text) => deprecated(block, text)));
  }
  all.css = [...imports, ...sheets].join("\n").trim();
  return all;
}

/**
 * Takes out what scoping must not touch: imports, which precede the rules of all blocks, and Tailwind's definitions, which
 * hold for the whole app (scoping would rename keyframes that a variable of the theme names).
 */
function setAside(root: Stylesheet, imports: string[], kept: string[]) {
  root.each((node) => {
    if (node.type !== "atrule") return;
    if (node.name === "import") imports.push(`${node};`);
    else if (node.name === "theme" || node.name === "utility") kept.push(`${node}`);
    else return;
    node.remove();
  });
}

/**
 * Wraps `@apply` in a rule `&` where rules are nested. Scoping does so with the declarations there, but would leave the
 * `@apply` outside: unscoped, and before all of them.
 */
function wrapApplied(root: Stylesheet) {
  root.walkRules((rule) => {
    if (!rule.nodes.some(({ type }) => type === "rule")) return;
    for (const holder of [rule, ...rule.nodes.filter((node) => node.type === "atrule")]) {
      const nodes = holder.nodes ?? [];
      if (!nodes.some((node) => node.type === "atrule" && node.name === "apply")) continue;
      let wrapper: typeof rule | undefined;
      for (const node of [...nodes]) {
        if (node.type === "rule" || node.type === "atrule" && node.name !== "apply") wrapper = undefined;
        else {
          if (!wrapper) node.before(wrapper = rule.clone({ selector: "&", nodes: [] }));
          wrapper.append(node);
        }
      }
    }
  });
}

/** Blocks of the same CSS module share their renamed classes. */
function addModule(
  modules: Styles["modules"],
  { module, scoped = false }: SFCStyleBlock,
  root: Stylesheet,
  id: string,
) {
  const name = typeof module === "string" ? module : "$style";
  const earlier = modules.get(name) ?? {};
  modules.set(name, earlier);
  const number = [...modules.keys()].indexOf(name);
  modules.set(name, { ...earlier, ...localize(root, number === 0 ? id : `${id}${number}`, scoped) });
}

/** Syntax errors in the expressions of `v-bind()`. */
function bindingMistakes({ cssVars, source }: SFCDescriptor): Mistake[] {
  const found: Mistake[] = [];
  for (const expression of cssVars) {
    const place = () => positionOf(source, new RegExp(`v-bind\\(\\s*["']?(${RegExp.escape(expression)})`, "d"));
    const mistake = expressionMistake(expression, place);
    if (mistake) found.push(mistake);
    if (found.length === MOST) break;
  }
  return found;
}

/** PostCSS's CssSyntaxError. Its message contains the position, its reason does not. */
interface StyleError extends Error {
  reason: string;
  line: number;
  column: number;
}

const isStyleError = (error: Error): error is StyleError => error.name === "CssSyntaxError" && "reason" in error;

/** @throws {Error} the given error where it is not a syntax error of the author's */
function mistakeOf(block: SFCBlock, error: Error): Mistake {
  if (!isStyleError(error)) throw error;
  return { message: error.reason, position: within(block, error.line, error.column) };
}

/** Finds the position of an outdated form of `:deep()`. Vue warns of it without one. */
function deprecated(block: SFCBlock, text: string): Mistake {
  const before = block.content.slice(0, block.content.search(/>>>|\/deep\/|(?:::v-|:)deep(?!\()/));
  const lines = before.split("\n");
  const { message } = mistakeIn(text);
  return { message, position: within(block, lines.length, (lines.at(-1) ?? "").length + 1) };
}
