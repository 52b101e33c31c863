/**
 * Whatever could be a Tailwind class. A superset costs a look-up in Tailwind's table, a missed class costs a style,
 * so everything between delimiters is offered, and once more without what frameworks put around it.
 */

/** A run of class characters; brackets and parentheses may hold anything but white space, nested once. */
const RUN =
  /(?:[^\s"'`<>{}()[\]=;,\\|$^?]|\[[^\s[\]]*(?:\[[^\s[\]]*\][^\s[\]]*)*\]|\([^\s()]*(?:\([^\s()]*\)[^\s()]*)*\))+/g;

/** What stands inside an arbitrary value and is not one itself: `cond?'a':'b'`, `fn(x)`. */
const WORD = /[^\s"'`<>{}()[\]=;,\\|$^?]+/g;

/** A class name starts with a letter, or with the sign of a negative, important, variant or arbitrary one. */
const START = /^[a-zA-Z@!*[_-]/;

/** Longer ones are data (base64, minified code), never a class. */
const LONGEST = 500;

export function candidatesIn(source: string): string[] {
  const found = new Set<string>();
  for (const pattern of [RUN, WORD]) {
    for (const [token] of source.matchAll(pattern)) {
      if (token.length <= LONGEST) addForms(found, token);
    }
  }
  return [...found];
}

function addForms(found: Set<string>, token: string) {
  const bare = token.replace(/^[.:,]+/, "").replace(/[.:,]+$/, "");
  add(found, bare);
  if (token.includes(".")) { for (const part of token.split(".")) add(found, part); // pug-like `div.flex.p-4`
   }
  const colon = bare.indexOf(":");
  if (colon > 0) {
    add(found, bare.slice(0, colon)); // `{flex:on}`
    add(found, bare.slice(colon + 1)); // `class:flex`
  }
}

function add(found: Set<string>, name: string) {
  if (START.test(name)) found.add(name);
}
