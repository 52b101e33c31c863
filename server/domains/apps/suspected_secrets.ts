/**
 * Warnings of secrets in a source, which everyone who opens the app could read. Few false positives matter more than
 * finding every secret. The time is linear: sources are hostile.
 */

const MOST = 10;

/** What a secret could consist of, from its first character to its last. */
const TOKEN = /[\w.-]{16,}/g;

/** Tokens by their beginnings. Keys that belong into pages, such as `pk_live_…` and `AIza…`, are not among them. */
const KINDS: readonly [what: string, pattern: RegExp][] = [
  ["a Stripe secret key", /^[rs]k_live_[A-Za-z0-9]{16}/],
  ["a GitHub token", /^(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\w{22})/],
  ["a GitLab token", /^glpat-[\w-]{20}/],
  ["an AWS access key", /^A(?:KIA|SIA)[A-Z0-9]{16}$/],
  ["a Slack token", /^xox[abeoprs]-[A-Za-z0-9-]{10}/],
  ["an npm token", /^npm_[A-Za-z0-9]{36}/],
  ["a SendGrid key", /^SG\.[\w-]{16,32}\.[\w-]{16}/],
  ["a key of an AI service", /^sk-(?:ant-|proj-|or-)?[\w-]{32}/],
  ["an API token of this server", /^atr_[A-Za-z0-9]{40}/],
  ["a signed token (JWT)", /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8}/],
];

const PRIVATE_KEY = /-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----/g;

/** `postgres://user:password@host` */
const IN_ADDRESS = /:\/\/[^\s:@/"'`<>{}$]{1,64}:([^\s:@/"'`<>{}$]{6,64})@/dg;

/** `apiKey: "…"`, `const client_secret = "…"` */
const ASSIGNED =
  /(?:api_?key|access_?key|private_?key|secret|passw(?:or)?d|token)\w{0,20}["']?\s{0,3}[:=]\s{0,3}["'`]([\w.~+/=-]{16,200})["'`]/dgi;

/** `line:column message`, one for each place, without the secret's text. */
export function warningsOfSecrets(source: string): string[] {
  const found = new Map<number, string>();
  const note = (index: number | undefined, what: string) => {
    if (index !== undefined && found.size < MOST && !found.has(index)) found.set(index, what);
  };
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    const [what] = KINDS.find(([, pattern]) => pattern.test(token)) ?? [];
    if (what) note(index, what);
  }
  for (const { index } of source.matchAll(PRIVATE_KEY)) note(index, "a private key");
  for (const { indices } of source.matchAll(IN_ADDRESS)) note(indices?.[1]?.[0], "a password in an address");
  for (const { 1: value = "", indices } of source.matchAll(ASSIGNED)) {
    if (isRandom(value)) note(indices?.[1]?.[0], "a secret");
  }
  return [...found].toSorted(([a], [b]) => a - b).map(([index, what]) => {
    const before = source.slice(0, index).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    return `${before.length}:${column} this looks like ${what}, which everyone who opens the app can read; ` +
      "keep it in a connector instead";
  });
}

/** Bits a character. Words have less, keys in base64 or hexadecimal more. */
const RANDOM_BITS = 3.2;

/** Whether the text is no name: letters and digits mixed within its parts, and hardly any repetition. */
function isRandom(text: string): boolean {
  const parts = text.split(/[-_.~+/=]/);
  if (!parts.some((part) => /[a-z]\d|\d[a-z]/i.test(part) && !/^(?:[a-z]+\d{1,4}|\d+[a-z]+)$/i.test(part))) {
    return false;
  }
  const counts = Map.groupBy(text, (character) => character);
  const bits = counts.values().reduce(
    (sum, { length }) => sum - length / text.length * Math.log2(length / text.length),
    0,
  );
  return bits >= RANDOM_BITS;
}
