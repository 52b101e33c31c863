/** The server's rules of who sees what, in the words of the console. */

const RULES: readonly [pattern: RegExp, words: (name: string, found: string) => string][] = [
  [
    /^has no department: needs without_department$/,
    (name) => `without a department: switch on “Without department” for ${name}`,
  ],
  [/^not a member of department (.+)$/s, (name, department) => `of the department ${department}: add ${name} to it`],
  [/^needs the role (.+)$/, (name, role) => `only for the role ${role} or above: give it to ${name}`],
];

/** Follows a number of things that are hidden, such as "6". @param name of the person they are hidden from */
export function hiddenWords(rule: string, name: string): string {
  if (rule.startsWith("database: ")) return `in databases ${hiddenWords(rule.slice("database: ".length), name)}`;
  for (const [pattern, words] of RULES) {
    const found = pattern.exec(rule);
    if (found) return words(name, found[1] ?? "");
  }
  return rule;
}
