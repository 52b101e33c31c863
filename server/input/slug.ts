/** Codes that stand in addresses, cleaned out of whatever a person typed. */
import anyAscii from "any-ascii";

/**
 * Transliterated, lower-cased, everything but `a-z 0-9 _ -` replaced by the separator, squeezed, trimmed.
 * Source: decisions, "url_code".
 *
 * @returns "" where nothing is left
 */
export function slug(text: string, separator: "-" | "_" = "-"): string {
  const allowed = anyAscii(text).toLowerCase().replace(separator === "-" ? /[^a-z0-9_-]+/g : /[^a-z0-9_]+/g, separator);
  return allowed.replace(separator === "-" ? /-{2,}/g : /_{2,}/g, separator)
    .replace(separator === "-" ? /^-+|-+$/g : /^_+|_+$/g, "");
}
