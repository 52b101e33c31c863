/** Makes codes for addresses from text that a person typed. */
import anyAscii from "any-ascii";

/**
 * Transliterates and lower-cases the text, and replaces every run of characters other than `a-z 0-9 _ -` by one
 * separator, except at the ends.
 *
 * @returns an empty text if nothing is left
 */
export function slug(text: string, separator: "-" | "_" = "-"): string {
  const allowed = anyAscii(text).toLowerCase().replace(separator === "-" ? /[^a-z0-9_-]+/g : /[^a-z0-9_]+/g, separator);
  return allowed.replace(separator === "-" ? /-{2,}/g : /_{2,}/g, separator)
    .replace(separator === "-" ? /^-+|-+$/g : /^_+|_+$/g, "");
}
