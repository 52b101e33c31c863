/** Guesses whether a source has TypeScript, to name its file: an editor marks types in a `.jsx` as mistakes. */

/** Types that stand alone, and names of types by convention. */
const TYPE = String.raw`(?:(?:string|number|boolean|unknown|any|void|null|never)\b|[A-Z][\w.]*)(?:<[^>]*>)?(?:\[\])*`;

const SIGNS: readonly RegExp[] = [
  /^\s*(?:export\s+|declare\s+)*(?:interface\s+\w+[\s<{]|type\s+\w+\s*[<=]|(?:const\s+)?enum\s+\w+\s*\{)/m,
  /^\s*(?:import|export)\s+type\s+[\w{*]/m,
  /^\s*import\s*(?:\w+\s*,\s*)?\{[^}]*\btype\s+\w/m,
  /\bas\s+const\b|[)\]\w]\s+as\s+(?:unknown|any|HTML\w*Element|React\.\w+)\b|[)\]}]\s*satisfies\s+[A-Z]/,
  // An annotated variable, a parameter, the next one, and what a function returns.
  /\b(?:const|let|var)\s+(?:\w+|\{[^{}]*\}|\[[^\][]*\])\s*:\s*[\w{[(]/,
  new RegExp(String.raw`\(\s*(?:\.{3})?\w+\??\s*:\s*${TYPE}\s*[,)=|&]`),
  /\(\s*(?:\{[^{}]*\}|\[[^\][]*\])\s*:\s*[A-Z{]/,
  /,\s*\w+\??\s*:\s*(?:string|number|boolean|unknown)(?:\[\])*\s*[,)=|]/,
  new RegExp(String.raw`\)\s*:\s*${TYPE}\s*(?:=>|\{)`),
  /\b(?:use[A-Z]\w*|createContext|forwardRef|memo|Promise|Array|Record|Map|Set)<[\w{("'[]/,
];

const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

export function looksTyped(source: string): boolean {
  const code = source.replace(COMMENTS, "");
  return SIGNS.some((sign) => sign.test(code));
}
