/** Colours of code: a few rules a language, enough for short examples. The classes are those of `.code` in base.css. */

export interface Piece {
  text: string;
  /** Keyword, string, tag, attribute, number, comment; empty for the rest. */
  kind: "" | "k" | "s" | "t" | "a" | "d" | "c";
}

type Rules = readonly (readonly [kind: Piece["kind"], rule: RegExp])[];

const STRINGS = /"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`/;
const NUMBERS = /(?<![\w$.])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b/;
const KEYWORDS =
  /(?<![\w$.-])(?:as|async|await|break|case|catch|class|const|continue|default|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|switch|this|throw|true|try|type|typeof|undefined|while|yield)(?![\w$-])/;

const SCRIPT: Rules = [["c", /\/\/[^\n]*|\/\*[^]*?\*\//], ["s", STRINGS], ["k", KEYWORDS], ["d", NUMBERS]];

const LANGUAGES: Record<string, Rules> = {
  js: SCRIPT,
  ts: SCRIPT,
  jsx: SCRIPT,
  json: [
    ["a", /"(?:\\[^]|[^"\\])*"(?=\s*:)/],
    ["s", /"(?:\\[^]|[^"\\])*"/],
    ["k", /\b(?:true|false|null)\b/],
    ["d", NUMBERS],
  ],
  sh: [
    ["c", /(?<=^|\s)#[^\n]*/],
    ["s", /"(?:\\[^]|[^"\\])*"|'[^']*'/],
    ["a", /\$\w+|\$\{\w+\}/],
    ["k", /(?<=^|\n|\| |&& |\$\()\s*(?:curl|deno|echo|export|grep|head|npm|printf|cat|ssh|sudo|systemctl)\b/],
    ["t", /(?<=\s)--?[a-zA-Z][\w-]*/],
  ],
  html: [
    ["c", /<!--[^]*?-->/],
    ["t", /<\/?[a-zA-Z][\w:-]*|\/?>/],
    ["s", STRINGS],
    ["a", /(?<=\s)[\w:@-]+(?==)/],
    ["k", KEYWORDS],
    ["d", NUMBERS],
  ],
};
const ALIASES: Record<string, string> = { svelte: "html", vue: "html", bash: "sh", typescript: "ts", javascript: "js" };

/** Longer texts stay without colours: a person does not read them. */
const LONGEST = 60_000;

/** The code in pieces, which together are the code. */
export function highlight(code: string, language: string): Piece[] {
  const rules = LANGUAGES[ALIASES[language] ?? language];
  if (!rules || code.length > LONGEST) return [{ text: code, kind: "" }];
  const pattern = new RegExp(rules.map(([, { source }]) => `(${source})`).join("|"), "g");
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) pieces.push({ text: code.slice(end, match.index), kind: "" });
    const rule = match.slice(1).findIndex((group) => group !== undefined);
    pieces.push({ text: match[0], kind: rules[rule]?.[0] ?? "" });
    end = match.index + match[0].length;
  }
  if (end < code.length) pieces.push({ text: code.slice(end), kind: "" });
  return pieces;
}
