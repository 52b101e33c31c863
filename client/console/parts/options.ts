/** Options that a person chooses one of, and what of them fits words. */

export interface Option {
  value: string;
  name: string;
  /** Beside the name, such as a code; it is searched, too. */
  note?: string;
}

/** Above this number one finds by typing. */
export const MANY = 40;
/** A picker shows no more at once. */
export const MOST = 100;

const folded = (text: string) => text.normalize("NFC").toLowerCase();

/** The options that contain the words; those whose name begins with them are the first. */
export function fitting<One extends Option>(options: readonly One[], words: string): One[] {
  const asked = folded(words.trim());
  if (asked === "") return [...options];
  const first: One[] = [];
  const others: One[] = [];
  for (const option of options) {
    const name = folded(option.name);
    if (name.startsWith(asked)) first.push(option);
    else if (name.includes(asked) || folded(option.note ?? "").includes(asked)) others.push(option);
  }
  return [...first, ...others];
}
