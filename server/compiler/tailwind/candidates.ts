/**
 * Finds every word in a source that may be a Tailwind class. A false candidate costs a look-up, a missed class loses a
 * style, so every run of class characters is a candidate, with and without the syntax that frameworks put around it.
 */

/** A run of class characters. Brackets and parentheses may contain anything but white space, nested once. */
const RUN =
  /(?:[^\s"'`<>{}()[\]=;,\\|$^?]|\[[^\s[\]]*(?:\[[^\s[\]]*\][^\s[\]]*)*\]|\([^\s()]*(?:\([^\s()]*\)[^\s()]*)*\))+/g;

/** Runs that contain quoted strings: `["a","b"]`, `add("a")`. A string may have a class with brackets: `["w-[3px]"]`. */
const QUOTED = /["'`]/;
const STRING = /(["'`])(.*?)\1/g;
const WORD = /[^\s"'`<>{}()[\]=;,\\|$^?]+/g;

/** A class starts with a letter, a digit (`2xl:block`), or a sign (negative, important, variant, arbitrary). */
const START = /^[\w@!*[-]/;

/** Longer runs are data (base64, minified code). */
const LONGEST = 500;

export function candidatesIn(source: string): string[] {
  const found = new Set<string>();
  addRuns(found, source);
  return [...found];
}

function addRuns(found: Set<string>, text: string) {
  for (const [token] of text.matchAll(RUN)) {
    if (token.length > LONGEST) continue;
    addForms(found, token);
    if (!QUOTED.test(token)) continue;
    for (const [word] of token.matchAll(WORD)) addForms(found, word);
    for (const [, , inner = ""] of token.matchAll(STRING)) addRuns(found, inner);
  }
}

function addForms(found: Set<string>, token: string) {
  const bare = token.replace(/^[.:,]+/, "").replace(/[.:,]+$/, "");
  add(found, bare);
  if (token.includes(".")) { for (const part of token.split(".")) add(found, part); } // `div.flex.p-4`
  if (bare.startsWith("class:")) add(found, bare.slice("class:".length)); // Svelte's directive
  const colon = bare.indexOf(":");
  if (colon > 0) add(found, bare.slice(0, colon)); // `{flex:on}`
}

function add(found: Set<string>, name: string) {
  if (START.test(name)) found.add(name);
}
