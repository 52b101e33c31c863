/** The styles of a single-file component: scoped, as modules, with `v-bind()`. */
import type { SFCBlock, SFCDescriptor, SFCStyleBlock } from "@vue/compiler-sfc";
import { positionOf } from "../../bundle/positions.ts";
import { compileStyle, FILENAME, hearing, type Stylesheet } from "./compiler.ts";
import { expressionMistake, type Mistake, mistakeIn, MOST, within } from "./mistakes.ts";
import { localize } from "./css_modules.ts";

export interface Styles {
  css: string;
  /** Module → the author's name → classes. */
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
    const { result: { code, errors }, heard } = hearing(() =>
      compileStyle({
        source: block.content,
        filename: FILENAME,
        id: `data-v-${id}`,
        scoped: block.scoped ?? false,
        isProd: true,
        // Else it looks for the file that a `sourceMappingURL` names.
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
 * Imports come before the rules of every block. What Tailwind's directives define is the whole app's: scoping would
 * rename keyframes that a theme's variable names.
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
 * Where rules are nested, scoping moves the declarations beside them into a rule `&`, but leaves an `@apply` where it
 * is: unscoped, and before them all.
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

/** Blocks of one module share their names; another module's are others. */
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

/** In what `v-bind()` has in its parentheses. */
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

/** PostCSS's CssSyntaxError, whose message has the place in it, too. */
interface StyleError extends Error {
  reason: string;
  line: number;
  column: number;
}

const isStyleError = (error: Error): error is StyleError => error.name === "CssSyntaxError" && "reason" in error;

/** @throws what is no mistake of the author's */
function mistakeOf(block: SFCBlock, error: Error): Mistake {
  if (!isStyleError(error)) throw error;
  return { message: error.reason, position: within(block, error.line, error.column) };
}

/** Older ways to say `:deep()`, of which Vue says only that they are there. */
function deprecated(block: SFCBlock, text: string): Mistake {
  const before = block.content.slice(0, block.content.search(/>>>|\/deep\/|(?:::v-|:)deep(?!\()/));
  const lines = before.split("\n");
  const { message } = mistakeIn(text);
  return { message, position: within(block, lines.length, (lines.at(-1) ?? "").length + 1) };
}
