/** Names for generated code that cannot collide with names of the author's code. */

const ESCAPE = /\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))/g;
const LAST_CODE_POINT = 0x10ffff;

/** An identifier may be spelled with escapes: `\u005f` is an underscore. */
function withoutEscapes(code: string): string {
  return code.replace(ESCAPE, (escape, braced?: string, plain?: string) => {
    const point = parseInt(braced ?? plain ?? "", 16);
    return point > LAST_CODE_POINT ? escape : String.fromCodePoint(point);
  });
}

/**
 * @returns an identifier that occurs nowhere in the code, not even inside a longer word. It has six characters, unless
 * the code contains thousands of its kind. Every name that starts with it is as free.
 */
export function freePrefix(code: string): string {
  const taken = new Set(withoutEscapes(code).match(/(?<=_)\d+(?=_)/g));
  let count = 0;
  while (taken.has(digits(count))) count++;
  return `_${digits(count)}_`;
}

const digits = (count: number) => String(count).padStart(4, "0");
