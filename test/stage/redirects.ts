/** Spellings of addresses of other sites, for tests of redirects. */

const SIGNS = [
  "//",
  "///",
  "/\\",
  "\\\\",
  "\\/",
  "/\t/",
  "/\n/",
  "\t//",
  " //",
  "/.//",
  "/..//",
  "/./\\",
  "/%09//x/..//",
  "/a/..//",
];
const SCHEMES = [
  "http:",
  "https:",
  "HtTpS:",
  "javascript:",
  "data:text/html,",
  "ht\ttp:",
  " https:",
  "\u0000https:",
  "ftp:",
  "blob:",
];
/** Values of `return_to` that name no other page of this site. */
export const ELSEWHERE: readonly string[] = [
  ...SIGNS.map((sign) => `${sign}evil.example`),
  ...SIGNS.map((sign) => `${sign}user@evil.example/a`),
  ...SCHEMES.map((scheme) => `${scheme}//evil.example`),
  ...SCHEMES.map((scheme) => `${scheme}evil.example`),
  "evil.example",
  "@evil.example",
  ".evil.example",
  ":80",
  "?x",
  "#x",
  "",
  "/sign_in",
  "/sign_in?return_to=/sign_in",
  `/${"a".repeat(3_000)}`,
  "／／evil.example",
  "/／evil.example".slice(1),
];
