/**
 * The end of Tailwind's stylesheets: declarations of the properties that its utilities use. It is half of a small app's
 * stylesheet and the same after most edits, so it is minified once.
 */
import { LRUCache } from "lru-cache";
import { bundleStyles } from "../bundle/bundle.ts";

/** Characters of minified and original text. */
const minified = new LRUCache<string, string>({
  maxSize: 256 * 1024,
  sizeCalculation: (text, key) => 1 + text.length + key.length,
});

const PROPERTIES = /(?<=\})\n(?:@property --tw-[\w-]+ \{[^{}]*\}\n)+@layer properties \{[^]*$/;

/** Minifies a stylesheet of Tailwind's. @param head imports to put before it */
export async function minifySheet(source: string, head: string, css: string): Promise<string> {
  const { 0: properties = "", index = css.length } = PROPERTIES.exec(css) ?? {};
  const [rules, end] = await Promise.all([
    bundleStyles(source, head + css.slice(0, index)),
    minified.get(properties) ?? bundleStyles("", properties),
  ]);
  if (properties) minified.set(properties, end);
  return rules + end;
}
