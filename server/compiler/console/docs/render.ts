/**
 * Markdown as the source of a Svelte component: static HTML, which Svelte inserts through its trusted-types policy, and
 * code blocks as components with a button to copy them.
 */
import { Marked, type Token, type Tokens } from "marked";
import { addressOf, type Chapter } from "./manuscript.ts";

export interface Heading {
  /** 2 or 3. */
  level: number;
  text: string;
  anchor: string;
}

/** What the search finds: the text below one heading. */
export interface Section {
  heading: string;
  /** Empty for what stands before the first heading. */
  anchor: string;
  text: string;
}

export interface RenderedPage {
  title: string;
  /** Of a component, without its script. It uses `CodeBlock`. */
  markup: string;
  headings: Heading[];
  sections: Section[];
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter] ?? "");

/** Braces would begin an expression. */
const withoutBraces = (html: string) => html.replaceAll("{", "&#123;").replaceAll("}", "&#125;");

/** As GitHub makes them, so that links between the files work in both places. */
const anchorOf = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

export function renderPage(chapter: Chapter, markdown: string): RenderedPage {
  const marked = markedFor(chapter);
  const tokens = chosen(marked.lexer(markdown), chapter);
  const [first] = tokens;
  const has_title = first?.type === "heading" && first.depth === 1;
  const body = has_title ? tokens.slice(1) : tokens;
  return {
    title: chapter.title ?? (has_title ? plain(first) : chapter.id),
    markup: markupOf(marked, body),
    headings: headingsOf(body),
    sections: sectionsOf(body),
  };
}

/** The tokens of the chapter's sections. @throws {Error} if one is missing */
function chosen(tokens: Token[], { file, sections }: Chapter): Token[] {
  if (!sections) return tokens;
  return sections.flatMap((name) => {
    const start = tokens.findIndex((token) => token.type === "heading" && token.depth === 2 && token.text === name);
    if (start === -1) throw new Error(`${file} has no section "${name}"`);
    const length = tokens.slice(start + 1).findIndex((token) => token.type === "heading" && token.depth <= 2);
    return tokens.slice(start, length === -1 ? undefined : start + 1 + length);
  });
}

function markupOf(marked: Marked, tokens: Token[]): string {
  const pieces: string[] = [];
  let run: Token[] = [];
  const flush = () => {
    pieces.push(withoutBraces(marked.parser(run)));
    run = [];
  };
  for (const token of tokens) {
    if (token.type !== "code") {
      run.push(token);
      continue;
    }
    flush();
    // What follows the language is for tests, such as `sh 422`.
    const language = String(token.lang ?? "").split(" ", 1)[0] ?? "";
    pieces.push(`<CodeBlock code={${JSON.stringify(token.text)}} language=${JSON.stringify(language)} />\n`);
  }
  flush();
  return pieces.join("");
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading";

const headingsOf = (tokens: Token[]): Heading[] =>
  tokens.filter(isHeading).filter(({ depth }) => depth <= 3)
    .map((token) => ({ level: token.depth, text: plain(token), anchor: anchorOf(token.text) }));

function sectionsOf(tokens: Token[]): Section[] {
  const sections: Section[] = [{ heading: "", anchor: "", text: "" }];
  for (const token of tokens) {
    if (isHeading(token)) sections.push({ heading: plain(token), anchor: anchorOf(token.text), text: "" });
    const last = sections.at(-1);
    if (last && !isHeading(token)) last.text = `${last.text} ${plain(token)}`.replace(/\s+/g, " ").trim();
  }
  return sections.filter(({ heading, text }) => heading || text);
}

/** The words of a token, without code blocks. */
function plain(token: Token | undefined): string {
  if (!token || token.type === "code" || token.type === "space" || token.type === "image") return "";
  if (token.type === "table") {
    const { header, rows }: Tokens.Table = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map(({ tokens }) => tokens.map(plain).join("")).join(" ")).join(" ");
  }
  if (token.type === "list") return (token as Tokens.List).items.map(plain).join(" ");
  if ("tokens" in token && token.tokens) return token.tokens.map(plain).join(token.type === "list_item" ? " " : "");
  if (token.type === "br") return " ";
  return "text" in token && typeof token.text === "string" ? unescaped(token.text) : "";
}

const unescaped = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[String(name)] ?? "'",
  );

/** HTML in the source is shown as text, and links lead to the console's own pages. */
function markedFor(chapter: Chapter): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escaped(text),
      image: ({ text }) => escaped(text),
      heading({ tokens, depth, text }) {
        const anchor = escaped(anchorOf(text));
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = linkFrom(chapter, href);
        if (target === undefined) return inner;
        const outside = /^https?:/.test(target) ? ' target="_blank" rel="noreferrer"' : "";
        return `<a href="${escaped(target)}"${outside}>${inner}</a>`;
      },
      table({ header, rows }) {
        // Beside three columns a phone has no place: each cell then stands below the one before, with its heading.
        const stacks = header.length > 2;
        const cells = (row: Tokens.TableCell[], name: string) => {
          const of = (index: number) =>
            stacks && name === "td" && index > 0 ? ` data-of="${escaped(header[index]?.text ?? "")}"` : "";
          const all = row.map(({ tokens }, index) =>
            `<${name}${of(index)}>${this.parser.parseInline(tokens)}</${name}>`
          );
          return `<tr>${all.join("")}</tr>`;
        };
        const body = rows.map((row) => cells(row, "td")).join("");
        // Wide tables scroll by themselves, also with the keyboard.
        return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead>${cells(header, "th")}` +
          `</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
}

/** @returns undefined where the target is no page of the documentation */
function linkFrom({ id, file }: Chapter, href: string): string | undefined {
  if (href.startsWith("#")) return `/docs/${id}${href}`;
  if (/^[a-z]+:/.test(href)) return /^(https?|mailto):/.test(href) ? href : undefined;
  const { pathname, hash } = new URL(href, `file:///${file}`);
  return addressOf(pathname.slice(1), hash.slice(1));
}
